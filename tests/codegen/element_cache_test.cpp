// Which stages share a text, and which must not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "codegen/element/element_cache.h"
#include "device_ops/operator_samples.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

using codegen::element;
using codegen::element_cache;
using codegen::element_ptr;
using ::testing::HasSubstr;

int same(int x) { return x; }

class equal_descriptions : public ::testing::Test {
 protected:
  /// Of a function with this device code.
  template <typename F>
  element_ptr mapped(F function, const device_code& code) const {
    return codegen::element_of(
        *detail::access::node(numbers_.map(with_device_code(function, code)).materialise()));
  }

  session session_;
  collection<int> numbers_ = session_.from(std::vector<int>(10));
};

TEST_F(equal_descriptions, share_one_text) {
  session other;
  const auto first = testing::operator_samples(session_, 10),
             second = testing::operator_samples(other, 10);
  std::set<element_ptr> different;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto made = codegen::element_of(*first[i].node);
    EXPECT_TRUE(made->possible()) << first[i].name;
    EXPECT_EQ(made, codegen::element_of(*second[i].node)) << first[i].name;
    different.insert(made);
  }
  // A domain changes a join's index, or a group's table, and not their text.
  EXPECT_EQ(different.size(), first.size() - 2);
}

TEST_F(equal_descriptions, have_equal_code) {
  const device_code code{"int f(int x) { return x; }", "f.cl", "f"};
  const auto made = mapped(fn<same>, code);
  EXPECT_EQ(made, mapped(fn<same>, code));
  for (const auto& other : {device_code{"int f(int x) { return 1; }", "f.cl", "f"},
                            device_code{"int f(int x) { return x; }", "g.cl", "f"},
                            device_code{"int f(int x) { return x; }", "f.cl", "g"}}) {
    const auto changed = mapped(fn<same>, other);
    EXPECT_NE(made->text, changed->text);
    EXPECT_THAT(changed->text, HasSubstr(other.text));
  }
}

// Strings of one length, one after the other at one place.
TEST_F(equal_descriptions, are_not_told_by_addresses) {
  for (int i = 0; i < 10; ++i) {
    const auto text = fmt::format("int f(int x) {{ return {}; }} // {}", i, std::string(100, 'x'));
    EXPECT_THAT(mapped(fn<same>, {text, "f.cl", "f"})->text, HasSubstr(text));
  }
}

TEST_F(equal_descriptions, have_equal_types) {
  const device_code code{"#define f(x) (x)", "f.cl", "f"};
  const auto function = [](auto x) { return x; };
  const auto of = [&](const auto& rows) {
    return codegen::element_of(
        *detail::access::node(rows.map(with_device_code(function, code)).materialise()));
  };
  const auto ints = of(numbers_);
  const auto unsigned_ints = of(session_.from(std::vector<unsigned>(10)));
  const auto longs = of(session_.from(std::vector<std::int64_t>(10)));
  EXPECT_THAT(ints->text, HasSubstr("int call_f(int p0)"));
  EXPECT_THAT(unsigned_ints->text, HasSubstr("uint call_f(uint p0)"));
  EXPECT_THAT(longs->text, HasSubstr("long call_f(long p0)"));
}

TEST_F(equal_descriptions, have_equal_operators) {
  const device_code code{"int f(int x) { return x; }", "f.cl", "f"};
  const auto f = with_device_code(fn<same>, code);
  const auto text = [](const auto& query) {
    return codegen::element_of(*detail::access::node(query))->text;
  };
  const auto once = text(numbers_.map(f).materialise());
  EXPECT_NE(once, text(numbers_.map(f).map(f).materialise()));
  EXPECT_NE(once, text(numbers_.filter(f).materialise()));
  EXPECT_NE(text(numbers_.map(f).max()), text(numbers_.map(f).min()));
  EXPECT_NE(text(numbers_.sort_by(f)), text(numbers_.sort_by(descending(f))));
}

/// Its device code is another one each time it is asked for.
struct changing_reducer {
  static inline int version = 0;
  std::int64_t n = 0;
  void accumulate(int) { ++n; }
  void merge(const changing_reducer& other) { n += other.n; }
  static device_code on_device() {
    return device_text(
        "add", fmt::format("void add(changing_reducer* s, int x) {{ s->n += {}; }}", ++version));
  }
};

TEST_F(equal_descriptions, of_reducers_are_asked_for_anew) {
  std::vector<std::string> texts;
  for (int i = 0; i < 3; ++i) {
    const auto made =
        codegen::element_of(*detail::access::node(numbers_.reduce<changing_reducer>()));
    ASSERT_TRUE(made->possible());
    EXPECT_THAT(texts, ::testing::Not(::testing::Contains(made->text)));
    texts.push_back(made->text);
  }
}

element_ptr of_bytes(std::size_t n) {
  auto made = std::make_shared<element>();
  made->text.assign(n, 'x');
  return made;
}

TEST(element_cache, keeps_what_was_asked_for_last) {
  element_cache known(3, 1000);
  const auto a = known.add("a", of_bytes(1)), b = known.add("b", of_bytes(1));
  known.add("c", of_bytes(1));
  EXPECT_EQ(known.find("a"), a);
  known.add("d", of_bytes(1));
  EXPECT_EQ(known.find("b"), nullptr);
  EXPECT_EQ(known.find("a"), a);
  EXPECT_EQ(known.size(), 3u);
}

TEST(element_cache, bounds_bytes_of_keys_and_texts) {
  element_cache known(100, 1000);
  known.add("a", of_bytes(500));
  const auto b = known.add(std::string(200, 'b'), of_bytes(299));
  EXPECT_EQ(known.size(), 2u);
  known.add("c", of_bytes(0));
  EXPECT_EQ(known.find("a"), nullptr);
  EXPECT_EQ(known.find(std::string(200, 'b')), b);
  const auto large = of_bytes(1000);
  EXPECT_EQ(known.add("d", large), large);
  EXPECT_EQ(known.find("d"), nullptr);
  EXPECT_EQ(known.size(), 2u);
}

TEST(element_cache, returns_what_another_thread_made_first) {
  element_cache known(100, 1000);
  const auto first = known.add("a", of_bytes(1));
  EXPECT_EQ(known.add("a", of_bytes(1)), first);
  EXPECT_EQ(known.size(), 1u);
}

}  // namespace
}  // namespace pappus
