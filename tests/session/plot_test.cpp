// Pictures of records: what they show, and how large they get.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/spill_folder.h"

namespace pappus::plot_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct reading {
  date day;
  std::optional<double> value;
  int number;
  std::string_view town;
};

class plots : public ::testing::Test {
 protected:
  plots() { std::filesystem::create_directories(folder_.path()); }

  /// The picture that draw(path) makes.
  template <typename Draw>
  std::string drawn(Draw draw) const {
    const auto path = folder_.path() + "/picture.svg";
    draw(path);
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(text.starts_with("<svg") && text.find("</svg>") != text.npos) << text;
    EXPECT_EQ(text.find("nan"), text.npos) << text;
    EXPECT_EQ(text.find("inf"), text.npos) << text;
    return text;
  }
  template <typename Draw>
  std::string refusal(Draw draw, const char* name = "x.svg") const {
    try {
      draw(folder_.path() + "/" + name);
    } catch (const error& e) {
      return e.what();
    }
    return "no error";
  }

  session s{options{.threads = 2}};

 private:
  const testing::spill_folder folder_;
};

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}
std::size_t bars_of(const std::string& picture) { return count(picture, "class=\"bar\""); }
/// The steps of the path of that kind.
std::string path_of(const std::string& picture, const std::string& kind) {
  const auto at = picture.find("class=\"" + kind + "\"");
  if (at == picture.npos) return {};
  const auto begin = picture.rfind("<path", at), end = picture.find("/>", at);
  return picture.substr(begin, end - begin);
}

std::vector<reading> readings(int n) {
  std::vector<reading> rows;
  for (int i = 0; i < n; ++i)
    rows.push_back({date::of(2024, 1, 1) + i, i % 5 == 4 ? std::nullopt : std::optional(i * 0.5),
                    i % 7, i % 2 == 0 ? "Delft" : "<Ulm>"});
  return rows;
}

TEST_F(plots, of_dates_are_lines_that_end_where_values_are_missing) {
  const auto rows = s.from(readings(366));
  const auto picture = drawn([&](const std::string& path) {
    rows.plot(path, &reading::day, &reading::value, {.title = "values & more"});
  });
  EXPECT_THAT(picture, AllOf(HasSubstr("values &amp; more"), HasSubstr(">day<"),
                             HasSubstr(">value<"), HasSubstr(">2024-01<"), HasSubstr(">150<")));
  EXPECT_EQ(count(path_of(picture, "line"), "M"), 74u) << "a piece behind each missing value";
  EXPECT_EQ(bars_of(picture), 0u);
}

TEST_F(plots, of_numbers_are_points_in_different_places) {
  const auto rows = s.from(readings(100));
  const auto few = drawn([&](const std::string& path) {
    rows.plot(path, &reading::number, [](const reading& r) { return r.number; });
  });
  EXPECT_EQ(count(path_of(few, "points"), "h0"), 7u);
  const auto many = s.range(0, 300'000);
  const auto dense = drawn([&](const std::string& path) {
    many.plot(path, [](int i) { return i % 997; }, [](int i) { return i % 1'009; });
  });
  EXPECT_LT(dense.size(), 4'000'000u);
  EXPECT_GT(count(path_of(dense, "points"), "h0"), 100'000u);
}

TEST_F(plots, of_long_lines_keep_extremes_and_stay_small) {
  const auto picture = drawn([&](const std::string& path) {
    s.range(0, 1'000'000)
        .plot(
            path, [](int i) { return i; }, [](int i) { return i == 765'432 ? 50.0 : i % 10; },
            {.kind = plot_kind::lines, .width = 400});
  });
  EXPECT_LT(picture.size(), 60'000u);
  EXPECT_THAT(picture, HasSubstr(">50<"));
  const auto line = path_of(picture, "line");
  double highest = 1e9;  // the least y
  for (auto at = line.find('L'); at != line.npos; at = line.find('L', at + 1))
    highest = std::min(highest, std::stod(line.substr(line.find(' ', at))));
  EXPECT_LT(highest, 40) << "the one value of 50";
}

TEST_F(plots, of_names_are_bars_in_their_order) {
  const auto counts = s.from(readings(101)).value_counts(&reading::town);
  const auto picture = drawn([&](const std::string& path) { counts.plot(path, by_key, by_value); });
  EXPECT_EQ(bars_of(picture), 2u);
  EXPECT_THAT(picture, AllOf(HasSubstr("Delft: 51"), HasSubstr("&lt;Ulm&gt;: 50")));
  EXPECT_LT(picture.find(">Delft<"), picture.find(">&lt;Ulm&gt;<"));
  EXPECT_THAT(refusal([&](const std::string& path) {
                s.from(readings(61)).plot(path, &reading::town, &reading::number);
              }),
              HasSubstr("plot: expected 60 names at most, got 61; take the top ones first"));
  EXPECT_THAT(refusal([&](const std::string& path) {
                counts.plot(path, by_key, by_value, {.kind = plot_kind::lines});
              }),
              HasSubstr("expected numbers, dates or times as x of lines and points, got names"));
}

TEST_F(plots, of_one_function_are_histograms) {
  const auto rows = s.from(readings(1'000));
  const auto picture =
      drawn([&](const std::string& path) { rows.plot(path, &reading::value, {.bins = 10}); });
  EXPECT_EQ(bars_of(picture), 10u);
  EXPECT_THAT(picture,
              AllOf(HasSubstr(">value<"), HasSubstr(">count<"), HasSubstr(": 80</title>")));
  const auto days =
      drawn([&](const std::string& path) { rows.plot(path, &reading::day, {.bins = 12}); });
  EXPECT_THAT(days, HasSubstr(">2025"));
  EXPECT_EQ(bars_of(days), 12u);
}

TEST_F(plots, draw_what_there_is_of_odd_values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), huge = 1e300;
  const double odd[] = {none, std::numeric_limits<double>::infinity(), 3, 3, none, -huge, huge};
  const auto rows = s.from(odd);
  const auto itself = [](double x) { return x; };
  for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    const auto some = rows.take(static_cast<std::int64_t>(n));
    for (const auto kind : {plot_kind::lines, plot_kind::points, plot_kind::bars}) {
      const auto picture =
          drawn([&](const std::string& path) { some.plot(path, itself, itself, {.kind = kind}); });
      EXPECT_EQ(picture.find("no values") != picture.npos, n < 3) << n;
    }
    if (n < 7) drawn([&](const std::string& path) { some.plot(path, itself); });
  }
}

TEST_F(plots, of_times_have_round_ones_on_their_axis) {
  const auto begin = timestamp::of(date::of(2024, 2, 28)) + std::chrono::hours(20);
  const auto shown = [&](std::chrono::microseconds step) {
    return drawn([&](const std::string& path) {
      s.range(0, 100).plot(path, [=](int i) { return begin + i * step; }, [](int i) { return i; });
    });
  };
  EXPECT_THAT(shown(std::chrono::seconds(1)), HasSubstr(">20:00:30<"));
  EXPECT_THAT(shown(std::chrono::minutes(1)), HasSubstr(">20:30<"));
  EXPECT_THAT(shown(std::chrono::minutes(20)), HasSubstr(">29 12:00<"));
  EXPECT_THAT(shown(std::chrono::hours(1)), HasSubstr(">2024-03-01<"));
  EXPECT_THAT(shown(std::chrono::hours(24)), HasSubstr(">2024-05<"));
  EXPECT_THAT(shown(std::chrono::hours(24 * 40)), HasSubstr(">2030<"));
  EXPECT_THAT(shown(std::chrono::hours(24 * 4'000)), HasSubstr(">2400<"));
}

TEST_F(plots, refuse_what_cant_be_drawn) {
  const auto rows = s.from(readings(3));
  EXPECT_THAT(refusal([&](const std::string& path) { rows.plot(path, &reading::number); }, "x.png"),
              HasSubstr("plot: expected a path that ends in .svg, got "));
  EXPECT_THAT(
      refusal([&](const std::string& path) { rows.plot(path, &reading::number, {.width = 20}); }),
      HasSubstr("plot: expected 200 to 4000 pixels each way, got 20"));
  EXPECT_THAT(
      refusal([&](const std::string& path) { rows.plot(path, &reading::number, {.bins = 0}); }),
      HasSubstr("plot: expected 1 to 1000 bins, got 0"));
  EXPECT_THAT(refusal([&](const std::string&) { rows.plot("/dev/null/x.svg", &reading::number); }),
              HasSubstr("plot: /dev/null/x.svg: "));
}

}  // namespace
}  // namespace pappus::plot_tests
