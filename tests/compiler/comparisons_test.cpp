// What the compiler plugin says that predicates ask of fields: it is true of every record that they
// keep, and tells as much as can be told.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/conditions.h"
#include "codegen/element/stage_reads.h"
#include "pappus/columns.h"
#include "pappus/pappus.h"

#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
namespace pappus {
namespace {

struct trip {
  date day;
  std::int32_t delay;
  std::uint16_t gate;
  std::int8_t small;
  std::uint8_t level;
  double price;
  float weight;
  std::int64_t id;
  std::uint64_t code;
  std::optional<std::int32_t> late;
  bool full;
  timestamp at;
  std::string_view name;
  std::optional<std::string_view> plane;
  category kind;
};

bool holds(const detail::condition& one, const trip& t) {
  const auto* const field = reinterpret_cast<const std::byte*>(&t) + one.offset;
  if (!one.text.empty()) {
    std::string_view text;
    if (one.bytes == sizeof(category))
      text = reinterpret_cast<const category*>(field)->text();
    else
      std::memcpy(&text, field, sizeof text);
    return base::may_hold(one, text, text);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, field, one.bytes);
  if (!one.floating) return base::may_hold(one, false, bits, bits);
  float narrow;
  double wide;
  std::memcpy(&narrow, &bits, sizeof narrow);
  std::memcpy(&wide, &bits, sizeof wide);
  const double value = one.bytes == sizeof narrow ? narrow : wide;
  return base::may_hold(one, value, value);
}

std::string text_of(const detail::conditions& all) {
  std::vector<std::string> texts;
  for (const auto& one : all) {
    for (const auto& column : detail::layout_of<trip>().columns) {
      if (column.offset == one.offset && detail::cell_bytes(column.type) == one.bytes &&
          detail::is_text_cell(column.type) != one.text.empty())
        texts.push_back(base::text(one, column.field, column.type));
      else if (column.presence != 0 && column.presence == one.offset)
        texts.push_back(std::string(column.field) + " is there");
    }
  }
  std::ranges::sort(texts);
  std::string text;
  for (const auto& one : texts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

class comparisons : public ::testing::Test {
 protected:
  comparisons() : rows_(s_.from(std::vector<trip>(1))) {}

  template <typename F>
  [[gnu::cold]] void check(const F& predicate, const std::string& expected) {
    const auto node = detail::access::node(rows_.filter(predicate).materialise());
    const auto found = codegen::conditions_of_stage(*node, 0);
    EXPECT_EQ(text_of(found), expected);
    expect_true(predicate, found);
  }

  /// Whatever is said, of a predicate whose blocks compilers may order in several ways.
  template <typename F>
  [[gnu::cold]] void check(const F& predicate) {
    const auto node = detail::access::node(rows_.filter(predicate).materialise());
    expect_true(predicate, codegen::conditions_of_stage(*node, 0));
  }

  template <typename F>
  void expect_true(const F& predicate, const detail::conditions& found) {
    for (int i = 0; i < 3'000; ++i) {
      const auto t = some_trip();
      if (!predicate(t)) continue;
      for (const auto& one : found) {
        ASSERT_TRUE(holds(one, t)) << text_of({one}) << ", seed " << seed_;
      }
    }
  }

  /// Of values near those that the tests compare with.
  trip some_trip() {
    const auto near = [&](std::int64_t center, std::int64_t by) {
      return center +
             static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(2 * by + 1)) - by;
    };
    trip t{};
    t.day = {static_cast<std::int32_t>(near(17'897, 60))};
    t.delay = static_cast<std::int32_t>(random_() % 5 == 0 ? random_() : near(0, 30));
    t.gate = static_cast<std::uint16_t>(random_() % 2 == 0 ? random_() : near(2000, 150));
    t.small = static_cast<std::int8_t>(random_());
    t.level = static_cast<std::uint8_t>(random_() % 6);
    t.price = random_() % 4 == 0 ? std::nan("") : static_cast<double>(near(0, 20)) / 2;
    t.weight = random_() % 4 == 0 ? std::nanf("") : static_cast<float>(near(0, 20)) / 2;
    t.id = random_() % 5 == 0 ? static_cast<std::int64_t>(random_()) : near(0, 40);
    t.code = random_() % 5 == 0 ? random_() : static_cast<std::uint64_t>(near(0, 40));
    if (random_() % 3 != 0) t.late = static_cast<std::int32_t>(near(0, 10));
    t.full = random_() % 2 == 0;
    t.at = {timestamp::of(t.day).micros + near(0, 86'400'000'000)};
    static constexpr std::string_view names[] = {
        "AA", "B", "", "A", "AAB", "New York", "New", "a name that is rather long"};
    t.name = names[random_() % std::size(names)];
    if (random_() % 3 != 0) t.plane = names[random_() % std::size(names)];
    t.kind = names[random_() % std::size(names)];
    return t;
  }

  const unsigned seed_ = std::random_device()();
  std::mt19937_64 random_{seed_};
  session s_{options{.threads = 1, .devices = "cpu"}};
  collection<trip> rows_;
};

TEST_F(comparisons, with_constants) {
  check([](const trip& t) { return t.delay >= 10; }, "delay >= 10");
  check([](const trip& t) { return 10 < t.delay; }, "delay >= 11");
  check([](const trip& t) { return t.delay >= 10 && t.delay < 15; }, "delay >= 10 and delay <= 14");
  check([](const trip& t) { return t.delay != 3 && t.gate == 2000; }, "delay != 3, gate = 2000");
  check([](const trip& t) { return t.code > 5 && t.small <= -7; }, "code >= 6, small <= -7");
  check([](const trip& t) { return t.price >= 1.5 && t.weight < 2; }, "price >= 1.5, weight < 2");
  check([](const trip& t) { return t.weight == 2.5; }, "weight = 2.5");
  check([](const trip& t) { return t.day >= date::of(2019, 1, 1) && t.day < date::of(2019, 2, 1); },
        "day >= 2019-01-01 and day <= 2019-01-31");
  check([](const trip& t) { return t.full && t.day == date::of(2019, 1, 1); },
        "day = 2019-01-01, full");
}

TEST_F(comparisons, with_as_many_values_as_a_power_of_two) {
  check([](const trip& t) { return t.delay >= -40 && t.delay < -36; },
        "delay >= -40 and delay <= -37");
  check([](const trip& t) { return t.delay >= 0 && t.delay < 8; }, "delay >= 0 and delay <= 7");
  check([](const trip& t) { return t.id >= 16 && t.id < 32; }, "id >= 16 and id <= 31");
  check([](const trip& t) { return t.gate >= 1984 && t.gate < 2048; },
        "gate >= 1984 and gate <= 2047");
  check([](const trip& t) { return t.small >= -64 && t.small < 0; }, "small <= -1, small >= -64");
  check([](const trip& t) { return t.code < 16; }, "code <= 15");
  check([](const trip& t) { return t.code >= 16; }, "code >= 16");
  check([](const trip& t) { return t.day.days + 3 >= 17'888 && t.day.days + 3 < 17'904; },
        "day >= 2018-12-20 and day <= 2019-01-04");
  check([](const trip& t) { return (t.delay & ~7) != 8; }, "delay <= 7 or delay >= 16");
  check([](const trip& t) { return (t.delay & 7) == 0; }, "");
}

TEST_F(comparisons, with_zero) {
  check([](const trip& t) { return t.delay < 0; }, "delay <= -1");
  check([](const trip& t) { return t.delay >= 0; }, "delay >= 0");
  check([](const trip& t) { return t.small > 0; }, "small >= 1");
  check([](const trip& t) { return t.id >= -50 && t.id < 0; }, "id <= -1, id >= -50");
  check([](const trip& t) { return t.full && t.id >= 0; }, "full, id >= 0");
  check([](const trip& t) { return t.small + 7 < 0; }, "small <= -8");
  check([](const trip& t) { return t.code != 0 && t.gate == 0; }, "code >= 1, gate = 0");
  check([](const trip& t) { return t.price < 0 && t.weight >= 0; }, "price < 0, weight >= 0");
}

TEST_F(comparisons, with_what_was_captured) {
  const auto from = date::of(2019, 1, 1), to = date::of(2019, 1, 20);
  const std::int64_t n = -5;
  const double limit = 2.5;
  const short few = -3;
  const unsigned many = 7;
  check([=](const trip& t) { return t.day >= from && t.day < to; },
        "day <= 2019-01-19, day >= 2019-01-01");
  check([=](const trip& t) { return t.delay >= n; }, "delay >= -5");
  check([=](const trip& t) { return t.id > 3 * n + 7; }, "id >= -7");
  check([=](const trip& t) { return t.small > few + 2; }, "small >= 0");
  check([=](const trip& t) { return t.gate < many; }, "gate <= 6");
  check([=](const trip& t) { return t.weight > limit && t.price <= limit; },
        "price <= 2.5, weight > 2.5");
  check([=](const trip& t) { return t.day < from + 7 && t.day >= from; },
        "day <= 2019-01-07, day >= 2019-01-01");
  check([=](const trip& t) { return t.at >= timestamp::of(from); }, "at >= 2019-01-01");
  check([=](const trip& t) { return static_cast<std::uint64_t>(t.id) < many; },
        "id >= 0 and id <= 6");
}

TEST_F(comparisons, that_are_parts_of_others) {
  const auto from = date::of(2019, 1, 1);
  check([=](const trip& t) { return t.day >= from && (t.full || t.delay > 3); },
        "day >= 2019-01-01");
  check([](const trip& t) { return t.delay > 3 && std::sqrt(t.price) > 1; }, "delay >= 4");
  check([](const trip& t) { return t.name == "AA" && t.delay > 3; }, R"(delay >= 4, name = "AA")");
  check([](const trip& t) { return !(t.delay < 3 || t.full); }, "delay >= 3");
  check([](const trip& t) { return t.gate / 100 == 20; }, "gate >= 2000 and gate <= 2099");
  check([](const trip& t) { return t.delay < -5 || t.delay > 5; }, "delay <= -6 or delay >= 6");
  check(
      [](const trip& t) {
        if (t.delay < 3) return false;
        if (t.delay >= 9) return false;
        return t.price * 2 > t.weight;
      },
      "delay >= 3 and delay <= 8");
  check([](const trip& t) { return t.gate * 3 > 7; }, "gate >= 3");
  check([](const trip& t) { return t.delay > 2 ? t.small > 0 : false; }, "delay >= 3, small >= 1");
  check(
      [](const trip& t) {
        for (int i = 0; i < t.level; ++i)
          if (t.small == i * 7) return t.delay > 4;
        return false;
      },
      "delay >= 5");
}

TEST_F(comparisons, behind_ways_that_meet_are_those_of_all_of_them) {
  check([](const trip& t) {
    if (t.level > 2) {
      if (t.delay < 5) return false;
    } else if (t.delay < 9) {
      return false;
    }
    return t.small > 3 && std::sqrt(t.price) > 1;
  });
  check([](const trip& t) {
    int found = 0;
    for (int i = 0; i < t.level; ++i) found += t.delay > 5 * i ? 1 : -1;
    return found > 0 && t.small < 9;
  });
  check([](const trip& t) {
    bool before = t.full;
    for (int i = 0; i < t.level; ++i) {
      if (before && t.small > 0) return true;
      before = t.delay > 3 * i;
    }
    return false;
  });
  check([](const trip& t) {
    const auto name = t.full ? t.name : t.plane.value_or("B");
    return name == "AA" || (t.delay > 3 && name.starts_with("New"));
  });
  check([](const trip& t) {
    for (const auto name : {t.name, t.plane.value_or("")})
      if (name == "AAB" && t.delay != 5) return true;
    return false;
  });
  const std::string_view wanted = "AA";
  check([=](const trip& t) {
    return (t.full && t.name.empty() && wanted.empty()) || (t.name == wanted && t.delay < 3);
  });
  check([=](const trip& t) { return t.name.empty() || t.name == wanted; });
  check([=](const trip& t) { return (t.full ? t.name : t.plane.value_or("")) == wanted; });
}

TEST_F(comparisons, of_what_may_be_missing) {
  check([](const trip& t) { return t.late && *t.late > 3; }, "late >= 4, late is there");
  check([](const trip& t) { return t.late > 3; }, "late >= 4, late is there");
  check([](const trip& t) { return t.late.has_value(); }, "late is there");
  check([](const trip& t) { return t.late < 3; }, "");
  check([](const trip& t) { return t.name == t.plane; }, "plane is there");
}

TEST_F(comparisons, with_texts) {
  check([](const trip& t) { return t.name == "AA"; }, R"(name = "AA")");
  check([](const trip& t) { return "AAB" == t.name && t.delay > 3; },
        R"(delay >= 4, name = "AAB")");
  check([](const trip& t) { return t.name == "B"; }, R"(name = "B")");
  check([](const trip& t) { return t.name == "New York" && t.plane == "AA"; },
        R"(name = "New York", plane = "AA", plane is there)");
  check([](const trip& t) { return t.name == "a name that is rather long"; },
        R"(name = "a name that is rather long")");
  check([](const trip& t) { return t.name.starts_with("New"); }, R"(name begins with "New")");
  check([](const trip& t) { return t.name.starts_with("AA") && t.full; },
        R"(full, name begins with "AA")");
  check([](const trip& t) { return t.name.starts_with('A'); }, R"(name begins with "A")");
  check([](const trip& t) { return t.plane && t.plane->starts_with("AAB"); },
        R"(plane begins with "AAB", plane is there)");
  check([](const trip& t) { return t.name.substr(0, 2) == "AA"; }, R"(name begins with "AA")");
}

TEST_F(comparisons, with_texts_that_were_captured) {
  const std::string_view wanted = "New York", other = "AA";
  const std::string string = "AAB", longer = "a name that is rather long";
  const int n = 3;
  check([=](const trip& t) { return t.name == wanted; }, R"(name = "New York")");
  check([=](const trip& t) { return t.delay > n && wanted == t.name; },
        R"(delay >= 4, name = "New York")");
  check([=](const trip& t) { return t.name == wanted && t.plane == other; },
        R"(name = "New York", plane = "AA", plane is there)");
  check([=](const trip& t) { return t.name == other && t.name.size() <= wanted.size(); }, "");
  check([=](const trip& t) { return t.plane == wanted && t.delay > n; },
        R"(delay >= 4, plane = "New York", plane is there)");
  check([=](const trip& t) { return t.name.starts_with(other); }, R"(name begins with "AA")");
  check([=](const trip& t) { return t.name == string; }, R"(name = "AAB")");
  check([=](const trip& t) { return t.name.starts_with(longer) && t.full; },
        R"(full, name begins with "a name that is rather long")");
  check([=](const trip& t) { return t.name != wanted; }, "");
  check([=](const trip& t) { return t.name == wanted || t.name == other; }, "");
  const std::string_view none = "";
  check([=](const trip& t) { return t.name == none; }, "");
  check(
      [=](const trip& t) {
        return t.name.size() >= wanted.size() && std::memcmp(t.name.data(), wanted.data(), 3) == 0;
      },
      "");
}

/// Bytes may be compared for another length than the one that is asked.
TEST_F(comparisons, with_parts_of_captured_texts_tell_nothing) {
  const std::string_view two = "AA", three = "xxx";
  std::size_t n = 3;  // not a constant, which would not be captured
  check(
      [two, three](const trip& t) {
        return t.name.size() >= three.size() &&
               std::memcmp(t.name.data(), two.data(), two.size()) == 0;
      },
      "");
  check(
      [two, n](const trip& t) {
        return t.name.size() >= n && std::memcmp(t.name.data(), two.data(), two.size()) == 0;
      },
      "");
  check(
      [two, n](const trip& t) {
        return t.name.size() == n && std::memcmp(t.name.data(), two.data(), two.size()) == 0;
      },
      "");
  check(
      [two, three](const trip& t) {
        return t.name.size() >= three.size() &&
               std::memcmp(t.name.data(), two.data(), std::min(t.name.size(), two.size())) == 0;
      },
      "");
  check(
      [two, three](const trip& t) {
        return t.name.size() >= two.size() && t.name.size() <= three.size() &&
               std::memcmp(t.name.data(), two.data(), two.size()) == 0;
      },
      R"(name begins with "AA")");
}

/// Where the predicate wouldn't look at one.
TEST_F(comparisons, with_texts_that_are_not_there_tell_nothing_wrong) {
  const std::optional<std::string_view> none;
  check([none](const trip& t) { return none && t.name == *none; });
  const std::variant<std::pair<std::int64_t, std::int64_t>, std::string_view> number =
      std::pair{5, 7};
  check([number](const trip& t) {
    const auto* const text = std::get_if<std::string_view>(&number);
    return text != nullptr && t.name == *text;
  });
  const std::variant<std::pair<std::int64_t, std::int64_t>, std::string_view> some =
      std::string_view("AAB");
  check(
      [some](const trip& t) {
        const auto* const text = std::get_if<std::string_view>(&some);
        return text != nullptr && t.name == *text;
      },
      R"(name = "AAB")");
  const std::string long_one(1000, 'x');
  check([long_one](const trip& t) { return t.name == long_one; },
        "name begins with \"" + std::string(256, 'x') + "\"");
}

/// Lengths of other texts lie beside pointers, too.
TEST_F(comparisons, with_texts_of_several_fields) {
  check([](const trip& t) { return t.name.starts_with("AA") && t.plane == "AB"; },
        R"(name begins with "AA", plane = "AB", plane is there)");
  check([](const trip& t) { return t.plane && t.plane->starts_with("B") && t.name == "B"; },
        R"(name = "B", plane begins with "B", plane is there)");
}

TEST_F(comparisons, with_categories) {
  check([](const trip& t) { return t.kind == "AA"; }, R"(kind = "AA")");
  check([](const trip& t) { return t.delay > 3 && t.kind == "New York"; },
        R"(delay >= 4, kind = "New York")");
  check([](const trip& t) { return t.kind != "AA"; }, "");
}

/// Whether a text is long enough for what is looked at isn't known.
TEST_F(comparisons, with_bytes_that_may_lie_behind_texts_tell_nothing) {
  check([](const trip& t) { return !t.name.empty() && std::memcmp(t.name.data(), "AA", 1) != 0; },
        "");
  const auto longer = rows_
                          .filter([](const trip& t) {
                            return t.name.size() > 1 && std::memcmp(t.name.data(), "New", 3) == 0;
                          })
                          .materialise();
  EXPECT_EQ(text_of(codegen::conditions_of_stage(*detail::access::node(longer), 0)), "");
}

TEST_F(comparisons, that_tell_nothing) {
  check([](const trip& t) { return t.name != "AA"; }, "");
  check([](const trip& t) { return t.name == "AA" || t.name == "B"; }, "");
  check([](const trip& t) { return t.name < "B"; }, "");
  check([](const trip& t) { return t.name.ends_with("York"); }, "");
  check([](const trip& t) { return t.name.empty(); }, "");
  check([](const trip& t) { return !(t.price < 3); }, "");
  check([](const trip& t) { return t.price != 3; }, "");
  check([](const trip& t) { return t.delay < 3 || t.full; }, "");
  check([](const trip& t) { return (t.level & 1) == 0; }, "");
  check([](const trip& t) { return t.delay < t.id; }, "");
  check([](const trip&) { return true; }, "");
  check([](const trip& t) { return (t.level & 1) != 0; }, "level >= 1");
}

/// Functions that do more are called for every record.
TEST_F(comparisons, of_functions_with_effects_do_not_count) {
  static int calls = 0;
  check([](const trip& t) { return ++calls > 0 && t.delay > 3; }, "");
  check([](const trip& t) { return t.delay > 3 && std::vector<int>{1, 2}.at(t.level % 2) > 0; },
        "");
  const auto after = rows_.filter([](const trip&) { return ++calls > 0; })
                         .filter([](const trip& t) { return t.delay > 3; })
                         .materialise();
  EXPECT_EQ(text_of(codegen::conditions_of_stage(*detail::access::node(after), 0)), "");
  const auto before = rows_.filter([](const trip& t) { return t.delay > 3; })
                          .filter([](const trip&) { return ++calls > 0; })
                          .materialise();
  EXPECT_EQ(text_of(codegen::conditions_of_stage(*detail::access::node(before), 0)), "delay >= 4");
}

TEST_F(comparisons, of_several_filters_add_up) {
  const auto both = rows_.filter([](const trip& t) { return t.delay > 3; })
                        .filter(&trip::full)
                        .filter([](const trip& t) { return t.gate < 7; })
                        .map(&trip::price)
                        .filter([](double price) { return price > 2; })
                        .materialise();
  EXPECT_EQ(text_of(codegen::conditions_of_stage(*detail::access::node(both), 0)),
            "delay >= 4, gate <= 6");
}

}  // namespace
}  // namespace pappus
#endif
