// pappus schema FILE.parquet.
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/arrow/arrow_support.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

std::string printed_by(const std::string& arguments) {
  FILE* pipe = ::popen((PAPPUS_COMMAND " " + arguments + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const auto n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  ::pclose(pipe);
  return text;
}

struct schema_trip {
  std::string_view carrier;
  std::int16_t delay;
  std::optional<double> km;
  std::optional<timestamp> left;
};

TEST(parquet_schema, is_a_program_with_a_struct_of_the_columns_types) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto path = folder.file("trips.parquet");
  {
    session s;
    const std::array trips{schema_trip{"KL", 3, 2.5, timestamp{}},
                           schema_trip{"LH", -4, std::nullopt, timestamp{}}};
    s.from(trips).write(path, column("carrier", &schema_trip::carrier),
                        column("delay (min)", &schema_trip::delay), column("km", &schema_trip::km),
                        column("left", &schema_trip::left));
  }
  const std::string expected = R"x(: types of its 2 rows
#include <pappus/pappus.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>

struct trip {
  std::string_view carrier;
  std::int16_t delay_min;
  std::optional<double> km;  // 1 of 2 values missing
  pappus::timestamp left;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  auto rows = s.parquet<trip>("PATH",
                     pappus::column("carrier", &trip::carrier),
                     pappus::column("delay (min)", &trip::delay_min),
                     pappus::column("km", &trip::km),
                     pappus::column("left", &trip::left));
  std::cout << rows.count() << " rows\n";
  rows.show();
}
)x";
  const auto at = expected.find("PATH");
  EXPECT_EQ(printed_by("schema --name trip " + path),
            "// " + path + expected.substr(0, at) + path + expected.substr(at + 4));
  EXPECT_EQ(printed_by("schema --delimiter ';' " + path),
            "pappus: " + path +
                ": expected none of the options that say how a CSV file is written, as a parquet "
                "file tells, got some\n");
}

struct place {
  std::string_view country, city;
  std::optional<std::string_view> region;
  std::optional<std::string_view> river;
};

TEST(parquet_schema, tells_of_texts_that_repeat) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  std::vector<std::string> cities;
  for (int i = 0; i < 12'000; ++i) cities.push_back("city " + std::to_string(i));
  std::vector<place> places(cities.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = {i % 2 == 0 ? "FR" : "DE", cities[i], i % 3 == 0 ? "north" : "south", {}};
    if (i == 11'999) places[i].country = "AT";
    if (i != 7) places[i].river = cities[i % 40];
  }
  session s;
  for (const char* const name : {"places.parquet", "places.arrow"}) {
    SCOPED_TRACE(name);
    const auto path = folder.file(name);
    s.from(places).write(path);
    EXPECT_EQ(printed_by("schema --struct " + path), "// " + path + R"x(: types of its 12000 rows
struct row {
  std::string_view country;  // 2 different in 10000 rows: pappus::category takes 4 bytes
  std::string_view city;
  std::string_view region;  // 2 different in 10000 rows: pappus::category takes 4 bytes
  std::optional<std::string_view> river;  // 1 of 12000 values missing
};
)x");
  }
}

TEST(arrow_schema, is_that_of_a_file_of_arrows_own) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto path = folder.file("trips.arrow");
  {
    session s;
    const std::array trips{schema_trip{"KL", 3, 2.5, timestamp{}},
                           schema_trip{"LH", -4, std::nullopt, timestamp{}}};
    s.from(trips).write(path);
  }
  EXPECT_EQ(printed_by("schema --struct " + path), "// " + path + R"x(: types of its 2 rows
struct row {
  std::string_view carrier;
  std::int16_t delay;
  std::optional<double> km;  // 1 of 2 values missing
  pappus::timestamp left;
};
)x");
  EXPECT_NE(printed_by("schema " + path).find("s.arrow<row>(\"" + path + "\");"),
            std::string::npos);
}

}  // namespace
}  // namespace pappus::testing
