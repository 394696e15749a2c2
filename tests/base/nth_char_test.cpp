#include "pappus/detail/base/nth_char.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace pappus::testing {
namespace {

static_assert(detail::nth_of("a,b,c", ',', 1) == 3);
static_assert(detail::nth_of("a,b,c", ',', 2) == std::string_view::npos);

/// In bytes of their own, so that sanitizers see what is read behind them.
void expect_all_found(const std::string& text, char wanted) {
  const auto alone = std::make_unique<char[]>(text.size());
  text.copy(alone.get(), text.size());
  const std::string_view searched(alone.get(), text.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == wanted) places.push_back(i);
  for (std::size_t n = 0; n < places.size() + 10; ++n)
    ASSERT_EQ(detail::nth_of(searched, wanted, n),
              n < places.size() ? places[n] : std::string_view::npos)
        << n << " of " << text.size() << " characters";
}

TEST(nth_char, is_where_a_loop_finds_it) {
  constexpr unsigned seed = 5;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  // Zeros lie behind the last characters of a text, and bytes differ by one or by the sign.
  for (const char wanted : {',', ' ', '\0', '\x01', '\x7f', '\x80', '\xff'})
    for (std::size_t size = 0; size < 100; ++size)
      for (const unsigned one_in : {1, 2, 9, 40}) {
        std::string text;
        for (std::size_t i = 0; i < size; ++i) {
          const char others[] = {static_cast<char>(wanted + 1), static_cast<char>(wanted - 1),
                                 static_cast<char>(wanted ^ '\x80'), '\0', 'a'};
          text += random() % one_in == 0 ? wanted : others[random() % std::size(others)];
        }
        ASSERT_NO_FATAL_FAILURE(expect_all_found(text, wanted));
      }
}

}  // namespace
}  // namespace pappus::testing
