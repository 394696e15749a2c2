// A libFuzzer target; see csv_fuzz.h for what is checked.
#include "fuzz/csv_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pappus::testing::fuzz_csv({data, size});
  return 0;
}
