// A libFuzzer target; see npy_fuzz.h for what is checked.
#include "fuzz/npy_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pappus::testing::fuzz_npy({data, size});
  return 0;
}
