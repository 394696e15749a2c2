// Records whose type asks for more than a cache line lie where it wants them.
#include <atomic>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

template <std::size_t Align>
struct alignas(Align) wide_record {
  int key;
  int number;
};

static_assert(detail::record<wide_record<4096>> && !detail::record<wide_record<8192>>);

std::atomic<int> misplaced{0};

template <typename T>
bool is_misplaced(const T& record) {
  auto address = reinterpret_cast<std::uintptr_t>(&record);
  asm("" : "+r"(address));  // compilers take a reference's alignment for granted
  return address % alignof(T) != 0;
}
template <typename... T>
void look_at_records(const T&... records) {
  misplaced += (0 + ... + (is_misplaced(records) ? 1 : 0));
}

/// A reducer whose states are aligned as records are.
template <typename T>
struct last_record {
  T last{};
  void accumulate(const T& record) {
    look_at_records(*this, record);
    last = record;
  }
  void merge(const last_record& later) {
    look_at_records(*this, later);
    last = later.last;
  }
  T finalize() const {
    look_at_records(*this);
    return last;
  }
};

template <typename T>
class aligned_records : public ::testing::Test {
 protected:
  /// Looks at records where a query finds them, and at the rows that it hands back.
  template <typename Query>
  static void look_at(const Query& query) {
    query
        .map([](const T& record) {
          look_at_records(record);
          return record.number;
        })
        .sum()
        .get();
    const auto rows = query.collect();
    for (const T& record : rows) look_at_records(record);
  }
  static std::vector<T> rows(std::size_t n) {
    std::vector<T> made(n);
    for (std::size_t i = 0; i < n; ++i) made[i] = {static_cast<int>(i % 7), static_cast<int>(i)};
    return made;
  }
  static bool is_even(const T& record) { return record.number % 2 == 0; }
};

using records_of_all_sizes = ::testing::Types<wide_record<16>, wide_record<128>, wide_record<256>,
                                              wide_record<1024>, wide_record<4096>>;
TYPED_TEST_SUITE(aligned_records, records_of_all_sizes);

TYPED_TEST(aligned_records, lie_as_their_type_says) {
  for (const std::size_t n : {1, 3, 5, 40, 300}) {
    SCOPED_TRACE(n);
    session s(options{.threads = 2, .devices = "cpu"});
    const auto all = s.from(this->rows(n));
    const auto even = TestFixture::is_even;
    const auto twice = [](const TypeParam& r) { return std::array{r, r}; };
    const auto first = [](const TypeParam& r, const TypeParam&) { return r; };
    this->look_at(all);
    this->look_at(all.materialise());
    this->look_at(all.filter(even).materialise());
    this->look_at(all.flat_map(twice).materialise());
    this->look_at(all.sort_by(&TypeParam::key));
    this->look_at(all.top(3, &TypeParam::number));
    this->look_at(all.take(2));
    this->look_at(all.concat(all));
    this->look_at(all.join(all, &TypeParam::key, &TypeParam::key, first).materialise());
    this->look_at(all.group_by(&TypeParam::key).first().values());
    this->look_at(all.inclusive_scan(first));
    EXPECT_EQ(misplaced.exchange(0), 0);
  }
}

TYPED_TEST(aligned_records, are_so_in_reducers_and_groups) {
  using last = last_record<TypeParam>;
  for (const bool slow : {false, true})
    for (const std::size_t n : {1, 3, 40, 300}) {
      SCOPED_TRACE(::testing::Message() << n << (slow ? " slow rows" : " rows"));
      const pretended_time pretending(slow ? now_and_then_slow : nullptr);
      session s(options{.threads = 2, .devices = "cpu"});
      const auto all = s.from(this->rows(n));
      const auto even = all.filter(TestFixture::is_even);
      const auto number = [](const TypeParam& r) {
        return std::string_view("0123456").substr(static_cast<std::size_t>(r.key), 1);
      };
      look_at_records(all.template reduce<last>().get(), even.template reduce<last>().get());
      const auto by_key = even.group_by(&TypeParam::key);
      this->look_at(all.group_by(&TypeParam::key).template reduce<last>().values());
      this->look_at(by_key.template reduce<last>().values());
      this->look_at(even.group_by(&TypeParam::key, domain{7}).template reduce<last>().values());
      this->look_at(
          even.group_by(&TypeParam::number, domain{2000}).template reduce<last>().values());
      if (sizeof(TypeParam) <= 256)  // what is expected takes memory
        this->look_at(by_key.expect(1 << 16).template reduce<last>().values());
      this->look_at(even.group_by(number).template reduce<last>().values());
      this->look_at(
          all.group_by(&TypeParam::key).map_groups([](int, std::span<const TypeParam> group) {
            for (const auto& record : group) look_at_records(record);
            return group.back();
          }));
      EXPECT_EQ(misplaced.exchange(0), 0);
    }
}

TYPED_TEST(aligned_records, are_so_in_partitions_and_loops) {
  for (const std::size_t n : {1, 3, 40, 300}) {
    SCOPED_TRACE(n);
    session s(options{.threads = 2, .chunk_rows = 7, .devices = "cpu"});
    const auto all = s.from(this->rows(n));
    const auto even = all.filter(TestFixture::is_even);
    const auto twice = [](std::span<const TypeParam> part) {
      for (const auto& record : part) look_at_records(record);
      std::vector<TypeParam> rows(part.begin(), part.end());
      rows.insert(rows.end(), part.begin(), part.end());
      return rows;
    };
    this->look_at(all.apply(twice, pieces{3}));
    this->look_at(even.apply(twice, pieces{3}));
    this->look_at(even.apply(twice, hash_by(&TypeParam::key, 5)));
    this->look_at(even.apply(twice, range_by(&TypeParam::number, 5)));
    this->look_at(all.partition(hash_by(&TypeParam::key, 5)));
    const auto next = [](const TypeParam& r) {
      look_at_records(r);
      return TypeParam{r.key, r.number + 1};
    };
    const auto few = [](std::span<const TypeParam> before, std::span<const TypeParam> after) {
      look_at_records(before[0], after[0]);
      return after[0].number < 3;
    };
    this->look_at(
        s.do_while(even, [&](const collection<TypeParam>& rows) { return rows.map(next); }, few));
    EXPECT_EQ(misplaced.exchange(0), 0);
  }
}

}  // namespace
}  // namespace pappus::testing
