#include "formats/arrow/mutated_columns.h"

namespace pappus::testing {
namespace {

constexpr unsigned parquet_seed = 26;

struct mutated_row {
  std::int64_t id;
  std::optional<std::string_view> name;
  std::string_view text;
  std::optional<double> value;
  bool flag;
  std::int16_t small;
};

TEST(parquet_mutations, are_read_or_refused) {
  PAPPUS_NEEDS_ARROW();
  RecordProperty("seed", parquet_seed);
  std::mt19937 random(parquet_seed);
  const temporary_folder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(i * i % 91));
  std::vector<mutated_row> rows;
  for (int i = 0; i < 300; ++i) {
    mutated_row row{i,       std::nullopt, texts[static_cast<std::size_t>(i)],
                    i / 4.0, i % 3 == 0,   static_cast<std::int16_t>(i % 7)};
    if (i % 4 != 0) row.name = row.text;
    rows.push_back(row);
  }
  test_memory memory;
  write_parquet(folder.file("a.parquet"), rows, 1, memory);
  const auto good = read_mutations<mutated_row>(content_of(folder.file("a.parquet")), 600, random);
  EXPECT_LT(good, 300) << "mutations must be found";
}

}  // namespace
}  // namespace pappus::testing
