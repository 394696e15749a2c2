// Sources and element-wise operators against loops over std::vector.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <string_view>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

struct sensed {
  std::int64_t at;
  double value;
  std::int32_t sensor;
  std::uint16_t flags;
  std::uint16_t unused;

  double scaled() const { return value * sensor; }
};

std::vector<sensed> sensed_rows(random& r, std::int64_t n) {
  std::vector<sensed> rows(static_cast<std::size_t>(n));
  for (auto& row : rows)
    row = {r.between(-1'000'000'000'000, 1'000'000'000'000), r.real(-1, 1),
           static_cast<std::int32_t>(r.between(0, 9)),
           static_cast<std::uint16_t>(r.between(0, 65'535)), 0};
  return rows;
}

int tripled(const int& x) { return 3 * x; }

template <typename I>
std::vector<I> counting(I begin, std::int64_t n) {
  std::vector<I> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

template <typename I>
class range_of : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(range_of, integers);

TYPED_TEST(range_of, reaches_both_ends_of_its_type) {
  using I = TypeParam;
  constexpr I lowest = std::numeric_limits<I>::min(), highest = std::numeric_limits<I>::max();
  const auto n = static_cast<I>(100);
  expect_rows<I>(counting<I>(lowest, 100),
                 [&](session& s) { return s.range(lowest, static_cast<I>(lowest + n)); });
  expect_rows<I>(counting<I>(static_cast<I>(highest - n), 100),
                 [&](session& s) { return s.range(static_cast<I>(highest - n), highest); });
}

TEST(range, has_no_rows_when_it_ends_before_it_begins) {
  expect_rows<int>({}, [](session& s) { return s.range(5, 5); });
  expect_rows<int>({}, [](session& s) { return s.range(5, -5); });
  expect_rows<unsigned>({}, [](session& s) { return s.range(1u, 0u); });
}

TEST(range, counts_on_when_the_row_number_exceeds_its_type) {
  session s(options{.threads = 2});
  // 4e9 rows of int: row numbers beyond 2^31 still give the right integers.
  const auto rows = s.range(-2'000'000'000, 2'000'000'000);
  const auto last = rows.zip(s.range(std::int64_t{0}, std::int64_t{1} << 40))
                        .filter([](const pair<int, std::int64_t>& row) {
                          return row.first != row.second - 2'000'000'000;
                        });
  EXPECT_EQ(last.count().get(), 0);
}

TEST(range, refuses_more_rows_than_64_bits_can_count) {
  session s(options{.threads = 1});
  try {
    s.range(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    FAIL() << "accepted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "range: expected at most 9223372036854775807 integers, got 18446744073709551615; "
                 "split the range");
  }
  EXPECT_THROW(s.range(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()), usage_error);
}

TEST(range, has_the_type_that_both_ends_have_in_common) {
  session s(options{.threads = 2});
  const auto beyond_int = s.range(2'147'483'646, 2'147'483'650);
  static_assert(std::is_same_v<decltype(beyond_int)::value_type, std::int64_t>);
  EXPECT_EQ(beyond_int.collect().to_vector(), counting<std::int64_t>(2'147'483'646, 4));
  EXPECT_EQ(s.range(0, 3'000'000'000).count().get(), 3'000'000'000);
  EXPECT_EQ(s.range(0, std::size_t{3}).collect().to_vector(), counting<std::size_t>(0, 3));
}

TEST(range, refuses_negative_ends_of_unsigned_integers) {
  session s(options{.threads = 1});
  try {
    s.range(-1, 10u);
    FAIL() << "accepted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "range: expected ends of the type that both have in common, unsigned int, got -1 "
                 "and 10; convert one of them");
  }
  EXPECT_THROW(s.range(std::uint64_t{0}, -1), usage_error);
}

TEST(from, copies_what_it_is_given) {
  session s(options{.threads = 2});
  std::vector<int> rows{1, 2, 3};
  const auto copied = s.from(rows);
  rows[1] = 99;
  EXPECT_EQ(copied.collect().to_vector(), (std::vector{1, 2, 3}));
}

TEST(from, takes_spans_arrays_and_empty_vectors) {
  session s(options{.threads = 2});
  const std::array<short, 3> rows{7, 8, 9};
  EXPECT_EQ(s.from(rows).collect().to_vector(), (std::vector<short>{7, 8, 9}));
  EXPECT_EQ(s.from(std::span(rows).subspan(1)).collect().to_vector(), (std::vector<short>{8, 9}));
  EXPECT_TRUE(s.from(std::vector<sensed>{}).collect().empty());
}

TEST(from, takes_a_list) {
  session s(options{.threads = 2});
  EXPECT_EQ(s.from({3, 1, 2}).collect().to_vector(), (std::vector{3, 1, 2}));
}

TEST(borrow, uses_rows_in_place) {
  session s(options{.threads = 2});
  std::vector<int> rows{1, 2, 3};
  const auto used = s.borrow(rows);
  const auto doubled = used.map([](int x) { return 2 * x; });
  EXPECT_EQ(used.collect().data(), rows.data());
  rows[1] = 50;
  EXPECT_EQ(doubled.collect().to_vector(), (std::vector{2, 100, 6}));
}

TEST(map, applies_a_function_to_each_record_in_order) {
  random r(1);
  for (const auto n : sizes()) {
    const auto rows = r.ints(n, -1000, 1000);
    std::vector<double> expected;
    for (const int x : rows) expected.push_back(x * 0.5 - 1);
    expect_rows<double>(
        expected, [&](session& s) { return s.from(rows).map([](int x) { return x * 0.5 - 1; }); });
  }
}

TEST(map, takes_member_pointers_member_functions_and_named_functions) {
  random r(2);
  const auto rows = sensed_rows(r, 10'000);
  std::vector<double> values, scaled;
  for (const auto& row : rows) {
    values.push_back(row.value);
    scaled.push_back(row.scaled());
  }
  expect_rows<double>(values, [&](session& s) { return s.borrow(rows).map(&sensed::value); });
  expect_rows<double>(scaled, [&](session& s) { return s.borrow(rows).map(&sensed::scaled); });
  std::vector<int> threes = counting<int>(0, 5000);
  for (int& x : threes) x *= 3;
  expect_rows<int>(threes, [](session& s) { return s.range(0, 5000).map(fn<tripled>); });
  expect_rows<int>(threes, [](session& s) { return s.range(0, 5000).map(&tripled); });
}

TEST(map, keeps_captures_that_are_costly_to_copy) {
  std::vector<int> table(1000);
  for (int i = 0; i < 1000; ++i) table[static_cast<std::size_t>(i)] = i * i;
  std::vector<int> expected;
  for (int i = 0; i < 20'000; ++i) expected.push_back(table[static_cast<std::size_t>(i % 1000)]);
  expect_rows<int>(expected, [&](session& s) {
    return s.range(0, 20'000).map(
        [table](int i) { return table[static_cast<std::size_t>(i % 1000)]; });
  });
}

TEST(filter, keeps_matching_records_in_order) {
  random r(3);
  for (const auto n : sizes()) {
    const auto rows = r.ints(n, -1000, 1000);
    std::vector<int> expected;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(expected),
                 [](int x) { return x % 3 == 0; });
    expect_rows<int>(expected, [&](session& s) {
      return s.borrow(rows).filter([](int x) { return x % 3 == 0; });
    });
  }
}

TEST(filter, may_keep_all_or_none) {
  const auto rows = counting<std::int64_t>(0, up_to(100'000));
  expect_rows<std::int64_t>(
      rows, [&](session& s) { return s.borrow(rows).filter([](std::int64_t) { return true; }); });
  expect_rows<std::int64_t>(
      {}, [&](session& s) { return s.borrow(rows).filter([](std::int64_t) { return false; }); });
}

TEST(filter, moves_all_fields_of_a_record) {
  random r(4);
  const auto rows = sensed_rows(r, up_to(70'000));
  std::vector<sensed> expected;
  for (const auto& row : rows)
    if (row.sensor == 4 && row.value > 0) expected.push_back(row);
  expect_rows<sensed>(expected, [&](session& s) {
    return s.from(rows)
        .filter([](const sensed& row) { return row.sensor == 4; })
        .filter([](const sensed& row) { return row.value > 0; });
  });
}

TEST(filter, keeps_nan_and_both_zeros_as_they_are) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> rows{0.0, -0.0, nan, -nan, 1, std::numeric_limits<double>::infinity()};
  expect_rows<double>(rows, [&](session& s) {
    return s.borrow(rows).filter([](double x) { return x != 1 || x == 1; });
  });
  expect_rows<double>({0.0, -0.0, nan, -nan, rows[5]}, [&](session& s) {
    return s.borrow(rows).filter([](double x) { return x != 1; });
  });
}

TEST(flat_map, puts_the_elements_of_each_range_in_row_order) {
  for (const std::int64_t n : {0, 1, 2, 4095, 4097, 40'000}) {
    std::vector<int> expected;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i % 5; ++j) expected.push_back(i * 10 + j);
    expect_rows<int>(expected, [&](session& s) {
      return s.range(0, static_cast<int>(n)).flat_map([](int i) {
        std::vector<int> elements;
        for (int j = 0; j < i % 5; ++j) elements.push_back(i * 10 + j);
        return elements;
      });
    });
  }
}

TEST(flat_map, yields_far_more_records_than_it_reads) {
  const auto n = up_to(1'000'000, 600);
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < n; ++j) expected.push_back(i + j);
  expect_rows<std::int64_t>(expected, [n](session& s) {
    return s.range(0, 3).flat_map(
        [n](int i) { return std::views::iota(std::int64_t{i}, std::int64_t{i} + n); });
  });
}

TEST(flat_map, feeds_further_operators) {
  const auto n = up_to(30'000);
  std::vector<double> expected;
  for (int i = 0; i < n; ++i)
    for (const int x : {i, -i, i + 1})
      if (x % 2 == 0) expected.push_back(x / 4.0);
  expect_rows<double>(expected, [n](session& s) {
    return s.range(0, 2 * n)
        .filter([n](int i) { return i < n; })
        .flat_map([](int i) { return std::array{i, -i, i + 1}; })
        .filter([](int x) { return x % 2 == 0; })
        .map([](int x) { return x / 4.0; });
  });
}

TEST(flat_map, takes_views_that_can_only_be_iterated_in_a_variable) {
  const std::vector<std::string_view> lines{"to be or", "", "not to be", " "};
  std::vector<std::string_view> words;
  std::vector<char> letters;
  for (const auto line : lines) {
    for (const auto& word : std::views::split(line, ' '))
      words.emplace_back(word.begin(), word.end());
    for (const char c : line)
      if (c != ' ') letters.push_back(c);
  }
  expect_rows<std::string_view>(words, [&](session& s) {
    return s.from(lines)
        .flat_map([](std::string_view line) { return std::views::split(line, ' '); })
        .map([](const auto& word) { return std::string_view(word.begin(), word.end()); });
  });
  expect_rows<char>(letters, [&](session& s) {
    return s.from(lines).flat_map([](std::string_view line) {
      return std::views::filter(line, [](char c) { return c != ' '; });
    });
  });
}

TEST(flat_map, takes_the_values_of_a_vector_of_bool) {
  expect_rows<bool>({false, true, false, true}, [](session& s) {
    return s.range(0, 2).flat_map([](int) { return std::vector<bool>{false, true}; });
  });
}

TEST(zip, pairs_rows_up_to_the_shorter_side) {
  random r(5);
  for (const std::int64_t n : {0, 1, up_to(4096), up_to(70'001)}) {
    const auto left = r.ints(n, 0, 1000);
    const auto right = r.ints(n + 7, -5, 5);
    std::vector<pair<int, int>> expected, swapped;
    for (std::size_t i = 0; i < left.size(); ++i) {
      expected.push_back({left[i], right[i]});
      swapped.push_back({right[i], left[i]});
    }
    expect_rows<pair<int, int>>(expected,
                                [&](session& s) { return s.from(left).zip(s.from(right)); });
    expect_rows<pair<int, int>>(swapped,
                                [&](session& s) { return s.from(right).zip(s.from(left)); });
  }
}

TEST(zip, works_on_sides_whose_rows_lie_in_other_pieces) {
  // The filters leave chunks that end at different rows on both sides.
  const auto n = up_to(50'000);
  std::vector<pair<int, int>> expected;
  std::vector<int> odd, thirds;
  for (int i = 0; i < n; ++i) {
    if (i % 2 == 1) odd.push_back(i);
    if (i % 3 == 0) thirds.push_back(-i);
  }
  for (std::size_t i = 0; i < std::min(odd.size(), thirds.size()); ++i)
    expected.push_back({odd[i], thirds[i]});
  expect_rows<pair<int, int>>(expected, [n](session& s) {
    const auto rows = s.range(0, n);
    const auto left = rows.filter([](int i) { return i % 2 == 1; });
    const auto right = rows.filter([](int i) { return i % 3 == 0; }).map([](int i) { return -i; });
    return left.zip(right);
  });
}

TEST(zip, fuses_chains_on_both_sides_with_their_shared_data) {
  const std::vector<int> tens{10, 20, 30}, ones{1, 2};
  std::vector<pair<int, int>> expected;
  for (int i = 0; i < 9000; ++i)
    expected.push_back(
        {i + tens[static_cast<std::size_t>(i % 3)], 2 * i + ones[static_cast<std::size_t>(i % 2)]});
  expect_rows<pair<int, int>>(expected, [&](session& s) {
    const auto left = s.range(0, 9000).map(
        [](int i, std::span<const int> t) { return i + t[static_cast<std::size_t>(i % 3)]; },
        s.from(tens).shared());
    const auto right =
        s.from(counting<int>(0, 9000))
            .map([](int i) { return 2 * i; })
            .map([](int i,
                    std::span<const int> t) { return i + t[static_cast<std::size_t>(i / 2 % 2)]; },
                 s.from(ones).shared());
    return left.zip(right);
  });
}

TEST(enumerate, numbers_rows_from_zero) {
  random r(6);
  for (const auto n : sizes()) {
    const auto rows = r.ints(n, 0, 9);
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < rows.size(); ++i)
      expected.push_back(static_cast<std::int64_t>(i) * 10 + rows[i]);
    expect_rows<std::int64_t>(expected, [&](session& s) {
      return s.from(rows).enumerate().map(
          [](const indexed<int>& row) { return row.index * 10 + row.value; });
    });
  }
}

TEST(enumerate, numbers_what_a_filter_left) {
  const auto n = up_to(60'000);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i * 7 < n; ++i) expected.push_back(i * 1'000'000 + i * 7);
  expect_rows<std::int64_t>(expected, [n](session& s) {
    return s.range(0, n)
        .filter([](int x) { return x % 7 == 0; })
        .enumerate()
        .map([](const indexed<int>& row) { return row.index * 1'000'000 + row.value; });
  });
}

TEST(shared, hands_whole_collections_to_lambdas) {
  const std::vector<int> limits{100, 200, 40'000};
  std::vector<int> expected;
  const auto n = up_to(50'000);
  for (int i = 0; i < n; ++i)
    if (std::find(limits.begin(), limits.end(), i) != limits.end())
      expected.push_back(i + 3 + limits[0]);
  expect_rows<int>(expected, [&](session& s) {
    const auto shared = s.from(limits).shared();
    return s.range(0, n)
        .filter([](int i,
                   std::span<const int> l) { return std::find(l.begin(), l.end(), i) != l.end(); },
                shared)
        .map([](int i, std::span<const int> l,
                std::span<const int> again) { return i + static_cast<int>(l.size()) + again[0]; },
             shared, shared);
  });
}

TEST(shared, is_contiguous_even_where_its_rows_were_in_pieces) {
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 100; ++i) expected.push_back(i * std::int64_t{500 * 499});
  expect_rows<std::int64_t>(expected, [](session& s) {
    const auto even = s.range(0, 1000).filter([](int x) { return x % 2 == 0; });
    return s.range(0, 100).map(
        [](int i, std::span<const int> rows) {
          return i * std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
        },
        even.shared());
  });
}

TEST(shared, may_be_empty) {
  expect_rows<int>({0, 0}, [](session& s) {
    return s.range(0, 2).map(
        [](int, std::span<const double> none) { return static_cast<int>(none.size()); },
        s.from(std::vector<double>{}).shared());
  });
}

TEST(strings, pass_through_as_fields) {
  struct word {
    std::string_view text;
    std::int64_t length;
  };
  const std::vector<std::string> texts{"", "a", "bb", "a longer one that is on the heap"};
  std::vector<word> rows;
  for (int i = 0; i < 10'000; ++i)
    rows.push_back({texts[static_cast<std::size_t>(i % 4)], static_cast<std::int64_t>(i)});
  std::vector<word> expected;
  for (const auto& row : rows)
    if (row.text.size() == 2) expected.push_back({row.text.substr(1), 2});
  session s(options{.threads = 4, .chunk_rows = 100});
  const auto got = s.from(rows)
                       .filter([](const word& w) { return w.text == "bb"; })
                       .map([](const word& w) {
                         return word{w.text.substr(1), static_cast<std::int64_t>(w.text.size())};
                       })
                       .collect();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].text, expected[i].text);
    EXPECT_EQ(got[i].length, expected[i].length);
  }
}

TEST(collection, ends_fusion_without_changing_rows) {
  const auto n = up_to(30'000);
  std::vector<int> expected;
  for (int i = 0; i < n; ++i)
    if (i % 4 == 0) expected.push_back(2 * i + 1);
  expect_rows<int>(expected, [n](session& s) {
    collection<int> rows = s.range(0, n).filter([](int i) { return i % 4 == 0; });
    rows = rows.map([](int i) { return 2 * i; });
    return rows.map([](int i) { return i + 1; });
  });
}

TEST(collection, can_be_asked_for_its_rows_twice) {
  session s(options{.threads = 2});
  const auto rows = s.range(0, 10).map([](int i) { return i * i; });
  EXPECT_EQ(rows.collect().to_vector(), rows.collect().to_vector());
  EXPECT_EQ(rows.sum().get(), 285);
}

TEST(chain, of_twelve_operators_gives_what_a_loop_gives) {
  const auto n = up_to(100'000);
  std::vector<std::int64_t> expected;
  for (int i = 0; i < n; ++i) {
    std::int64_t x = i;
    x = x * 3 + 1;
    if (x % 2 == 0) continue;
    x -= 5;
    x = x * x % 1009;
    if (x == 7) continue;
    x += i % 2 == 0 ? 1 : 0;
    if (x > 900) continue;
    expected.push_back(x * 11);
  }
  struct step {
    int i;
    std::int64_t x;
  };
  expect_rows<std::int64_t>(expected, [n](session& s) {
    return s.range(0, n)
        .map([](int i) { return step{i, i}; })
        .map([](const step& r) { return step{r.i, r.x * 3}; })
        .map([](const step& r) { return step{r.i, r.x + 1}; })
        .filter([](const step& r) { return r.x % 2 != 0; })
        .map([](const step& r) { return step{r.i, r.x - 5}; })
        .map([](const step& r) { return step{r.i, r.x * r.x}; })
        .map([](const step& r) { return step{r.i, r.x % 1009}; })
        .filter([](const step& r) { return r.x != 7; })
        .map([](const step& r) { return step{r.i, r.x + (r.i % 2 == 0 ? 1 : 0)}; })
        .filter([](const step& r) { return r.x <= 900; })
        .map([](const step& r) { return r.x; })
        .map([](std::int64_t x) { return x * 11; });
  });
}

}  // namespace
}  // namespace pappus::testing
