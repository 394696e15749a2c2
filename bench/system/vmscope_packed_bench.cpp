// Means of blocks of a compressed slide. 1.1 is the bound for all of them: nine tenths of what the
// disk and the codec allow, which is what the hand-written version has.
#include "system/vmscope_packed.h"

#include "system/cold.h"
#include "system/suite.h"
#include "system/vmscope_means.h"

namespace pappus::bench {
namespace {

std::vector<result> run_packed(const stage& on, std::int64_t n, const char* name,
                               vmscope::packing how) {
  vmscope::packed_slide slide(how, n, on.asked.seed, on.workers);
  const auto window = vmscope::window_of(slide.of());
  std::vector<vmscope::colour> sequential(slide.of().view_bytes()), handwritten(sequential.size());
  std::vector<vmscope::pixel> pappus, told;
  const auto text = [](const auto& view) { return [&view] { return vmscope::checksum(view); }; };
  const auto open = [&] { return on.engine.open<vmscope::pixel, 2>(slide.path()); };
  const auto bytes =
      static_cast<double>(slide.stored_bytes()) + static_cast<double>(slide.of().view_bytes());
  return compare_reading(
      on, name, n, bytes,
      {{"sequential", [&] { vmscope::average_sequential(slide, sequential); }, text(sequential)},
       {"handwritten", [&] { vmscope::average_packed(slide, handwritten, on.workers); },
        text(handwritten)},
       {"pappus", [&] { pappus = vmscope::average(on.engine, open(), window); }, text(pappus)},
       {"pappus, told", [&] { told = vmscope::average_told(on.engine, open(), window); },
        text(told)}},
      {&slide});
}

}  // namespace

std::vector<result> run_vmscope_blosc(const stage& on, std::int64_t n) {
  return run_packed(on, n, "vmscope_blosc", vmscope::packing::blosc);
}

std::vector<result> run_vmscope_gzip(const stage& on, std::int64_t n) {
  return run_packed(on, n, "vmscope_gzip", vmscope::packing::gzip);
}

std::vector<result> run_vmscope_hdf5(const stage& on, std::int64_t n) {
  constexpr const char* name = "vmscope_hdf5";
  const auto missing = vmscope::hdf5_missing();
  if (missing.empty()) return run_packed(on, n, name, vmscope::packing::hdf5);
  std::vector<result> results;
  for (const char* version : {"handwritten", "pappus", "pappus, told"})
    results.push_back({.name = name,
                       .version = version,
                       .device = "cpu",
                       .n = n,
                       .seed = on.asked.seed,
                       .checksum = {},
                       .skipped = missing});
  return results;
}

}  // namespace pappus::bench
