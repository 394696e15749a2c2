// The dictionary of categories: each text has one number, whoever asks, and however many do.
#include "base/category_texts.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>

#include "pappus/category.h"
#include "pappus/error.h"

namespace pappus::base::category_texts_test {
namespace {

constexpr std::size_t plenty = std::size_t{1} << 30;

/// Text number i: of all lengths up to some 40 bytes, and of those that begin alike.
std::string text_of(std::size_t i) {
  return std::string(i % 37, static_cast<char>('a' + i % 3)) + std::to_string(i / 2) +
         (i % 2 == 0 ? "" : std::string(1, '\0'));
}

TEST(category_texts, number_texts_from_one_on_in_the_order_in_which_they_come) {
  category_texts all(plenty);
  EXPECT_EQ(all.size(), 0u);
  EXPECT_EQ(all.code_of("b"), 1u);
  EXPECT_EQ(all.code_of("a"), 2u);
  EXPECT_EQ(all.code_of("b"), 1u);
  EXPECT_EQ(all.code_of(""), 0u);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(all.text_of(0), "");
  EXPECT_EQ(all.text_of(1), "b");
  EXPECT_EQ(all.text_of(2), "a");
}

TEST(category_texts, tell_texts_apart_by_all_their_bytes) {
  category_texts all(plenty);
  const std::string zero(1, '\0');
  const std::vector<std::string> different{"a",
                                           "a" + zero,
                                           zero,
                                           zero + zero,
                                           "A",
                                           " a",
                                           "a ",
                                           std::string(100'000, 'x'),
                                           std::string(100'001, 'x')};
  std::set<std::uint32_t> codes;
  for (const auto& text : different) codes.insert(all.code_of(text));
  EXPECT_EQ(codes.size(), different.size());
  for (const auto& text : different) EXPECT_EQ(all.text_of(all.code_of(text)), text);
}

TEST(category_texts, never_move_and_are_copies) {
  category_texts all(plenty);
  std::string own = "carrier";
  const auto code = all.code_of(own);
  const std::string_view kept = all.text_of(code);
  own = "another";
  for (std::size_t i = 0; i < 20'000; ++i) all.code_of(text_of(i));
  EXPECT_EQ(kept, "carrier");
  EXPECT_EQ(all.text_of(code).data(), kept.data());
}

TEST(category_texts, of_numbers_that_were_never_given_are_empty) {
  category_texts all(plenty);
  all.code_of("a");
  for (const std::uint32_t code : {2u, 1023u, 1024u, 1u << 20, 1u << 31, 0xffffffffu})
    EXPECT_EQ(all.text_of(code), "") << code;
}

TEST(category_texts, take_so_much_memory_and_no_more) {
  category_texts all(64 << 10);
  std::string what;
  std::size_t i = 0;
  try {
    for (; i < 100'000; ++i) all.code_of("text number " + std::to_string(i));
  } catch (const memory_error& full) {
    what = full.what();
  }
  EXPECT_GT(i, 300u);
  EXPECT_EQ(all.size(), i);
  EXPECT_LE(all.bytes(), 64u << 10);
  EXPECT_THAT(what, ::testing::StartsWith("categories: the dictionary of this process may take "
                                          "64 KiB, "));
  EXPECT_THAT(what, ::testing::HasSubstr("no room for \"text number " + std::to_string(i) +
                                         "\"; read columns of so many different texts as "
                                         "std::string_view, or set PAPPUS_CATEGORY_MEMORY"));
  for (std::size_t old = 0; old < i; ++old)  // what is there stays
    ASSERT_EQ(all.code_of("text number " + std::to_string(old)), old + 1);
  EXPECT_THROW(all.code_of(std::string(1 << 20, 'x')), memory_error);
}

TEST(category_texts, give_each_text_one_number_though_many_threads_ask_for_it) {
  constexpr std::size_t threads = 8, texts = 6000;
  category_texts all(plenty);
  std::vector<std::vector<std::uint32_t>> found(threads, std::vector<std::uint32_t>(texts));
  std::atomic<std::size_t> ready{0}, wrong{0};
  std::vector<std::thread> running;
  for (std::size_t own = 0; own < threads; ++own)
    running.emplace_back([&, own] {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      for (std::size_t i = 0; i < texts; ++i) {
        // Neighbours begin at different places and go in both directions, so that they meet.
        const auto at = own % 2 == 0 ? (i + own * 700) % texts : (2 * texts - i - 1) % texts;
        const auto text = text_of(at);
        found[own][at] = all.code_of(text);
        if (all.text_of(found[own][at]) != text) ++wrong;
      }
    });
  for (auto& one : running) one.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(all.size(), texts);
  for (std::size_t own = 1; own < threads; ++own) EXPECT_EQ(found[own], found[0]);
  auto sorted = found[0];
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < texts; ++i) ASSERT_EQ(sorted[i], i + 1);
}

TEST(category, is_equal_where_its_text_is_and_ordered_as_that_is) {
  const category b("category_test b"), a("category_test a");
  const std::string text = "category_test a";
  EXPECT_EQ(sizeof(category), 4u);
  EXPECT_EQ(a, category(text));
  EXPECT_NE(a, b);
  EXPECT_LT(b.code(), a.code());
  EXPECT_LT(a, b);
  EXPECT_TRUE(a == "category_test a" && "category_test a" == a && a != "b");
  EXPECT_TRUE(a == text && a == std::string_view(text));
  EXPECT_TRUE(a < "category_test b" && std::string_view("category_test b") > a);
  EXPECT_EQ(category(), category(""));
  EXPECT_EQ(category(), "");
  EXPECT_EQ(category().text(), "");
  EXPECT_LT(category(), a);
  EXPECT_EQ(category::of_code(a.code()), a);
  const std::unordered_set<category> some{a, b, a, category(text)};
  EXPECT_EQ(some.size(), 2u);
}

TEST(category, tells_how_large_its_dictionary_is) {
  const auto texts = category::dictionary_size(), bytes = category::dictionary_bytes();
  const category one("category_test: a text that no other test has"), again(one.text());
  EXPECT_EQ(one, again);
  EXPECT_EQ(category::dictionary_size(), texts + 1);
  EXPECT_GE(category::dictionary_bytes(), bytes + 44);
}

}  // namespace
}  // namespace pappus::base::category_texts_test
