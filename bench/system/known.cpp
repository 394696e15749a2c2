#include "system/known.h"

#include <algorithm>

namespace pappus::bench {

// Computed by implementations that share no code with these benchmarks and agreed with each other.
std::span<const known_checksum> known_checksums() {
  static const known_checksum all[] = {
      {"mapfiltersum", 100'000'000, "6666666/333333416666655"},
      {"scan", 100'000'000, "8cf35a14fb8e71dd"},
      {"sort", 100'000'000, "3c9bde0c5f0240fd"},
      {"groupby_dense_100", 100'000'000, "40ae78c2ec9e67f4/1.974954026e+08", {1e-9}},
      {"groupby_hash_100", 100'000'000, "40ae78c2ec9e67f4/1.974954026e+08", {1e-9}},
      {"groupby_dense_1e6", 100'000'000, "55ec192f6a9861ce/2.000016585e+08", {1e-9}},
      {"groupby_hash_1e6", 100'000'000, "55ec192f6a9861ce/2.000016585e+08", {1e-9}},
      {"join", 10'000'000, "8001336/1995204946101"},
      {"kmeans_k10_d20", 1'000'000, "1.442392e+06", {1e-4}},
      {"kmeans_k80_d40", 1'000'000, "2.842234e+06", {1e-4}},
      {"pagerank", 500'000, "1.000000000e+00/4.877857537e+01", {1e-9}},
      {"bm25f", 1 << 19, "024ff21fd9e42611/5.118835515e+01", {1e-9}},
      {"blackscholes", 10'000'000, "2.9878281e+07/3.1151002e+08", {1e-4}},
      {"stencil", 4096 * 4096, "5.57172270e+09/2.78586631e+11", {1e-6}},
      {"sweep", 4096 * 4096, "5.57172270e+09/2.78586631e+11", {1e-6}},
      {"spmv", 1 << 20, "1.0499203e+06/2.8346351e+07", {1e-4}},
      {"md5", 10'000'000, "9275008/3b95436f"},
      {"nbody", 16384 * 16384, "2.452714e+04/1.784791e+04", {1e-5, 1e-3}},
      {"correlator", 1 << 20, "6.958923e+07/4.4730169e+07", {1e-5}},
      {"gemm", 2048 * 2048, "9.5378431e+08", {1e-5}},
      {"cocluster",
       16384 * 8192,
       "6.711317369e+07/2.684358479e+08/2.013112588e+08/2.173206151e+09",
       {1e-9}},
      {"vmscope_average", 10000 * 10000, "e63f2ba4bca86902/597678882"},
      {"vmscope_average_cold", 10000 * 10000, "e63f2ba4bca86902/597678882"},
      {"vmscope_subsample", 10000 * 10000, "9b98cfe8c329468d/597717339"},
      {"vmscope_subsample_cold", 10000 * 10000, "9b98cfe8c329468d/597717339"},
      {"vmscope_blosc", 10000 * 10000, "cff763041e288c40/598427375"},
      {"vmscope_blosc_cold", 10000 * 10000, "cff763041e288c40/598427375"},
      {"vmscope_gzip", 10000 * 10000, "cff763041e288c40/598427375"},
      {"vmscope_gzip_cold", 10000 * 10000, "cff763041e288c40/598427375"},
      {"vmscope_hdf5", 10000 * 10000, "cff763041e288c40/598427375"},
      {"vmscope_hdf5_cold", 10000 * 10000, "cff763041e288c40/598427375"},
      {"vmscope_write", 10000 * 10000, "c63e8b8f66f87a27/599268722"},
      {"vmscope_write_cold", 10000 * 10000, "c63e8b8f66f87a27/599268722"},
      {"bess", 30000 * 2113 * 4, "6.76190610e+04/1.08102496e+06", {1e-6}},
      {"bess_cold", 30000 * 2113 * 4, "6.76190610e+04/1.08102496e+06", {1e-6}},
      {"composite", 1 << 26, "4.09696062e+05/36998176", {1e-6}},
      {"composite_cold", 1 << 26, "4.09696062e+05/36998176", {1e-6}},
      {"anomaly",
       1600 * 200 * 400,
       "2.13293128e+05/4.26579413e+05/2.13329199e+05/9.04857600e+05",
       {1e-6}},
      {"anomaly_cold",
       1600 * 200 * 400,
       "2.13293128e+05/4.26579413e+05/2.13329199e+05/9.04857600e+05",
       {1e-6}},
  };
  return all;
}

const known_checksum* known_for(const result& of) {
  const auto known = known_checksums();
  const auto found = std::ranges::find_if(known, [&](const known_checksum& one) {
    return one.name == of.name && one.n == of.n && one.seed == of.seed;
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace pappus::bench
