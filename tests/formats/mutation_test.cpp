// A short run of the fuzz targets on seeded mutations of valid files, for builds without a fuzzer.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/csv_fuzz.h"
#include "fuzz/hdf5_fuzz.h"
#include "fuzz/json_fuzz.h"
#include "fuzz/npy_fuzz.h"
#include "fuzz/zarr_fuzz.h"

namespace pappus::testing {
namespace {

constexpr unsigned seed = 20;

std::string mutated(std::string text, std::string_view alphabet, std::mt19937& random) {
  for (unsigned changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    const char letter =
        random() % 8 == 0 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
    switch (random() % 5) {
      case 0:
        text.erase(at, 1 + random() % 8);
        break;
      case 1:
        text.insert(at, 1, letter);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      case 3:
        if (random() % 4 == 0) text.resize(at);
        break;
      default:
        text[at] = letter;
    }
  }
  return text;
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(csv_fuzz, finds_nothing_in_mutations_of_a_valid_file) {
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const std::string text =
        mutated(std::string(fuzz_csv_seed), "\"\"\",,\n\n\r0123456789.-+ eTZ:", random);
    SCOPED_TRACE(text);
    fuzz_csv(bytes_of(text));
  }
}

TEST(csv_fuzz, finds_nothing_in_mutations_of_compressed_files) {
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const auto seeds = fuzz_compressed_seeds();
  int good = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto text =
        mutated(seeds[random() % seeds.size()], "\x1F\x8B\x08\x28\xB5\x2F\xFD", random);
    fuzz_csv(bytes_of(text));
    good += fuzz_csv_outcome(text, 1, 10, {}).find("a, \"b\"\nc|") != std::string::npos;
  }
  EXPECT_LT(good, 1000) << "mutations must be found";
  for (const auto& one : seeds)
    EXPECT_NE(fuzz_csv_outcome(one, 1, 10, {}).find("a, \"b\"\nc|"), std::string::npos);
}

TEST(csv_fuzz, reads_its_seed) {
  EXPECT_NE(fuzz_csv_outcome(fuzz_csv_seed, 1, 10, {}).find("a, \"b\"\nc|"), std::string::npos);
}

TEST(json_fuzz, finds_nothing_in_mutations_of_a_valid_file) {
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 1000; ++round) {
    const std::string text = mutated(std::string(fuzz_json_seed),
                                     "\"\"{}[]::,,\n\n\r\\\\utfnd0123456789.-+eE \xC3\xED", random);
    SCOPED_TRACE(text);
    fuzz_json(bytes_of(text));
  }
}

TEST(json_fuzz, reads_its_seeds) {
  const auto rows_of = [](std::string_view text) {
    return fuzz_json_outcome(text, 1, 10, std::size_t{1} << 20, std::size_t{1} << 18);
  };
  const auto rows = rows_of(fuzz_json_seed);
  EXPECT_NE(rows.find("a \"b\" \u00e9\U0001F600|?|"), std::string::npos) << rows;
  for (const auto& one : fuzz_json_compressed_seeds()) EXPECT_EQ(rows_of(one), rows);
}

TEST(npy_fuzz, finds_nothing_in_mutations_of_valid_files) {
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const std::vector<std::string> seeds = fuzz_npy_seeds();
  for (int round = 0; round < 3000; ++round) {
    const std::string text =
        mutated(seeds[random() % seeds.size()], "'''{}()[]:,,0123456789<>|ifbuMUS \\", random);
    SCOPED_TRACE(text);
    fuzz_npy(bytes_of(text));
  }
}

TEST(npy_fuzz, reads_its_seeds) {
  const std::size_t layouts[] = {0, 1, 2, 3};
  const std::vector<std::string> seeds = fuzz_npy_seeds();
  for (const std::size_t i : layouts) {
    const std::string outcome = fuzz_npy_outcome(seeds[i], fuzz_layouts()[i], 10);
    EXPECT_FALSE(outcome.starts_with("f: ")) << outcome;
  }
}

TEST(zarr_fuzz, finds_nothing_in_mutations_of_valid_inputs) {
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const std::vector<std::string> seeds = fuzz_zarr_seeds();
  for (int round = 0; round < 6000; ++round) {
    const std::string& whole = seeds[random() % seeds.size()];
    const std::string text =
        whole[0] + mutated(whole.substr(1), "\"\"{}[]::,,0123456789.-\\xnulltrue", random);
    fuzz_zarr(bytes_of(text));
  }
}

TEST(zarr_fuzz, reads_its_seeds) {
  const std::vector<std::string> seeds = fuzz_zarr_seeds();
  for (const std::string& text : seeds) EXPECT_EQ(fuzz_zarr(bytes_of(text)), text[0] != 2) << text;
}

TEST(hdf5_fuzz, finds_nothing_in_mutations_of_valid_inputs) {
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const std::vector<std::string> seeds = fuzz_hdf5_seeds();
  const std::string_view alphabet("\0\0\0\1\2\3\4\x08\x10\x18\x30TREOHDCK\xff\xff", 22);
  for (int round = 0; round < 20000; ++round) {
    const std::string& whole = seeds[random() % seeds.size()];
    fuzz_hdf5(bytes_of(whole[0] + mutated(whole.substr(1), alphabet, random)));
  }
}

TEST(hdf5_fuzz, reads_its_seeds) {
  for (const std::string& text : fuzz_hdf5_seeds())
    EXPECT_TRUE(fuzz_hdf5(bytes_of(text))) << int(text[0]);
}

}  // namespace
}  // namespace pappus::testing
