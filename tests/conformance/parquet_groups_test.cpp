// Groups of rows of Parquet files of which a filter drops every record aren't read: the results are
// those of the same rows in memory, to the last bit.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "formats/arrow/arrow_support.h"
#include "formats/arrow/small_groups.h"
#include "support/scaled_memory.h"

namespace pappus::parquet_groups {
namespace {

using testing::temporary_folder;

struct flight {
  date day;
  std::int32_t delay;
  std::uint16_t gate;
  float weight;
  double price;
  std::int64_t id;
  std::optional<std::int32_t> late;
  bool full;
  timestamp at;
  std::string_view carrier;
  std::optional<std::string_view> plane;
  category kind;
};

/// In the order of their bytes.
constexpr std::string_view names[] = {"",   "AA",  "AAB",      "AS", "B6",
                                      "DL", "New", "New York", "WN", "\u00e9"};

std::vector<flight> flights(std::size_t n, bool sorted, std::mt19937_64& random) {
  std::vector<flight> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& f = all[i];
    const auto at = static_cast<std::int64_t>(sorted ? i : random() % n);
    const auto part = static_cast<double>(at) / static_cast<double>(n);
    f.day = date::of(2024, 1, 1) + static_cast<int>(part * 100);
    f.delay = static_cast<std::int32_t>(part * 200) - 100;
    f.gate = static_cast<std::uint16_t>(65'536 * part);
    f.weight = random() % 10 == 0 ? std::nanf("") : static_cast<float>(part * 10 - 5);
    f.price = static_cast<double>(random() >> 11) / 3e9 * (random() % 2 == 0 ? 1 : -1e-7);
    f.id = at * 1'000'000'007 - 500'000'000;
    if (part > 0.3 && random() % 5 != 0) f.late = static_cast<std::int32_t>(part * 50);
    f.full = part > 0.8;
    f.at = {timestamp::of(f.day).micros + static_cast<std::int64_t>(random() % 86'400'000'000)};
    f.carrier = names[static_cast<std::size_t>(part * 10)];
    if (part > 0.3 && random() % 5 != 0) f.plane = names[static_cast<std::size_t>(part * 10)];
    f.kind = names[9 - static_cast<std::size_t>(part * 10)];
  }
  return all;
}

template <typename T>
std::string text_of(const value<T>& result) {
  const T found = result.get();
  std::string bytes(sizeof found, '\0');
  std::memcpy(bytes.data(), &found, sizeof found);
  return bytes;
}
template <typename E>
std::string text_of(const query<E>& rows) {
  std::ostringstream text;
  text.precision(17);
  text << rows.collect();
  return text.str();
}

std::string between(const std::string& text, std::string_view before, char end) {
  const auto at = text.find(before);
  if (at == text.npos) return {};
  const auto begin = at + before.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

/// What explain() says of the groups that a query reads.
template <typename Query>
std::string wanted(const Query& query) {
  return between(query.explain(), "of row groups with ", ',');
}
/// "90 of 100": those that were left out.
template <typename Query>
std::string left_out(const Query& query) {
  auto text = query.explain_analyze();
  const auto end = text.find(" row groups left out");
  if (end == text.npos) return "none";
  const auto begin = text.rfind(' ', text.rfind(" of ", end) - 1) + 1;
  return text.substr(begin, end - begin);
}

/// What is expected with the compiler plugin; without nothing is left out.
std::string seen(const std::string& text, const std::string& without = "") {
#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
  constexpr bool has_plugin = true;
#else
  constexpr bool has_plugin = false;
#endif
  return has_plugin ? text : without;
}

class parquet_groups : public testing::scaled_test {
 protected:
  /// \param make  of rows, a query
  template <typename Make>
  PAPPUS_UNHURRIED void expect_same(Make make) {
    for (const bool sorted : {true, false}) {
      for (const std::size_t group_rows : {1, 16, 256}) {
        const auto all = flights(group_rows == 1 ? 150 : 4'000, sorted, random_);
        const auto path = folder_.file("a.parquet");
        testing::write_groups(path, all, group_rows);
        session in_memory(options{.threads = 2, .devices = "cpu"});
        const auto expected = text_of(make(in_memory.borrow(all)));
        for (const unsigned threads : {1, 3}) {
          for (const std::size_t memory : {std::size_t{0}, std::size_t{2} << 20}) {
            session s(options{.threads = threads, .host_memory = memory, .devices = "cpu"});
            EXPECT_EQ(text_of(make(s.parquet<flight>(path))), expected)
                << (sorted ? "sorted" : "any order") << ", groups of " << group_rows << ", "
                << threads << " threads, memory " << memory << ", seed " << seed_;
          }
        }
      }
    }
  }

  /// The rows of a file whose groups have so many.
  collection<flight> stored(session& s, const std::vector<flight>& all,
                            std::size_t group_rows = 16) const {
    const auto path = folder_.file("a.parquet");
    testing::write_groups(path, all, group_rows);
    return s.parquet<flight>(path);
  }

  const unsigned seed_ = std::random_device()();
  std::mt19937_64 random_{seed_};
  const temporary_folder folder_;
};

TEST_F(parquet_groups, are_left_out_by_comparisons_with_what_was_captured) {
  PAPPUS_NEEDS_ARROW();
  const auto all = flights(1'600, true, random_);
  session s(options{.threads = 2, .devices = "cpu"});
  const auto from = date::of(2024, 1, 11), to = date::of(2024, 1, 21);
  const auto rows = stored(s, all);
  const auto query = [&](const auto& of) {
    return of.filter([=](const flight& f) { return f.day >= from && f.day < to; })
        .sum(&flight::price);
  };
  EXPECT_EQ(wanted(query(rows)), seen("day <= 2024-01-20 and day >= 2024-01-11"));
  EXPECT_EQ(left_out(query(rows)), seen("90 of 100", "none"));
  EXPECT_EQ(text_of(query(rows)), text_of(query(s.borrow(all))));
  const auto analysed = query(rows).explain_analyze();
  EXPECT_NE(analysed.find("rows 1,600, filter → 160\n"), analysed.npos) << analysed;
}

TEST_F(parquet_groups, are_left_out_by_what_compilers_make_of_comparisons) {
  PAPPUS_NEEDS_ARROW();
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = stored(s, flights(1'600, true, random_));
  const auto of = [&](auto predicate) { return left_out(rows.filter(predicate).count()); };
  const auto some = [&](const char* text) { return seen(text, "none"); };
  EXPECT_EQ(of([](const flight& f) { return f.delay >= 0 && f.delay < 20; }), some("90 of 100"));
  EXPECT_EQ(of([](const flight& f) {
              return f.day >= date::of(2024, 2, 1) && f.day < date::of(2024, 3, 1);
            }),
            some("71 of 100"));
  EXPECT_EQ(of([](const flight& f) { return f.gate / 6'554 == 5; }), some("89 of 100"));
  const std::int64_t days = 7;
  const auto from = date::of(2024, 1, 1);
  EXPECT_EQ(of([=](const flight& f) { return f.at < timestamp::of(from + 7); }), some("93 of 100"));
  EXPECT_EQ(of([=](const flight& f) { return f.delay < 10 * days - 150 && f.full == false; }),
            some("90 of 100"));
  EXPECT_EQ(of([](const flight& f) { return f.full; }), some("80 of 100"));
  EXPECT_EQ(of([](const flight& f) { return f.late && *f.late >= 0; }), some("30 of 100"));
  EXPECT_EQ(of([](const flight& f) { return f.late > 39; }), some("80 of 100"));
  EXPECT_EQ(of([](const flight& f) { return f.weight >= 4 && (f.full || f.delay > 0); }),
            some("90 of 100"));
  EXPECT_EQ(of([](const flight& f) { return !(f.weight < 4); }), "none") << "NaN isn't less";
  EXPECT_EQ(of([](const flight& f) { return f.delay < -90 || f.delay >= 90; }), some("90 of 100"));
  EXPECT_EQ(of([](const flight& f) { return f.delay < -90 || f.full; }), "none");
  EXPECT_EQ(of([](const flight& f) {
              if (f.delay < 0) return false;
              if (f.delay >= 20) return false;
              return f.price > 0;
            }),
            some("90 of 100"));
}

TEST_F(parquet_groups, are_left_out_by_texts) {
  PAPPUS_NEEDS_ARROW();
  const auto all = flights(1'600, true, random_);
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = stored(s, all);
  const auto expect = [&](auto predicate, const char* groups, const char* text) {
    const auto query = rows.filter(predicate).count();
    EXPECT_EQ(left_out(query), seen(groups, "none")) << text;
    EXPECT_EQ(wanted(query), seen(text));
    EXPECT_EQ(query.get(), s.borrow(all).filter(predicate).count().get()) << text;
  };
  expect([](const flight& f) { return f.carrier == "DL"; }, "90 of 100", R"(carrier = "DL")");
  expect([](const flight& f) { return f.carrier == "\u00e9" && f.delay > 5; }, "90 of 100",
         "delay >= 6 and carrier = \"\u00e9\"");
  expect([](const flight& f) { return f.carrier.starts_with("New"); }, "80 of 100",
         R"(carrier begins with "New")");
  expect([](const flight& f) { return f.carrier.starts_with('A'); }, "70 of 100",
         R"(carrier begins with "A")");
  expect([](const flight& f) { return f.plane == "AS"; }, "90 of 100", R"(plane = "AS" and plane)");
  expect([](const flight& f) { return f.carrier == "none of them"; }, "100 of 100",
         R"(carrier = "none of them")");
  expect([](const flight& f) { return f.kind == "New York"; }, "90 of 100", R"(kind = "New York")");
  const category wanted_kind = "AAB";
  expect([=](const flight& f) { return f.kind == wanted_kind; }, "90 of 100", R"(kind = "AAB")");
  const std::string_view view = "New York";
  const std::string string = "B6";
  expect([=](const flight& f) { return f.carrier == view; }, "90 of 100",
         R"(carrier = "New York")");
  expect([=](const flight& f) { return f.delay < 0 && f.plane == string; }, "90 of 100",
         R"(delay <= -1 and plane = "B6" and plane)");
  EXPECT_EQ(left_out(rows.filter([](const flight& f) { return f.carrier != "DL"; }).count()),
            "none");
  EXPECT_EQ(left_out(rows.filter([=](const flight& f) { return f.kind != wanted_kind; }).count()),
            "none");
}

TEST_F(parquet_groups, have_pages_that_are_left_out_at_both_ends) {
  PAPPUS_NEEDS_ARROW();
  const auto all = flights(3 * 16'384, true, random_);
  session s(options{.threads = 2, .devices = "cpu"});
  const auto query = [](const auto& of) {
    return of.filter([](const flight& f) { return f.delay >= -40 && f.delay < -35; })
        .group_by(&flight::gate)
        .sum(&flight::price);
  };
  const auto rows = stored(s, all, 16'384);
  EXPECT_EQ(text_of(query(rows)), text_of(query(s.borrow(all))));
  EXPECT_EQ(left_out(query(rows)), seen("2 of 3", "none"));
  constexpr std::int64_t step = 1'000'000'007;
  const auto middle = [](const flight& f) { return f.id > 9'000 * step && f.id < 41'000 * step; };
  EXPECT_EQ(text_of(rows.filter(middle).max(&flight::price)),
            text_of(s.borrow(all).filter(middle).max(&flight::price)));
  const auto by_text = [&](const auto& of) {
    return of.filter(middle).group_by(&flight::carrier).sum(&flight::price);
  };
  EXPECT_EQ(text_of(by_text(rows)), text_of(by_text(s.borrow(all))));
  const auto analysed = rows.filter(middle).max(&flight::price).explain_analyze();
  EXPECT_EQ(analysed.find(" of pages that weren't fetched") != analysed.npos,
            seen("some", "none") == "some")
      << analysed;
}

TEST_F(parquet_groups, are_left_out_where_blocks_are_read) {
  PAPPUS_NEEDS_ARROW();
  const auto path = folder_.file("a.parquet");
  testing::write_groups(path, flights(1'600, true, random_), 16);
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = s.parquet<flight>(path);
  const auto early = [](const flight& f) { return f.delay < -80; };
  const auto some = seen("90 of 100", "none");
  EXPECT_EQ(left_out(rows.filter(early).max(&flight::price)), some);
  EXPECT_EQ(left_out(rows.filter(early).group_by(&flight::day).sum(&flight::price)), some);
  EXPECT_EQ(left_out(rows.filter(early).top(3, &flight::price)), some);
  EXPECT_EQ(left_out(rows.filter(early).map(&flight::price).materialise()), some);
  EXPECT_EQ(left_out(rows.concat(s.parquet<flight>(path)).filter(early).count()),
            seen("180 of 200", "none"));
  EXPECT_EQ(left_out(rows.filter([](const flight& f) { return f.price < 5 || f.id < 7; })
                         .filter(early)
                         .count()),
            some);
  // Others go on as ever.
  EXPECT_EQ(left_out(rows.sort_by(&flight::price).filter(early)), "none");
  EXPECT_EQ(left_out(rows.map([](const flight& f) { return f; }).filter(early).count()), "none");
  EXPECT_EQ(left_out(rows.take(1'500).filter(early).count()), "none");
  EXPECT_EQ(left_out(s.parquet<flight>(path).cache().filter(early).count()), "none");
}

/// Of which some are left out as a whole.
TEST_F(parquet_groups, of_several_small_files_are_left_out) {
  PAPPUS_NEEDS_ARROW();
  const auto all = flights(1'600, true, random_);
  for (std::size_t i = 0; i < 16; ++i)
    testing::write_groups(folder_.file("part-" + std::to_string(10 + i) + ".parquet"),
                          std::vector(all.begin() + static_cast<std::ptrdiff_t>(i * 100),
                                      all.begin() + static_cast<std::ptrdiff_t>((i + 1) * 100)),
                          16);
  for (const unsigned threads : {1, 2, 4}) {
    session s(options{.threads = threads, .devices = "cpu"});
    const auto query = [&](const auto& rows) {
      return rows.filter([](const flight& f) { return f.delay >= -50 && f.delay < 0; })
          .sum(&flight::price);
    };
    const auto of_files = query(s.parquet<flight>(folder_.file("part-*.parquet")));
    EXPECT_EQ(left_out(of_files), seen("84 of 112", "none"));
    EXPECT_EQ(text_of(of_files), text_of(query(s.borrow(all))));
  }
}

/// CSV files have no groups: all files are read as records.
TEST_F(parquet_groups, beside_files_of_other_formats_are_read) {
  PAPPUS_NEEDS_ARROW();
  const auto all = flights(800, true, random_);
  const std::vector paths{folder_.file("a.parquet"), folder_.file("b.csv")};
  testing::write_groups(paths[0], std::vector(all.begin(), all.begin() + 500), 16);
  session s(options{.threads = 2, .devices = "cpu"});
  s.from(std::vector(all.begin() + 500, all.end())).write(paths[1]);
  const auto query = [&](const auto& rows) {
    return rows.filter([](const flight& f) { return f.delay >= -50 && f.delay < 90; })
        .sum(&flight::gate);
  };
  EXPECT_EQ(left_out(query(s.read<flight>(paths))), "none");
  EXPECT_EQ(text_of(query(s.read<flight>(paths))), text_of(query(s.borrow(all))));
}

TEST_F(parquet_groups, are_not_in_files_that_are_written) {
  PAPPUS_NEEDS_ARROW();
  const auto path = folder_.file("a.parquet");
  const auto all = flights(1'600, true, random_);
  testing::write_groups(path, all, 16);
  session s(options{.threads = 2, .devices = "cpu"});
  const auto some = [](const flight& f) { return f.delay >= -10 && f.delay < 30; };
  s.parquet<flight>(path).filter(some).write(folder_.file("b.parquet"));
  s.borrow(all).filter(some).write(folder_.file("c.parquet"));
  EXPECT_EQ(testing::content_of(folder_.file("b.parquet")),
            testing::content_of(folder_.file("c.parquet")));
}

/// A function that does more than return a result is called for all records.
TEST_F(parquet_groups, are_read_where_functions_count_their_calls) {
  PAPPUS_NEEDS_ARROW();
  session s(options{.threads = 1, .devices = "cpu"});
  static std::int64_t calls;
  calls = 0;
  const auto rows = stored(s, flights(1'600, true, random_));
  const auto few =
      rows.filter([](const flight& f) { return ++calls > 0 && f.delay < -80; }).count();
  EXPECT_EQ(few.get(), 160);
  EXPECT_EQ(calls, 1'600);
  calls = 0;
  const auto behind = rows.filter([](const flight&) { return ++calls > 0; })
                          .filter([](const flight& f) { return f.delay < -80; })
                          .count();
  EXPECT_EQ(behind.get(), 160);
  EXPECT_EQ(calls, 1'600);
}

TEST_F(parquet_groups, that_are_left_out_change_no_bit_of_a_sum) {
  PAPPUS_NEEDS_ARROW();
  for (int i = 0; i < 4; ++i) {
    const auto low = static_cast<std::int32_t>(random_() % 220) - 110;
    const auto high = low + static_cast<std::int32_t>(random_() % 60);
    expect_same([=](const auto& rows) {
      return rows.filter([=](const flight& f) { return f.delay >= low && f.delay < high; })
          .sum(&flight::price);
    });
  }
}

TEST_F(parquet_groups, that_are_left_out_change_no_group) {
  PAPPUS_NEEDS_ARROW();
  const auto gate = static_cast<std::uint16_t>(random_());
  expect_same([=](const auto& rows) {
    return rows.filter([=](const flight& f) { return f.gate > gate; })
        .group_by([](const flight& f) { return f.delay / 7; })
        .sum(&flight::price);
  });
  const auto late = static_cast<std::int32_t>(random_() % 60);
  expect_same([=](const auto& rows) {
    return rows.filter([=](const flight& f) { return f.late <= late; })
        .group_by(&flight::day)
        .aggregate(sum(&flight::price), max(&flight::id), count());
  });
}

TEST_F(parquet_groups, that_are_left_out_by_texts_change_nothing) {
  PAPPUS_NEEDS_ARROW();
  expect_same([](const auto& rows) {
    return rows.filter([](const flight& f) { return f.carrier == "B6"; }).sum(&flight::price);
  });
  expect_same([](const auto& rows) {
    return rows.filter([](const flight& f) { return f.plane && f.plane->starts_with("New"); })
        .group_by(&flight::carrier)
        .aggregate(sum(&flight::price), count());
  });
  const category kind = names[random_() % std::size(names)];
  expect_same([=](const auto& rows) {
    return rows.filter([=](const flight& f) { return f.kind == kind; })
        .sort_by(&flight::price)
        .map(&flight::id);
  });
  expect_same([](const auto& rows) {
    return rows.filter([](const flight& f) { return f.kind == "DL"; })
        .group_by(&flight::kind)
        .count();
  });
}

TEST_F(parquet_groups, that_are_left_out_change_no_order) {
  PAPPUS_NEEDS_ARROW();
  const auto weight = static_cast<float>(random_() % 100) / 10 - 5;
  expect_same([=](const auto& rows) {
    return rows.filter([=](const flight& f) { return f.weight < weight; }).map(&flight::id);
  });
  expect_same([=](const auto& rows) {
    return rows.filter([=](const flight& f) { return f.weight < weight; })
        .sort_by(&flight::gate)
        .map(&flight::id);
  });
  expect_same([=](const auto& rows) {
    return rows.filter([=](const flight& f) { return f.weight >= weight; }).top(7, &flight::id);
  });
}

}  // namespace
}  // namespace pappus::parquet_groups
