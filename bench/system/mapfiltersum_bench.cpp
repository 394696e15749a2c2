#include "pappus/device_code.h"
#include "system/device_texts.h"
#include "system/inputs.h"
#include "system/mapfiltersum.h"
#include "system/mapfiltersum_opencl.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

device_code on_devices(const char* function) {
  return device_text(function, std::string(text_file("device/mapfiltersum.cl")));
}

/// Count and sum in one pass.
struct count_and_sum {
  static constexpr bool commutative = true;
  std::int64_t count = 0, sum = 0;
  void accumulate(int x) {
    ++count;
    sum += x;
  }
  void merge(const count_and_sum& other) {
    count += other.count;
    sum += other.sum;
  }
#if !defined(__clang__)
  // Counts in 32 bits, as the hand-written version does: 0.23 in place of 0.29 ns a record in the
  // caches by g++ 12 for AVX-512. clang 19 finds a form of its own for 64 bits, 0.21, which it
  // doesn't for 32, 0.45 (Zen 4).
  struct of_block {
    std::int32_t count = 0;
    std::int64_t sum = 0;
    void accumulate(int x) {
      ++count;
      sum += x;
    }
  };
  void merge(const of_block& block) {
    count += block.count;
    sum += block.sum;
  }
#endif
  static device_code on_device() { return on_devices("count_and_add"); }
};

int plus_15(int x) { return x + 15; }

}  // namespace

std::vector<result> run_mapfiltersum(const stage& on, std::int64_t n) {
  const auto numbers = make_mapfiltersum(n, on.workers);
  mapfiltersum::result sequential, handwritten;
  count_and_sum pappus;
  auto rows = on.engine.borrow(numbers.all());
  const auto add = with_device_code(fn<plus_15>, on_devices("plus_15"));
  const auto passes =
      with_device_code(fn<mapfiltersum::divisible_by_15>, on_devices("divisible_by_15"));
  std::vector<version> versions{
      {"sequential", [&] { sequential = mapfiltersum::sequential(numbers); },
       [&] { return sequential.checksum(); }},
      {"handwritten", [&] { handwritten = mapfiltersum::handwritten(numbers, on.workers); },
       [&] { return handwritten.checksum(); }},
      {"pappus",
       [&] {
         if (!on.asked.resident) rows = on.engine.borrow(numbers.all());
         pappus = rows.map(add).filter(passes).reduce<count_and_sum>();
       },
       [&] { return mapfiltersum::result{pappus.count, pappus.sum}.checksum(); }}};
  mapfiltersum::add_opencl(on, numbers, versions);
  return compare(on, "mapfiltersum", n, min_bytes::mapfiltersum(n), std::move(versions));
}

}  // namespace pappus::bench
