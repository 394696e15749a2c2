// A libFuzzer target; see json_fuzz.h for what is checked.
#include "fuzz/json_fuzz.h"

#include "fuzz/seeds.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  auto seeds = pappus::testing::fuzz_json_compressed_seeds();
  seeds.emplace_back(pappus::testing::fuzz_json_seed);
  pappus::testing::begin_with(seeds, count, arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pappus::testing::fuzz_json({data, size});
  return 0;
}
