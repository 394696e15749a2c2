// How elements come into arrays and out of them: what is copied, and what isn't.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::int64_t many = 100'000;

TEST(rows_of_an_array, are_its_elements) {
  session s;
  const auto a = s.filled<int>({many}, 3);
  const auto rows = a.rows().collect();
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(many));
  EXPECT_EQ(rows.data(), a.host().data());
  const auto part = a[{10, 20}].rows().collect();
  EXPECT_EQ(part.size(), 10U);
  EXPECT_EQ(part.data(), a.host().data() + 10);
}

TEST(rows_of_an_array, stay_where_they_are_when_the_array_is_written_to) {
  session s;
  const auto a = s.filled<int>({many}, 3);
  const int* const before = a.host().data();
  const auto rows = a.rows().collect();
  a.fill(4);
  EXPECT_NE(a.host().data(), before);
  EXPECT_EQ(rows.data(), before);
  EXPECT_THAT(std::span(rows.data(), 10), Each(3));
}

TEST(array_of_a_query, takes_its_rows_unless_others_have_them) {
  session s({.threads = 2, .host_memory = std::size_t{6} << 20, .devices = "cpu", .spill = "off"});
  const auto numbers = s.range(0, 1 << 20).map([](int i) { return 2 * i; });  // 4 MiB
  {
    const auto a = numbers.to_array();
    EXPECT_EQ(a.host()[many], 2 * many);
  }
  const auto kept = numbers.cache();
  EXPECT_EQ(kept.collect().data()[many], 2 * many);
  EXPECT_THROW(kept.to_array(), memory_error) << "a copy of what is kept doesn't fit";
}

TEST(array_of_a_query, over_another_arrays_elements_has_its_own) {
  session s;
  const auto a = s.filled<int>({1000}, 1);
  const auto copy = a.rows().to_array();
  EXPECT_NE(copy.host().data(), a.host().data());
  copy.fill(2);
  EXPECT_THAT(a.to_vector(), Each(1));
  a.fill(3);
  EXPECT_THAT(copy.to_vector(), Each(2));
}

/// As std::mdspan with layout_stride has it.
template <typename T, std::size_t N>
struct strided {
  static constexpr std::size_t rank() { return N; }
  T* elements;
  std::array<std::size_t, N> extents;
  std::array<std::ptrdiff_t, N> strides;
  std::size_t extent(std::size_t d) const { return extents[d]; }
  std::ptrdiff_t stride(std::size_t d) const { return strides[d]; }
  T* data_handle() const { return elements; }
};

TEST(array_of_strided_elements, has_one_to_four_dimensions) {
  session s;
  std::vector<double> numbers(24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 2;
  const auto odd = s.to_array(strided<const double, 1>{numbers.data() + 1, {4}, {2}});
  static_assert(decltype(odd)::rank == 1);
  EXPECT_THAT(odd.to_vector(), ElementsAre(0.5, 1.5, 2.5, 3.5));
  const auto backwards = s.to_array(strided<double, 1>{numbers.data() + 3, {3}, {-1}});
  EXPECT_THAT(backwards.to_vector(), ElementsAre(1.5, 1, 0.5));
  const auto turned = s.to_array(strided<double, 3>{numbers.data(), {4, 3, 2}, {1, 4, 12}});
  EXPECT_EQ(turned.extents(), idx<3>(4, 3, 2));
  EXPECT_EQ(turned.host()(3, 2, 1), 11.5);
  EXPECT_EQ(turned.to_vector()[5], numbers[20]);
  const auto of_four = s.to_array(strided<double, 4>{numbers.data(), {1, 2, 3, 4}, {0, 12, 4, 1}});
  EXPECT_THAT(of_four.to_vector(), ::testing::ElementsAreArray(numbers));
}

TEST(array_of_strided_elements, has_elements_of_any_trivially_copyable_type) {
  struct particle {
    std::array<float, 3> at;
    std::uint8_t kind;
    bool operator==(const particle&) const = default;
  };
  session s;
  const std::vector<particle> all{{{1, 2, 3}, 4}, {{5, 6, 7}, 8}, {{9, 10, 11}, 12}};
  const auto a = s.to_array(strided<const particle, 1>{all.data(), {2}, {2}});
  static_assert(std::is_same_v<decltype(a)::value_type, particle>);
  EXPECT_THAT(a.to_vector(), ElementsAre(all[0], all[2]));
}

}  // namespace
}  // namespace pappus
