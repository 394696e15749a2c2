// Where a user's function threw: in what is thrown, and in session::last_failure().
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::MatchesRegex;

template <typename Error, typename Query>
std::string text_of(Query query) {
  try {
    query();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

// clang tells where a lambda is, g++ doesn't.
constexpr const char* place = "( at .*failures_test.cpp:[0-9]+:[0-9]+)?";

int refuse_77777(int x) {
  if (x == 77'777) throw std::out_of_range("no room");
  return x;
}

TEST(failures, name_operator_and_row_in_exceptions_of_the_standard_library) {
  for (const unsigned threads : {1u, 4u}) {
    session s(options{.threads = threads});
    const auto numbers = s.range(0, 200'000);
    const auto refuse = [](int x) { return refuse_77777(x); };
    EXPECT_THAT(text_of<std::out_of_range>([&] { numbers.map(refuse).sum().get(); }),
                MatchesRegex(std::string("no room; thrown in map") + place +
                             ", row 77777 of range·map·sum"));
    EXPECT_THAT(text_of<std::out_of_range>([&] { numbers.aggregate(count(), mean(refuse)).get(); }),
                MatchesRegex(std::string("no room; thrown in map") + place +
                             ", row 77777 of range·map·aggregate"));
    EXPECT_THAT(text_of<std::bad_optional_access>([&] {
                  numbers.filter([](int x) { return x % 2 == 1; })
                      .filter([](int x) {
                        return (x == 1001 ? std::optional<int>() : std::optional(x)).value() > 3;
                      })
                      .collect();
                }),
                MatchesRegex(std::string("bad optional access; thrown in filter") + place +
                             ", row 1001 of range·filter·filter"));
    EXPECT_THAT(text_of<std::out_of_range>([&] {
                  numbers.flat_map([](int x) { return std::array{refuse_77777(x), 0}; }).collect();
                }),
                MatchesRegex(std::string("no room; thrown in flat_map") + place +
                             ", row 77777 of range·flat_map"));
    EXPECT_THAT(text_of<std::out_of_range>(
                    [&] { numbers.sort_by([](int x) { return refuse_77777(x); }).collect(); }),
                MatchesRegex("no room; thrown in sort_by, row 77777 of range·sort_by"));
    EXPECT_THAT(text_of<std::out_of_range>([&] {
                  numbers.group_by([](int x) { return refuse_77777(x) % 7; }).count().collect();
                }),
                MatchesRegex(std::string("no room; thrown in group_by.count") + place +
                             ", row 77777 of range·group_by.count"));
    EXPECT_THAT(text_of<std::out_of_range>([&] {
                  numbers
                      .join(
                          s.range(0, 100'000), [](int x) { return x; },
                          [](int x) { return refuse_77777(x); }, [](int a, int) { return a; })
                      .count()
                      .get();
                }),
                MatchesRegex("no room; thrown in join.*, row 77777 of .*index"));
    EXPECT_THAT(
        text_of<std::out_of_range>([&] {
          numbers
              .join(
                  s.range(0, 100'000), [](int x) { return x; }, [](int x) { return x; },
                  [](int a, int) { return refuse_77777(a); })
              .count()
              .get();
        }),
        MatchesRegex(std::string("no room; thrown in join") + place + " of range·join·count"));
    EXPECT_EQ(numbers.count().get(), 200'000) << "the session goes on";
  }
}

TEST(failures, of_the_lowest_row_are_told) {
  session s(options{.threads = 4});
  const auto in = s.range(0, 1'000'000).map([](int x) {
    if (x >= 5) throw std::runtime_error(std::to_string(x));
    return x;
  });
  EXPECT_THAT(text_of<std::runtime_error>([&] { in.collect(); }),
              MatchesRegex(std::string("5; thrown in map") + place + ", row 5 of range·map"));
}

TEST(failures, keep_what_was_thrown_nested) {
  session s;
  try {
    s.range(0, 10).map([](int x) { return refuse_77777(x + 77'770); }).sum().get();
    FAIL() << "nothing was thrown";
  } catch (const failed_call& e) {
    EXPECT_EQ(e.where().operator_name, "map");
    EXPECT_EQ(e.where().row, 7);
    EXPECT_EQ(e.where().stage, "range·map·sum");
    EXPECT_EQ(e.where().message, "no room");
    EXPECT_EQ(text_of<std::out_of_range>([&] { e.rethrow_nested(); }), "no room");
  }
}

struct own_error : std::runtime_error {
  using runtime_error::runtime_error;
  int code = 42;
};
struct no_exception {
  int code;
};

TEST(failures, of_other_types_pass_unchanged_and_are_told_by_the_session) {
  session s;
  EXPECT_FALSE(s.last_failure().has_value());
  try {
    s.range(0, 10).map([](int x) { return x == 3 ? throw own_error("mine") : x; }).sum().get();
    FAIL() << "nothing was thrown";
  } catch (const own_error& e) {
    EXPECT_STREQ(e.what(), "mine");
    EXPECT_EQ(e.code, 42);
    EXPECT_EQ(dynamic_cast<const failed_call*>(&e), nullptr);
  }
  ASSERT_TRUE(s.last_failure().has_value());
  EXPECT_EQ(s.last_failure()->operator_name, "map");
  EXPECT_EQ(s.last_failure()->row, 3);
  EXPECT_EQ(s.last_failure()->message, "mine");

  const auto fails = s.do_while(
      s.range(0, 10),
      [](auto state) {
        return state.filter([](int x) { return x == 6 ? throw no_exception{7} : true; });
      },
      [](auto, auto) { return true; });
  EXPECT_THROW(fails.collect(), no_exception);
  EXPECT_EQ(s.last_failure()->operator_name, "filter");
  EXPECT_EQ(s.last_failure()->row, 6);
  EXPECT_EQ(s.last_failure()->message,
            "an exception of type pappus::(anonymous namespace)::no_exception");

  EXPECT_THROW(s.range(0, 0).min().get(), usage_error);
  EXPECT_EQ(s.last_failure()->operator_name, "filter") << "Pappus's own errors tell by themselves";
}

TEST(failures, on_devices_are_told_as_on_the_cpu) {
  session s(options{.devices = "test:seed=1+delay_us=0"});
  std::vector<int> in(100'000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  EXPECT_THAT(
      text_of<std::out_of_range>(
          [&] { s.borrow(in).map([](int x) { return refuse_77777(x); }).sum().get(); }),
      MatchesRegex(std::string("no room; thrown in map") + place + ", row 77777 of map·sum"));
}

}  // namespace
}  // namespace pappus
