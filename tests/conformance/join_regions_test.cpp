// Joins with a large index before reducers that take records in any order: the same result as the
// pairs in order give.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"
#include "cpu_ops/fold_join.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* in_order_of_index = "left records in the order of the join's index";

/// What a stage is reduced to: everything that doesn't depend on order.
struct tally {
  static constexpr bool commutative = true;
  std::int64_t n = 0;
  std::uint64_t sum = 0, mixed = 0;
  void accumulate(std::uint64_t x) {
    ++n;
    sum += x;
    mixed ^= x * 0x9e3779b97f4a7c15u;
  }
  void merge(const tally& other) {
    n += other.n;
    sum += other.sum;
    mixed ^= other.mixed;
  }
  bool operator==(const tally&) const = default;
};
void PrintTo(const tally& t, std::ostream* out) { *out << t.n << " records, sum " << t.sum; }

template <typename Key>
struct item {
  Key key;
  std::uint32_t value;
};

template <typename Key>
Key key_of(std::int64_t number) {
  const auto spread = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u;
  if constexpr (sizeof(Key) == 16)
    return {static_cast<std::int64_t>(spread), number};
  else
    return static_cast<Key>(spread >> (64 - 8 * sizeof(Key)));
}
template <typename Key>
std::uint64_t bits_of(const Key& key) {
  if constexpr (sizeof(Key) == 16)
    return static_cast<std::uint64_t>(key.first);
  else
    return static_cast<std::uint64_t>(key);
}

/// \param repeated  of right's rows one in so many has the key of another; 0: none
/// \param hot       the part of left records that have one key
template <typename Key>
struct sides {
  std::vector<item<Key>> left, right;

  sides(std::int64_t left_rows, std::int64_t right_rows, std::int64_t repeated, double hot) {
    random r(static_cast<std::uint32_t>(left_rows + repeated));
    for (std::int64_t i = 0; i < right_rows; ++i) {
      const bool again = repeated != 0 && i % repeated == 1;
      right.push_back({key_of<Key>(again ? i / 2 : i), static_cast<std::uint32_t>(i)});
    }
    for (std::int64_t i = 0; i < left_rows; ++i) {
      const bool is_hot = static_cast<double>(r.between(0, 999)) < 1000 * hot;
      const auto number = is_hot ? 7 : r.between(0, right_rows * 5 / 4);
      left.push_back({key_of<Key>(number), static_cast<std::uint32_t>(i)});
    }
  }

  std::unordered_map<std::uint64_t, std::vector<item<Key>>> right_by_key() const {
    std::unordered_map<std::uint64_t, std::vector<item<Key>>> rows;
    for (const auto& row : right) rows[bits_of(row.key)].push_back(row);
    return rows;
  }
};

std::uint64_t pair_value(std::uint64_t left, std::uint64_t right) {
  return left * 1'000'003 + right;
}

/// What each kind of join gives, its pairs taken one after the other.
template <typename Key>
std::array<tally, 4> expected(const sides<Key>& of) {
  const auto rows = of.right_by_key();
  std::array<tally, 4> all;
  for (const auto& left : of.left) {
    const auto found = rows.find(bits_of(left.key));
    all[found == rows.end() ? 3 : 2].accumulate(left.value);
    if (found == rows.end()) {
      all[1].accumulate(pair_value(left.value, 99));
      continue;
    }
    for (const auto& right : found->second) {
      all[0].accumulate(pair_value(left.value, right.value));
      all[1].accumulate(pair_value(left.value, right.value));
    }
  }
  return all;
}

template <typename Key>
std::array<tally, 4> joined_by(session& s, const sides<Key>& of) {
  using row = item<Key>;
  const auto left = s.from(of.left), right = s.from(of.right);
  const auto value = [](const row& r) -> std::uint64_t { return r.value; };
  return {left.join(right, &row::key, &row::key,
                    [](const row& a, const row& b) { return pair_value(a.value, b.value); })
              .template reduce<tally>()
              .get(),
          left.left_join(right, &row::key, &row::key,
                         [](const row& a, const row* b) {
                           return pair_value(a.value, b == nullptr ? 99 : b->value);
                         })
              .template reduce<tally>()
              .get(),
          left.semi_join(right, &row::key, &row::key).map(value).template reduce<tally>().get(),
          left.anti_join(right, &row::key, &row::key).map(value).template reduce<tally>().get()};
}

template <typename Key>
void expect_same(const sides<Key>& of) {
  const auto wanted = expected(of);
  for (const unsigned threads : {1u, 2u, 8u}) {
    SCOPED_TRACE(threads);
    session s(options{.threads = threads});
    EXPECT_EQ(joined_by(s, of), wanted);
  }
}

/// With indexes of 4 MiB, for large ones take long to make.
class join_regions : public ::testing::Test {
 protected:
  void SetUp() override { cpu_ops::ordered_index_bytes = std::size_t{4} << 20; }
  void TearDown() override { cpu_ops::ordered_index_bytes = usual_; }

 private:
  const std::size_t usual_ = cpu_ops::ordered_index_bytes;
};

using wide = pair<std::int64_t, std::int64_t>;

TEST_F(join_regions, reduce_to_what_the_pairs_in_order_give) {
  for (const std::int64_t repeated : {0, 3}) {
    SCOPED_TRACE(repeated);
    expect_same(sides<std::uint32_t>(500'001, 260'000, repeated, 0));
    expect_same(sides<std::int64_t>(400'003, 170'000, repeated, 0));
    expect_same(sides<wide>(300'000, 120'000, repeated, 0));
  }
}

TEST_F(join_regions, of_one_hot_key) {
  expect_same(sides<std::int64_t>(400'000, 170'000, 0, 0.9));
  expect_same(sides<std::int64_t>(400'000, 170'000, 0, 1));
}

TEST_F(join_regions, around_the_size_from_which_they_are_used) {
  for (const std::int64_t right : {130'000, 131'072, 131'100, 140'000})
    for (const std::int64_t left : {right - 1, right, 2 * right}) {
      SCOPED_TRACE(right);
      expect_same(sides<std::int64_t>(left, right, 0, 0));
    }
}

struct left_and_right {
  sides<std::int64_t> of{400'000, 170'000, 0, 0};
  session s{options{.threads = 2}};
  collection<item<std::int64_t>> left = s.from(of.left), right = s.from(of.right);

  auto joined() {
    return left.join(right, &item<std::int64_t>::key, &item<std::int64_t>::key,
                     [](const auto& a, const auto& b) { return pair_value(a.value, b.value); });
  }
};

TEST_F(join_regions, are_told_about) {
  left_and_right sides;
  EXPECT_THAT(sides.joined().reduce<tally>().explain_analyze(), HasSubstr(in_order_of_index));
  EXPECT_THAT(sides.joined().count().explain_analyze(), HasSubstr(in_order_of_index));
  // The order of float sums, and of the first of equals, matters.
  const auto as_double = [](std::uint64_t x) { return static_cast<double>(x); };
  EXPECT_THAT(sides.joined().map(as_double).sum().explain_analyze(),
              Not(HasSubstr(in_order_of_index)));
  EXPECT_THAT(sides.joined().map(as_double).max().explain_analyze(),
              Not(HasSubstr(in_order_of_index)));
}

TEST_F(join_regions, keep_what_comes_before_and_behind_a_join) {
  left_and_right sides;
  using row = item<std::int64_t>;
  std::uint32_t least = 0;
  for (const std::uint32_t part : {8u, 9u}) least += part;
  const auto got =
      sides.left.filter([least](const row& r) { return r.value % 3 != 0 && r.value > least; })
          .map([](const row& r) { return pair<row, int>{r, int(r.value % 5)}; })
          .join(
              sides.right, [](const auto& r) { return r.first.key; }, &row::key,
              [](const auto& a, const row& b) {
                return pair<std::uint64_t, int>{b.value, a.second};
              })
          .filter([](const auto& p) { return p.second != 1; })
          .flat_map(
              [](const auto& p) { return std::array<std::uint64_t, 2>{p.first + p.second, 1}; })
          .reduce<tally>();
  EXPECT_THAT(got.explain_analyze(), HasSubstr(in_order_of_index));
  tally wanted;
  const auto rows = sides.of.right_by_key();
  for (const auto& r : sides.of.left) {
    if (r.value % 3 == 0 || r.value <= least || r.value % 5 == 1) continue;
    if (const auto found = rows.find(bits_of(r.key)); found != rows.end()) {
      wanted.accumulate(found->second.front().value + r.value % 5);
      wanted.accumulate(1);
    }
  }
  EXPECT_EQ(got.get(), wanted);
}

TEST_F(join_regions, of_two_joins_are_those_of_the_last) {
  left_and_right sides;
  using row = item<std::int64_t>;
  const auto twice =
      sides.left
          .join(sides.right, &row::key, &row::key,
                [](const row& a, const row& b) { return row{a.key, a.value ^ b.value}; })
          .join(sides.right, &row::key, &row::key,
                [](const row& a, const row& b) { return pair_value(a.value, b.value); })
          .reduce<tally>();
  EXPECT_THAT(twice.explain_analyze(), HasSubstr(in_order_of_index));
  tally wanted;
  const auto rows = sides.of.right_by_key();
  for (const auto& r : sides.of.left)
    if (const auto found = rows.find(bits_of(r.key)); found != rows.end())
      wanted.accumulate(
          pair_value(r.value ^ found->second.front().value, found->second.front().value));
  EXPECT_EQ(twice.get(), wanted);
}

TEST_F(join_regions, name_the_row_whose_function_throws) {
  left_and_right sides;
  using row = item<std::int64_t>;
  const auto refuse = [](const row& r) {
    if (r.value == 234'567) throw std::out_of_range("no room");
    return r;
  };
  try {
    sides.left.map(refuse)
        .join(sides.right, &row::key, &row::key,
              [](const row& a, const row& b) { return pair_value(a.value, b.value); })
        .reduce<tally>()
        .get();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::out_of_range& e) {
    EXPECT_THAT(e.what(), HasSubstr("no room; thrown in map"));
    EXPECT_THAT(e.what(), HasSubstr("row 234567"));
  }
}

TEST_F(join_regions, take_files_in_windows_and_little_memory) {
  const sides<std::int64_t> of(1'500'000, 140'000, 0, 0);
  using row = item<std::int64_t>;
  const auto path = (std::filesystem::temp_directory_path() /
                     ("pappus-join-regions-" + std::to_string(::getpid()) + ".raw"))
                        .string();
  {
    session s;
    s.from(of.left).write(path);
  }
  const auto wanted = expected(of)[0];
  for (const std::size_t mebibytes : {1024, 40, 30, 24, 20}) {
    SCOPED_TRACE(mebibytes);
    session s(options{.threads = 2, .host_memory = mebibytes << 20});
    EXPECT_EQ(s.raw<row>(path)
                  .join(s.borrow(of.right), &row::key, &row::key,
                        [](const row& a, const row& b) { return pair_value(a.value, b.value); })
                  .reduce<tally>()
                  .get(),
              wanted);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pappus::testing
