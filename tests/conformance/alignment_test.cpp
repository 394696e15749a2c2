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

template <typename T>
class aligned_records : public ::testing::Test {
 protected:
  static inline std::atomic<int> misplaced{0};
  static bool is_misplaced(const T& record) {
    return reinterpret_cast<std::uintptr_t>(&record) % alignof(T) != 0;
  }
  /// Looks at records where a query finds them, and at the rows that it hands back.
  template <typename Query>
  static void look_at(const Query& query) {
    query
        .map([](const T& record) {
          if (is_misplaced(record)) ++misplaced;
          return record.number;
        })
        .sum()
        .get();
    const auto rows = query.collect();
    for (const T& record : rows)
      if (is_misplaced(record)) ++misplaced;
  }
};

using records_of_all_sizes = ::testing::Types<wide_record<16>, wide_record<128>, wide_record<256>,
                                              wide_record<1024>, wide_record<4096>>;
TYPED_TEST_SUITE(aligned_records, records_of_all_sizes);

TYPED_TEST(aligned_records, lie_as_their_type_says) {
  for (const std::size_t n : {1, 3, 5, 40, 300}) {
    SCOPED_TRACE(n);
    std::vector<TypeParam> rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {static_cast<int>(i % 7), static_cast<int>(i)};
    session s(options{.threads = 2, .devices = "cpu"});
    const auto all = s.from(rows);
    const auto even = [](const TypeParam& r) { return r.number % 2 == 0; };
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
    EXPECT_EQ(this->misplaced.exchange(0), 0);
  }
}

}  // namespace
}  // namespace pappus::testing
