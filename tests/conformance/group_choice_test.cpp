// top, bottom and take of groups, and flat_map_groups, against sorted groups.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::group_choice_tests {
namespace {

using namespace testing;

struct sold {
  std::int64_t shop;
  double price;
  std::int64_t row;
};

std::vector<sold> sold_rows(random& random, std::int64_t n, std::int64_t shops) {
  std::vector<sold> rows(static_cast<std::size_t>(n));
  std::int64_t row = 0;
  for (auto& one : rows)
    one = {random.between(0, random.between(0, shops - 1)),
           static_cast<double>(random.between(-20, 20)) / 4, row++};
  return rows;
}
bool is_kept(const sold& one) { return one.row % 3 != 1; }

/// NaN is the greatest.
bool is_less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

enum class which { top, bottom, first };

std::vector<sold> chosen(const std::vector<sold>& rows, which wanted, std::int64_t n) {
  std::map<std::int64_t, std::vector<sold>> groups;
  for (const auto& one : rows) groups[one.shop].push_back(one);
  std::vector<sold> made;
  for (auto& [shop, of] : groups) {
    if (wanted == which::top)
      std::ranges::stable_sort(of, [](double a, double b) { return is_less(b, a); }, &sold::price);
    else if (wanted == which::bottom)
      std::ranges::stable_sort(of, is_less, &sold::price);
    const auto most = std::clamp<std::int64_t>(n, 0, std::ssize(of));
    made.insert(made.end(), of.begin(), of.begin() + most);
  }
  return made;
}

TEST(groups, have_greatest_least_and_first_records) {
  random random(111);
  for (const std::int64_t shops : {1, 7, 3000})
    for (const std::int64_t n : {0, 1, 4097, up_to(20'003)}) {
      const auto rows = sold_rows(random, n, shops);
      for (const std::int64_t most : {0, 3, 10, 11, 500}) {
        SCOPED_TRACE(::testing::Message() << most << " of " << n << " rows, " << shops << " shops");
        expect_rows(chosen(rows, which::top, most), [&](session& s) {
          return s.borrow(rows).group_by(&sold::shop).top(most, &sold::price);
        });
        expect_rows(chosen(rows, which::bottom, most), [&](session& s) {
          return s.borrow(rows).group_by(&sold::shop).bottom(most, &sold::price);
        });
        expect_rows(chosen(rows, which::first, most),
                    [&](session& s) { return s.borrow(rows).group_by(&sold::shop).take(most); });
      }
      std::vector<sold> kept;
      std::ranges::copy_if(rows, std::back_inserter(kept), is_kept);
      for (const std::int64_t most : {4, 40})
        expect_rows(chosen(kept, which::top, most), [&](session& s) {
          return s.borrow(rows).filter(is_kept).group_by(&sold::shop).top(most, &sold::price);
        });
    }
}

TEST(groups, choose_not_a_number_as_the_greatest) {
  random random(112);
  auto rows = sold_rows(random, 500, 9);
  for (auto& one : rows)
    if (one.row % 5 == 0) one.price = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t most : {0, -1, 2, 30}) {
    expect_rows(chosen(rows, which::top, most), [&](session& s) {
      return s.borrow(rows).group_by(&sold::shop, domain{20}).top(most, &sold::price);
    });
    expect_rows(chosen(rows, which::bottom, most), [&](session& s) {
      return s.borrow(rows).group_by(&sold::shop, domain{20}).bottom(most, &sold::price);
    });
  }
}

struct made_of_two {
  made_of_two(std::int32_t a, std::int32_t b) : key(a), value(b) {}
  std::int32_t key, value;
};
struct named {
  std::string_view name, kind;
  std::int32_t value;
};

TEST(groups, choose_records_of_any_type) {
  const std::vector<made_of_two> pairs{{1, 5}, {2, 7}, {1, 9}, {1, 9}, {2, 1}};
  const std::vector<named> names{{"x", "a", 1}, {"y", "b", 2}, {"z", "a", 3}, {"w", "a", 2}};
  for (const std::int64_t most : {2, 20}) {
    session s;
    const auto best = s.borrow(pairs).group_by(&made_of_two::key).top(most, &made_of_two::value);
    std::vector<std::int32_t> values;
    for (const auto& one : best.collect()) values.push_back(one.value);
    EXPECT_EQ(values, most == 2 ? (std::vector{9, 9, 7, 1}) : (std::vector{9, 9, 5, 7, 1}));

    const auto of_kind = s.borrow(names).group_by(&named::kind).top(most, [](const named& one) {
      return pair<std::int64_t, std::int64_t>{one.value, -7};
    });
    std::vector<std::string_view> found;
    for (const auto& one : of_kind.collect()) found.push_back(one.name);
    EXPECT_EQ(found, most == 2 ? (std::vector<std::string_view>{"z", "w", "y"})
                               : (std::vector<std::string_view>{"z", "w", "x", "y"}));
  }
}

/// Every other record of a group, and none of groups with odd keys.
struct every_other {
  std::vector<sold> operator()(std::int64_t shop, std::span<const sold> rows) const {
    std::vector<sold> made;
    for (std::size_t i = 0; shop % 2 == 0 && i < rows.size(); i += 2) made.push_back(rows[i]);
    return made;
  }
};

TEST(flat_map_groups, yields_all_records_of_ranges_in_order) {
  random random(113);
  for (const std::int64_t shops : {2, 900})
    for (const std::int64_t n : {0, 1, 4097, up_to(65'537)}) {
      const auto rows = sold_rows(random, n, shops);
      std::map<std::int64_t, std::vector<sold>> groups;
      for (const auto& one : rows) groups[one.shop].push_back(one);
      std::vector<sold> expected;
      std::vector<std::int64_t> expected_numbers;
      for (const auto& [shop, of] : groups) {
        for (const auto& one : every_other()(shop, of)) expected.push_back(one);
        for (const auto& one : of) expected_numbers.push_back(one.row - of.front().row);
      }
      expect_rows(expected, [&](session& s) {
        return s.borrow(rows).group_by(&sold::shop).flat_map_groups(every_other());
      });
      expect_rows(expected, [&](session& s) {
        return s.borrow(rows).group_by(&sold::shop, domain{1000}).flat_map_groups(every_other());
      });
      expect_rows(expected_numbers, [&](session& s) {
        return s.borrow(rows)
            .group_by(&sold::shop)
            .flat_map_groups(
                [](std::int64_t, std::span<const std::int64_t> numbers) {
                  std::vector<std::int64_t> made;
                  for (const auto row : numbers) made.push_back(row - numbers.front());
                  return made;
                },
                &sold::row);
      });
    }
}

TEST(flat_map_groups, takes_ranges_of_unknown_length) {
  session s;
  const auto got = s.range(0, 20)
                       .group_by([](int x) { return x % 3; })
                       .flat_map_groups([](int, std::span<const int> xs) {
                         return xs | std::views::filter([](int x) { return x > 12; });
                       })
                       .collect()
                       .to_vector();
  EXPECT_EQ(got, (std::vector{15, 18, 13, 16, 19, 14, 17}));
}

}  // namespace
}  // namespace pappus::group_choice_tests
