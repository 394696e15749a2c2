// What is found of the text that records point to.
#include "pappus/detail/base/record_text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace record_text_test {

using detail::text_in;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

enum class color : std::uint8_t { red, green };
struct plain {
  int a;
  double b;
  color c;
  std::array<float, 3> d;
};
struct named {
  std::int32_t id;
  std::string_view name;
  std::string_view city;
};
struct nested {
  plain numbers;
  std::array<named, 2> both;
  pair<std::string_view, int> last;
};
struct pointing {
  int a;
  const char* text;
};
struct array_of_c {
  int a;
  char text[16];
};
struct referring {
  std::int64_t a;
  const named& one;
};
struct either {
  std::int64_t kind;
  union {
    std::int64_t number;
    double value;
  };
  std::string_view name;
};
struct of_a_nameless_struct {
  struct {
    std::int32_t number, another;
  };
  std::string_view text;
};
class hidden {
 public:
  hidden() = default;

 private:
  [[maybe_unused]] std::int64_t a_ = 0;
};
class promised {
 public:
  promised() = default;

 private:
  [[maybe_unused]] std::int64_t a_ = 0;
};

}  // namespace record_text_test

template <>
inline constexpr bool holds_no_text<record_text_test::promised> = true;

namespace record_text_test {

template <typename T>
std::vector<std::uint32_t> offsets() {
  std::vector<detail::text_place> places;
  if (const auto add = detail::record_type_of<T>().add_text_places; add != nullptr) add(places);
  std::vector<std::uint32_t> found;
  for (const auto& [at, presence] : places) found.push_back(at);
  return found;
}

TEST(record_text, is_found_in_fields_arrays_and_pairs) {
  EXPECT_THAT(offsets<std::string_view>(), ElementsAre(0));
  EXPECT_THAT(offsets<named>(), ElementsAre(8, 24));
  EXPECT_THAT((offsets<pair<int, named>>()), ElementsAre(16, 32));
  EXPECT_THAT((offsets<keyed<std::string_view, double>>()), ElementsAre(0));
  EXPECT_THAT((offsets<indexed<named>>()), ElementsAre(16, 32));
  const auto at = [](std::size_t bytes) { return static_cast<std::uint32_t>(bytes); };
  constexpr std::size_t both = offsetof(nested, both), last = offsetof(nested, last);
  EXPECT_THAT(offsets<nested>(),
              ElementsAre(at(both + 8), at(both + 24), at(both + sizeof(named) + 8),
                          at(both + sizeof(named) + 24), at(last)));
}

TEST(record_text, is_not_there_in_numbers) {
  EXPECT_EQ(detail::text_of<plain>(), text_in::none);
  EXPECT_EQ((detail::text_of<pair<int, plain>>()), text_in::none);
  EXPECT_EQ(detail::text_of<timestamp>(), text_in::none);
  EXPECT_EQ(detail::text_of<promised>(), text_in::none);
  EXPECT_THAT(offsets<plain>(), IsEmpty());
}

TEST(record_text, is_unknown_behind_pointers_and_in_types_whose_fields_are_not_found) {
  EXPECT_EQ(detail::text_of<pointing>(), text_in::unknown);
  EXPECT_EQ(detail::text_of<array_of_c>(), text_in::unknown);
  EXPECT_EQ(detail::text_of<hidden>(), text_in::unknown);
  EXPECT_EQ(detail::text_of<of_a_nameless_struct>(), text_in::unknown);
  EXPECT_EQ((detail::text_of<pair<std::string_view, hidden>>()), text_in::unknown);
  EXPECT_EQ((detail::text_of<std::array<pointing, 2>>()), text_in::unknown);
  EXPECT_EQ(detail::text_of<referring>(), text_in::unknown);
  EXPECT_EQ(detail::text_of<either>(), text_in::unknown);
  EXPECT_THAT(offsets<pointing>(), IsEmpty());
  EXPECT_THAT(offsets<referring>(), IsEmpty());
}

TEST(record_text, is_known_of_all_reducers) {
  EXPECT_EQ(detail::text_of<reducers::count>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::sum<double>>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::mean<int>>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::mean<float>>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::variance<std::int64_t>>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::variance<double>>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::max<int>>(), text_in::none);
  EXPECT_EQ(detail::text_of<reducers::min<std::string_view>>(), text_in::views);
  EXPECT_EQ(detail::text_of<reducers::first<named>>(), text_in::views);
  int captured = 3;  // not a constant, which needs no capture
  const auto op = [captured](double a, double b) { return a + b + captured; };
  EXPECT_EQ((detail::text_of<reducers::folding<double, decltype(op)>>()), text_in::none);
  EXPECT_EQ((detail::text_of<reducers::folding<pointing, decltype(op)>>()), text_in::unknown);
}

}  // namespace record_text_test
}  // namespace pappus
