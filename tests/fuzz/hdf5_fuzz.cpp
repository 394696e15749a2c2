// A libFuzzer target; see hdf5_fuzz.h for what is checked.
#include "fuzz/hdf5_fuzz.h"

#include "fuzz/seeds.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  pappus::testing::begin_with(pappus::testing::fuzz_hdf5_seeds(), count, arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pappus::testing::fuzz_hdf5({data, size});
  return 0;
}
