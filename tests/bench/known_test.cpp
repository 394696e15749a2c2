// All versions give the checksums that a script gave which shares no code with them.
#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "system/known.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

/// In double precision, from inputs drawn anew by the rule in system/generator.h.
std::span<const known_checksum> of_small_sizes() {
  static const known_checksum all[] = {
      {"mapfiltersum", 2500, "166/210405", {0}, 42},
      {"scan", 2500, "cf92e61869045dd3", {0}, 42},
      {"sort", 2500, "b17ca1fa7e46d963", {0}, 42},
      {"groupby_hash_100", 2500, "4d0ced4a2eb03397/4.822186237e+03", {1e-9}, 42},
      {"join", 2500, "1993/434441374", {0}, 42},
      {"kmeans_k10_d20", 2500, "3.543423e+03", {1e-4}, 42},
      {"pagerank", 2500, "1.000000000e+00/4.574726614e+01", {1e-9}, 42},
      {"blackscholes", 2500, "8.0916236e+03/7.5209109e+04", {1e-4}, 42},
      {"bm25f", 2500, "be5abc66f95b849e/2.707078185e+01", {1e-9}, 42},
      {"stencil", 2500, "8.30267306e+05/4.12013774e+07", {1e-6}, 42},
      {"sweep", 2500, "8.30267306e+05/4.12013774e+07", {1e-6}, 42},
      {"spmv", 2500, "2.6567964e+03/7.1506231e+04", {1e-4}, 42},
      {"md5", 2500, "2318/294498b4", {0}, 42},
      {"nbody", 2500, "7.747728e+01/1.786567e-01", {1e-5, 1e-3}, 42},
      {"correlator", 2500, "1.826212e+05/1.0656358e+05", {1e-5}, 42},
      {"gemm", 2500, "1.4379623e+04", {1e-5}, 42},
      {"cocluster",
       2500,
       "1.228497956e+03/4.917509955e+03/3.664763192e+03/3.390808143e+04",
       {1e-9},
       42},
      {"vmscope_average", 2500, "d13c92e7a1da4fee/13743", {0}, 42},
      {"vmscope_subsample", 2500, "c1899ce302849a98/14043", {0}, 42},
      {"vmscope_blosc", 2500, "13fdcf33f2b558ee/7275", {0}, 42},
      {"vmscope_gzip", 2500, "13fdcf33f2b558ee/7275", {0}, 42},
      {"vmscope_hdf5", 2500, "13fdcf33f2b558ee/7275", {0}, 42},
      {"vmscope_write", 2500, "e7967a6ac181f1dc/7168", {0}, 42},
      {"bess", 2500, "2.26401253e+02/3.30368162e+03", {1e-6}, 42},
      {"composite", 2500, "1.55717680e+01/696", {1e-6}, 42},
      {"anomaly", 2500, "1.49719319e+02/2.97791934e+02/1.50140473e+02/5.58401169e+02", {1e-6}, 42},
      {"mapfiltersum", 1111, "74/42735", {0}, 7},
      {"scan", 1111, "c5726d7dddb89256", {0}, 7},
      {"sort", 1111, "451189245a0187a3", {0}, 7},
      {"groupby_hash_100", 1111, "66debe8d280ac74d/2.045355830e+03", {1e-9}, 7},
      {"join", 1111, "899/212448126", {0}, 7},
      {"kmeans_k10_d20", 1111, "1.544727e+03", {1e-4}, 7},
      {"pagerank", 1111, "1.000000000e+00/4.338278313e+01", {1e-9}, 7},
      {"blackscholes", 1111, "3.1317698e+03/3.4389478e+04", {1e-4}, 7},
      {"bm25f", 1111, "d66446321b26bb64/2.403964811e+01", {1e-9}, 7},
      {"stencil", 1111, "3.61430482e+05/1.77826825e+07", {1e-6}, 7},
      {"sweep", 1111, "3.61430482e+05/1.77826825e+07", {1e-6}, 7},
      {"spmv", 1111, "1.0997522e+03/2.9591444e+04", {1e-4}, 7},
      {"md5", 1111, "227/b2af2ebb", {0}, 7},
      {"nbody", 1111, "5.348586e+01/8.185159e-02", {1e-5, 1e-3}, 7},
      {"correlator", 1111, "9.698308e+04/4.7402057e+04", {1e-5}, 7},
      {"gemm", 1111, "4.0375372e+03", {1e-5}, 7},
      {"cocluster",
       1111,
       "5.193112504e+02/1.989641833e+03/1.488676066e+03/1.727417556e+04",
       {1e-9},
       7},
      {"vmscope_average", 1111, "45b09c9587c450ee/6130", {0}, 7},
      {"vmscope_subsample", 1111, "fba147e9ac414ae9/7347", {0}, 7},
      {"vmscope_blosc", 1111, "866a8fb469e7b7de/3162", {0}, 7},
      {"vmscope_gzip", 1111, "866a8fb469e7b7de/3162", {0}, 7},
      {"vmscope_hdf5", 1111, "866a8fb469e7b7de/3162", {0}, 7},
      {"vmscope_write", 1111, "a28f50844e015259/3140", {0}, 7},
      {"bess", 1111, "1.28428988e+02/1.09684106e+03", {1e-6}, 7},
      {"composite", 1111, "8.80469757e+00/344", {1e-6}, 7},
      {"anomaly", 1111, "9.68957112e+01/1.78832817e+02/9.36853430e+01/3.63911720e+02", {1e-6}, 7},
  };
  return all;
}

const benchmark* named(std::string_view result) {
  const auto all = benchmarks();
  const auto found = std::ranges::find_if(all, [&](const benchmark& b) {
    return result == b.name || result.starts_with(std::string(b.name) + "_");
  });
  return found == all.end() ? nullptr : &*found;
}

TEST(benchmarks, give_the_checksums_of_a_script) {
  session engine(options{.threads = 3});
  team workers(3);
  const opencl::device_list none;
  for (const auto& known : of_small_sizes()) {
    SCOPED_TRACE(::testing::Message() << known.name << ", n " << known.n);
    const auto* what = named(known.name);
    ASSERT_NE(what, nullptr);
    const settings asked{.seed = known.seed, .repeat = 1};
    const stage on{asked, workers, engine, 1e10, {}, none};
    const auto results = what->run(on, known.n);
    EXPECT_GE(results.size(), 3U);
    for (const auto& r : results) {
      if (!r.skipped.empty()) continue;
      EXPECT_EQ(r.name, known.name);
      EXPECT_TRUE(agree(r.checksum, known.checksum, known.tolerances))
          << r.version << " got " << r.checksum << ", the script " << known.checksum;
    }
  }
}

TEST(checksums, are_known_at_default_sizes) {
  EXPECT_GE(known_checksums().size(), 20U);
  for (const auto& known : known_checksums()) {
    const auto* what = named(known.name);
    ASSERT_NE(what, nullptr) << known.name;
    EXPECT_EQ(known.n, what->default_n) << known.name;
    EXPECT_EQ(known.seed, settings().seed);
    EXPECT_LE(known.tolerances.back(), std::max(what->tolerance, 1e-9)) << known.name;
  }
}

TEST(checksums, are_known_for_a_size_and_a_seed) {
  result one;
  one.name = "md5";
  one.n = 10'000'000;
  one.seed = 42;
  ASSERT_NE(known_for(one), nullptr);
  EXPECT_EQ(known_for(one)->checksum, "9275008/3b95436f");
  one.seed = 43;
  EXPECT_EQ(known_for(one), nullptr);
  one.n = 10'000'001;
  one.seed = 42;
  EXPECT_EQ(known_for(one), nullptr);
}

TEST(checksums, may_differ_part_by_part) {
  const std::vector<double> tolerances{1e-5, 1e-3};
  EXPECT_TRUE(agree("1.000001e+00/1.0009e+00/1.0009e+00", "1.0e+00/1.0e+00/1.0e+00", tolerances));
  EXPECT_FALSE(agree("1.0002e+00/1.0e+00", "1.0e+00/1.0e+00", tolerances));
  EXPECT_FALSE(agree("1.0e+00/1.0e+00/1.01e+00", "1.0e+00/1.0e+00/1.0e+00", tolerances));
}

}  // namespace
}  // namespace pappus::bench
