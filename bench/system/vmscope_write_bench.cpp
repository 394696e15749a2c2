// An array in memory written as compressed tiles. Each run makes a folder of its own; older ones
// are removed beside the clock. --cold: a run ends when its files are on the disk.
#include "system/vmscope_written.h"

#include <algorithm>
#include <filesystem>

#include "memory/measure_disk.h"
#include "system/scratch_file.h"
#include "system/suite.h"
#include "system/vmscope_means.h"
#include "system/vmscope_tiles.h"

namespace pappus::bench {
namespace {

/// The folders that one version makes, run by run.
class outputs {
 public:
  std::string next() { return named(++made_); }
  std::string last() const { return named(made_); }
  void remove_older() const {
    for (int i = std::max(made_ - 3, 0); i < made_; ++i) std::filesystem::remove_all(named(i));
  }
  const scratch_folder& folder() const { return folder_; }
  std::int64_t last_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(last()))
      if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
    return bytes;
  }

 private:
  std::string named(int number) const {
    return folder_.path() + '/' + std::to_string(number) + ".zarr";
  }
  scratch_folder folder_;
  int made_ = 0;
};

}  // namespace

std::vector<result> run_vmscope_write(const stage& on, std::int64_t n) {
  const auto of = vmscope::square_of(n);
  const auto slide = vmscope::smooth_slide(of, on.asked.seed, on.workers);
  const auto array = on.engine.unwritten<vmscope::pixel, 2>({of.height, of.width});
  std::ranges::copy(slide, reinterpret_cast<vmscope::colour*>(array.host_write().data()));
  team one(1);
  outputs sequential, handwritten, pappus;
  const auto timed = [&](const char* name, outputs& to, auto write) {
    return version{name,
                   [&on, &to, write] {
                     write(to.next());
                     if (on.asked.cold) to.folder().settle();
                   },
                   [&] {
                     const auto written = on.engine.open<vmscope::pixel, 2>(to.last());
                     return vmscope::checksum(
                         vmscope::average_told(on.engine, written, vmscope::window_of(of)));
                   }};
  };
  const auto by = [&](team& workers) {
    return [&](const std::string& to) { vmscope::write_slide(slide, of, to, workers); };
  };
  auto results = compare(
      on, on.asked.cold ? "vmscope_write_cold" : "vmscope_write", n,
      static_cast<double>(slide.size()),
      {timed("sequential", sequential, by(one)), timed("handwritten", handwritten, by(on.workers)),
       timed("pappus", pappus,
             [&](const std::string& to) {
               array.write(to, {.chunk = {vmscope::tile, vmscope::tile}, .codec = "blosc:lz4"});
             })},
      [&] {
        for (const auto* to : {&sequential, &handwritten, &pappus}) to->remove_older();
      });
  if (!on.asked.cold) return results;
  const auto disk = memory::measure_disk({});
  for (auto& r : results)
    r.floor_s = static_cast<double>(handwritten.last_bytes()) / disk.write_gb_per_s * 1e-9;
  return results;
}

}  // namespace pappus::bench
