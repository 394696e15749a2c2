// Rows that are kept together with the text they point to.
#include "base/text_heap.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/rows_in.h"
#include "memory/store.h"
#include "support/spill_folder.h"
#include "support/test_workers.h"

namespace pappus::text_heap {
namespace {

using base::text_index;
using memory::pool;
using memory::store;
using testing::spill_folder;
using testing::test_workers;

constexpr std::size_t mib = std::size_t{1} << 20;

struct person {
  std::int32_t id;
  std::string_view name, city;
};

/// Texts that records can point to.
struct texts {
  std::vector<std::string> names, cities;
  texts(std::int64_t n, std::size_t longest, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 7; ++i) cities.push_back("city number " + std::to_string(i));
    cities.emplace_back();
    for (std::int64_t i = 0; i < n; ++i)
      names.push_back(std::string(random() % (longest + 1), static_cast<char>('a' + i % 26)));
  }
  person of(std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return {static_cast<std::int32_t>(row), names[i], cities[i * 31 % cities.size()]};
  }
};

struct machine {
  spill_folder folder;
  std::shared_ptr<pool> memory;
  std::shared_ptr<store> rows;
  explicit machine(std::size_t limit, std::string io = "")
      : memory(std::make_shared<pool>(limit)),
        rows(store::make(memory, {false, folder.path(), 0, std::move(io)})) {}

  std::shared_ptr<detail::row_set> make(const texts& from) {
    auto set = std::make_shared<detail::row_set>(detail::record_type_of<person>());
    set->keep(memory);
    const auto n = static_cast<std::int64_t>(from.names.size());
    detail::buffer buffer(*memory, from.names.size() * sizeof(person), "make");
    for (std::int64_t i = 0; i < n; ++i) new (buffer.as<person>() + i) person(from.of(i));
    algorithms::append_buffer(*set, std::move(buffer), n);
    return set;
  }
  void take_it_all() { detail::buffer(*memory, memory->limit() - 2 * mib, "all"); }
};

/// Whether these are the records from row `first` on, with text in [begin, end).
::testing::AssertionResult right(const person* found, std::int64_t n, const texts& expected,
                                 std::int64_t first, const std::byte* begin, const std::byte* end) {
  const auto within = [&](std::string_view text) {
    const auto* at = reinterpret_cast<const std::byte*>(text.data());
    return text.empty() || (begin <= at && at + text.size() <= end);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const auto wanted = expected.of(first + i);
    if (found[i].id != wanted.id || found[i].name != wanted.name || found[i].city != wanted.city)
      return ::testing::AssertionFailure() << "row " << first + i;
    if (!within(found[i].name) || !within(found[i].city))
      return ::testing::AssertionFailure() << "row " << first + i << " points elsewhere";
  }
  return ::testing::AssertionSuccess();
}

TEST(text_heap, has_the_text_of_any_stretch_of_rows_in_one_place) {
  test_workers team(3);
  std::mt19937_64 random(5);
  const auto source = std::make_shared<pool>(64 * mib);
  for (const std::int64_t n : {0, 1, 2, 63, 1'000, 40'001}) {
    for (const std::size_t longest : {0, 3, 40, n < 100 ? 70'000 : 200}) {
      SCOPED_TRACE(std::to_string(n) + " rows, up to " + std::to_string(longest) + " bytes");
      const texts all(n, longest, 9);
      std::vector<person> rows;
      for (std::int64_t i = 0; i < n; ++i) rows.push_back(all.of(i));
      text_index index(detail::record_type_of<person>());
      const auto heap =
          index.copy_text(reinterpret_cast<std::byte*>(rows.data()), n, *source, team, "test");
      ASSERT_EQ(heap.size(), index.bytes());
      ASSERT_EQ(index.of(0, n).bytes(), index.bytes());
      for (int k = 0; k < 40; ++k) {
        const auto first = static_cast<std::int64_t>(random() % (n + 1));
        const auto count = static_cast<std::int64_t>(random() % (n - first + 1));
        const auto there = index.of(first, count);
        ASSERT_LE(there.end, heap.size());
        ASSERT_TRUE(right(rows.data() + first, count, all, first, heap.data() + there.begin,
                          heap.data() + there.end));
      }
    }
  }
}

TEST(text_heap, has_text_once_that_neighbours_share) {
  test_workers team(2);
  const auto source = std::make_shared<pool>(64 * mib);
  const std::string all(400, 'x');
  for (std::size_t at = 0; at < 300; ++at) {  // wherever it lies, beside text that is empty
    const auto city = std::string_view(all).substr(at, 100);
    std::vector<person> rows(2000, person{1, {}, city});
    text_index index(detail::record_type_of<person>());
    const auto heap =
        index.copy_text(reinterpret_cast<std::byte*>(rows.data()), 2000, *source, team, "test");
    ASSERT_LT(heap.size(), 2000u * 100 / 20) << at;
    for (const auto& one : rows) ASSERT_EQ(one.city, city);
  }
}

TEST(text_heap, goes_to_the_disk_with_its_rows_and_comes_back) {
  machine m(16 * mib);
  test_workers team(2);
  auto all = std::make_unique<texts>(50'000, 60, 1);
  const texts expected(50'000, 60, 1);
  const auto kept = m.rows->keep_with_text(m.make(*all), team, "test");
  all.reset();  // nothing points to it any more
  for (int round = 0; round < 3; ++round) {
    m.take_it_all();
    ASSERT_EQ(kept->in_memory(), nullptr);
    const auto rows = kept->wake("test");
    ASSERT_EQ(rows->rows(), 50'000);
    const auto* const found = reinterpret_cast<const person*>(rows->data());
    EXPECT_TRUE(right(found, 50'000, expected, 0, nullptr,
                      reinterpret_cast<const std::byte*>(UINTPTR_MAX)));
  }
  EXPECT_LT(m.rows->spilled_bytes(), 50'000 * (sizeof(person) + 60));  // once, shared text once
}

TEST(text_heap, stays_as_long_as_somebody_has_what_owns_it) {
  machine m(16 * mib);
  test_workers team(2);
  const texts all(50'000, 60, 1);
  const auto kept = m.rows->keep_with_text(m.make(all), team, "test");
  person last{};
  detail::row_set owners(detail::record_type_of<person>());
  {
    const auto rows = kept->in_memory();
    owners.keep_owners_of(*rows);
    last = reinterpret_cast<const person*>(rows->data())[49'999];
  }
  EXPECT_THROW(m.take_it_all(), memory_error);
  EXPECT_EQ(last.name, all.of(49'999).name);
  owners = detail::row_set(detail::record_type_of<person>());
  m.take_it_all();
  EXPECT_EQ(kept->in_memory(), nullptr);
}

TEST(text_heap, is_read_in_parts_from_wherever_it_is) {
  machine m(24 * mib);
  test_workers team(3);
  const texts all(60'000, 50, 3);
  const auto kept = m.rows->keep_with_text(m.make(all), team, "test");
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    if (round % 20 == 10) m.take_it_all();
    if (round % 20 == 19) kept->wake("test");  // it lies elsewhere now
    std::vector<graph::row_store::copy> parts;
    std::vector<std::vector<person>> records;
    std::vector<std::vector<std::byte>> text;
    for (int k = 0; k < 3; ++k) {
      const auto first = static_cast<std::int64_t>(random() % 60'001);
      const auto n = static_cast<std::int64_t>(
          random() % std::min<std::size_t>(static_cast<std::size_t>(60'001 - first), 9'000));
      records.emplace_back(static_cast<std::size_t>(n));
      text.emplace_back(kept->text_bytes(first, n));
      parts.push_back({kept, first, n, reinterpret_cast<std::byte*>(records.back().data()),
                       text.back().data()});
    }
    if (round % 2 == 0)
      m.rows->read(parts, team, "test");
    else
      m.rows->read_beside(parts, team, "test").get();
    for (std::size_t k = 0; k < parts.size(); ++k)
      ASSERT_TRUE(right(records[k].data(), parts[k].rows, all, parts[k].first, text[k].data(),
                        text[k].data() + text[k].size()))
          << "round " << round;
  }
}

TEST(text_heap, that_changed_on_the_disk_is_an_error) {
  machine m(16 * mib, "faulty:seed=3+flip=1");
  test_workers team(2);
  const texts all(50'000, 60, 1);
  const auto kept = m.rows->keep_with_text(m.make(all), team, "test");
  m.take_it_all();
  ASSERT_EQ(kept->in_memory(), nullptr);
  EXPECT_THROW(kept->wake("test"), spill_error);
  EXPECT_TRUE(kept->lost());
}

TEST(text_heap, of_few_rows_stays_in_memory) {
  machine m(16 * mib);
  test_workers team(2);
  auto all = std::make_unique<texts>(100, 60, 1);
  const texts expected(100, 60, 1);
  const auto kept = m.rows->keep_with_text(m.make(*all), team, "test");
  all.reset();
  m.take_it_all();
  const auto rows = kept->in_memory();
  ASSERT_NE(rows, nullptr);
  EXPECT_TRUE(right(reinterpret_cast<const person*>(rows->data()), 100, expected, 0, nullptr,
                    reinterpret_cast<const std::byte*>(UINTPTR_MAX)));
  EXPECT_EQ(m.rows->spilled_bytes(), 0u);
}

}  // namespace
}  // namespace pappus::text_heap
