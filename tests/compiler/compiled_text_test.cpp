// Functions of text on a device, where records have the text themselves.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "compiler/on_opencl.h"

namespace pappus::testing::text_of_records {
namespace {

struct note {
  std::array<char, 24> chars;
  std::int32_t length;

  std::string_view text() const { return {chars.data(), static_cast<std::size_t>(length)}; }
};

std::vector<note> notes() {
  constexpr std::string_view some = "aAzZ09 ,\t-+.@[\xe1";
  std::mt19937_64 random(11);
  std::vector<note> made(5000);
  for (auto& one : made) {
    one.length = static_cast<std::int32_t>(random() % 25);
    const auto few = 1 + random() % some.size();
    std::generate_n(one.chars.begin(), one.length, [&] { return some[random() % few]; });
    if (random() % 3 == 0) std::copy_n("-12, 345 ,6", std::min(one.length, 11), one.chars.begin());
  }
  return made;
}

class compiled_text : public on_opencl {
 protected:
  template <typename F>
  void expect_map(F f) {
    expect_same([&](session& s) { return s.from(notes()).map(f); });
  }
};

TEST_F(compiled_text, is_taken_apart) {
  expect_map([](const note& n) {
    std::uint64_t all = 0;
    for (const auto word : str::words(n.text())) all = 31 * all + word.size();
    return all;
  });
  expect_map([](const note& n) {
    std::uint64_t all = 0;
    for (const auto word : str::words(n.text(), str::is_letter)) all = 31 * all + word.size();
    for (const auto word : str::words(n.text(), str::is_digit)) all = 31 * all + word.size();
    return all;
  });
  expect_map([](const note& n) {
    std::uint64_t all = 0;
    for (const auto piece : str::split(n.text(), ',')) all = 31 * all + piece.size();
    return all;
  });
  expect_map([](const note& n) {
    return static_cast<std::int32_t>(str::trim(str::piece(n.text(), ',', 1)).size());
  });
}

TEST_F(compiled_text, is_compared_and_searched) {
  expect_same([](session& s) {
    return s.from(notes())
        .filter([](const note& n) { return str::contains(n.text(), '0'); })
        .map(&note::length);
  });
  expect_same([](session& s) {
    return s.from(notes())
        .filter([](const note& n) { return str::contains(n.text(), "45 "); })
        .map(&note::length);
  });
  expect_map([](const note& n) {
    return str::equals_ignoring_case(n.text().substr(0, 1), "Z") || n.text() == "aA";
  });
  expect_map([](const note& n) { return str::lower<24>(n.text()); });
}

TEST_F(compiled_text, ends_at_a_zero) {
  expect_map([](const note& n) {
    const auto some = str::chars<8>(str::trim(n.text()).substr(0, 8));
    return static_cast<std::int32_t>(str::text(some).size());
  });
  expect_map([](const note& n) {
    return str::contains(str::text(n.chars), "z0") || str::text(n.chars).empty();
  });
}

TEST_F(compiled_text, is_parsed) {
  expect_map([](const note& n) {
    return str::parse<std::int32_t>(str::piece(n.text(), ',', 0)).value_or(7);
  });
  expect_map([](const note& n) {
    return str::parse<std::uint8_t>(str::piece(n.text(), ',', 2)).value_or(7);
  });
  expect_map([](const note& n) { return str::parse<bool>(n.text().substr(0, 1)).value_or(true); });
}

}  // namespace
}  // namespace pappus::testing::text_of_records
