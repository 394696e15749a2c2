// Rows that several stages read, or later queries (cache()), and that are larger than memory.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "spilling/items_on_disk.h"
#include "support/result_bytes.h"
#include "support/spill_settings.h"

namespace pappus::rows_in_parts {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::bytes_of_value;
using ::testing::HasSubstr;
using ::testing::Not;

/// What queries over rows yield, as bytes.
using query = std::function<std::vector<char>(const collection<item>&)>;
struct named_query {
  const char* name;
  query run;
};
const std::vector<named_query>& queries() {
  static const std::vector<named_query> all{
      {"sum", [](const auto& of) { return bytes_of_value(of.sum(&item::value).get()); }},
      {"count", [](const auto& of) { return bytes_of_value(of.count().get()); }},
      {"rows", [](const auto& of) { return bytes_of(of.map(&item::key).take(37'500)); }},
      {"a filter",
       [](const auto& of) {
         return bytes_of(of.filter([](const item& one) { return one.key % 7 == 0; }));
       }},
      {"the middle", [](const auto& of) { return bytes_of(of.skip(50'015).take(9'723)); }},
      {"a sort",
       [](const auto& of) {
         return bytes_of(of.sort_by(&item::key).map(&item::value).skip(62'500).take(12'500));
       }},
      {"groups",
       [](const auto& of) { return bytes_of(of.group_by(&item::key).sum(&item::value)); }},
      {"distinct", [](const auto& of) { return bytes_of(of.map(&item::key).distinct()); }},
      {"a scan",
       [](const auto& of) {
         return bytes_of(of.map(&item::value).inclusive_scan().skip(124'875));
       }},
      {"the last of concat",
       [](const auto& of) { return bytes_of(of.concat(of.take(125)).skip(124'990)); }},
      {"first", [](const auto& of) { return bytes_of_value(of.first().get()); }},
      {"matches",
       [](const auto& of) {
         const auto few = of.filter([](const item& one) { return one.key % 128 == 0; });
         return bytes_of_value(
             of.join(few, &item::key, &item::key,
                     [](const item& a, const item& b) { return a.value - b.value; })
                 .sum()
                 .get());
       }},
      {"matches of all",
       [](const auto& of) {
         return bytes_of_value(
             of.take(25'000)
                 .join(of, &item::key, &item::key,
                       [](const item& a, const item& b) { return a.value - b.value; })
                 .sum()
                 .get());
       }},
  };
  return all;
}

TEST(rows_in_parts, of_a_cache_are_those_of_its_file) {
  const a_disk disk;
  session with_plenty(settings(disk.folder, plenty)), s(settings(disk.folder, little));
  const collection<item> expected = with_plenty.raw<item>(disk.path);
  const auto kept = s.raw<item>(disk.path).cache();
  EXPECT_EQ(kept.count().get(), file_rows);
  const auto in_memory = with_plenty.raw<item>(disk.path).cache();
  EXPECT_EQ(in_memory.count().get(), file_rows);
  std::filesystem::remove(disk.path);
  for (const auto& [name, run] : queries()) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(run(kept) == run(in_memory));
  }
  EXPECT_LE(s.host_memory_peak(), little);
}

TEST(rows_in_parts, of_a_cache_are_computed_once) {
  const a_disk disk;
  std::atomic<std::int64_t> calls = 0;
  for (const unsigned threads : {1U, 2U, 5U}) {
    session s(settings(disk.folder, (8 + 2 * threads) * scaled_mib, threads));
    calls = 0;
    const auto kept = s.raw<item>(disk.path)
                          .map([&](const item& one) {
                            calls.fetch_add(1, std::memory_order_relaxed);
                            return item{one.key, one.value * 2};
                          })
                          .filter([](const item& one) { return one.key % 16 != 3; })
                          .cache();
    const auto sum = kept.sum(&item::value).get();
    EXPECT_EQ(calls, file_rows);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(kept.sum(&item::value).get(), sum);
    EXPECT_EQ(calls, file_rows);
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
  }
}

TEST(rows_in_parts, of_sorts_and_groups_are_kept_too) {
  const a_disk disk;
  session with_plenty(settings(disk.folder, plenty)), s(settings(disk.folder, little));
  const auto sums = [&](session& in) {
    return in.raw<item>(disk.path).group_by(&item::key).sum(&item::value).cache();
  };
  const auto sorted = [&](session& in) {
    return in.raw<item>(disk.path).sort_by(&item::key).cache();
  };
  const auto kept_sums = sums(s), expected_sums = sums(with_plenty);
  const auto kept = sorted(s), expected = sorted(with_plenty);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(bytes_of(kept_sums) == bytes_of(expected_sums));
    EXPECT_TRUE(bytes_of(kept) == bytes_of(expected));
    EXPECT_EQ(kept.sum(&item::value).get(), expected.sum(&item::value).get());
  }
  const auto& matches = [](const collection<item>& a, const auto& b) {
    return bytes_of(a.join(
                         b, &item::key, [](const auto& g) { return g.key; },
                         [](const item& x, const auto& g) { return x.value - g.value; })
                        .skip(62'500));
  };
  EXPECT_TRUE(matches(kept, kept_sums) == matches(expected, expected_sums));
}

TEST(rows_in_parts, are_read_once_for_all_readers) {
  const a_disk disk;
  std::atomic<std::int64_t> calls = 0;
  const auto both = [&](session& s) {
    const collection<item> kept = s.raw<item>(disk.path).map([&](const item& one) {
      calls.fetch_add(1, std::memory_order_relaxed);
      return item{one.key + 1, one.value};
    });
    const auto sums = kept.group_by(&item::key).sum(&item::value);
    const auto least = kept.sort_by(descending(&item::value)).map(&item::key).first();
    const auto sum = kept.sum(&item::value);
    s.run(sum, least);
    auto result = bytes_of_value(sum.get() + static_cast<double>(least.get()));
    // As one query: the collection has two readers in it.
    const auto far = kept.semi_join(sums.filter([](const auto& g) { return g.value > 1.25e4; }),
                                    &item::key, [](const auto& g) { return g.key; });
    const auto more = bytes_of(far);
    result.insert(result.end(), more.begin(), more.end());
    return result;
  };
  session with_plenty(settings(disk.folder, plenty)), s(settings(disk.folder, little));
  const auto expected = both(with_plenty);
  EXPECT_EQ(calls.exchange(0), 2 * file_rows);
  EXPECT_TRUE(both(s) == expected);
  EXPECT_EQ(calls, 2 * file_rows);
  EXPECT_EQ(s.host_memory_used(), 0u);
  EXPECT_LE(s.host_memory_peak(), little);
}

TEST(rows_in_parts, of_all_shapes) {
  for (const std::int64_t rows : {0, 1, 625, 62'500, 98'304}) {
    const a_disk disk(rows);
    session with_plenty(settings(disk.folder, plenty, 1)),
        s(settings(disk.folder, 10 * scaled_mib, 1));
    const auto all = [&](session& in, int of_8) {
      return in.raw<item>(disk.path)
          .filter([of_8](const item& one) { return one.key % 8 < of_8; })
          .cache();
    };
    for (const int of_8 : {0, 1, 8}) {
      SCOPED_TRACE(fmt::format("{} rows, {} of 8", rows, of_8));
      const auto kept = all(s, of_8), expected = all(with_plenty, of_8);
      EXPECT_TRUE(bytes_of(kept.sort_by(&item::key)) == bytes_of(expected.sort_by(&item::key)));
      EXPECT_TRUE(bytes_of(kept) == bytes_of(expected));
    }
  }
}

struct wide {
  std::int64_t row;
  std::int64_t rest[1'599];
};

TEST(rows_in_parts, of_wide_records) {
  const spill_folder folder;
  session s(settings(folder, little));
  const std::string path = folder.path() + ".raw";
  const a_disk disk(200);
  std::filesystem::copy_file(disk.path, path);
  const auto kept =
      s.raw<item>(path)
          .flat_map([](const item& one) { return std::vector<std::int64_t>{one.key}; })
          .map([](std::int64_t key) {
            wide made{};
            made.row = key;
            made.rest[1'598] = key + 1;
            return made;
          })
          .cache();
  for (int i = 0; i < 2; ++i) {
    std::int64_t row = 0;
    bool good = true;
    kept.for_each_chunk([&](std::span<const wide> chunk) {
      for (const auto& one : chunk) {
        good = good && one.row == item_of(row++).key && one.rest[1'598] == one.row + 1;
      }
    });
    EXPECT_TRUE(good);
    EXPECT_EQ(row, 200);
  }
}

struct line {
  std::string_view text;
  std::int64_t number;
};

/// Lines with texts of 0 to `most` bytes, 40 on average, and some that are the same.
std::string write_lines(const std::string& path, std::int64_t rows) {
  std::ofstream file(path);
  file << "text,number\n";
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto key = static_cast<std::uint64_t>(item_of(i).key);
    file << fmt::format("{}{:x},{}\n", std::string(key % 80, static_cast<char>('a' + key % 26)),
                        key % 1'249, i);
  }
  return path;
}

/// Order and bytes of lines.
std::uint64_t hash_of(const collection<line>& rows) {
  std::uint64_t hash = 14'695'981'039'346'656'037u;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 1'099'511'628'211u; };
  rows.for_each_chunk([&](std::span<const line> chunk) {
    for (const auto& one : chunk) {
      for (const char c : one.text) add(static_cast<unsigned char>(c));
      add(static_cast<unsigned char>(one.number));
    }
  });
  return hash;
}

TEST(rows_in_parts, take_their_text_along) {
  const spill_folder folder;
  const auto path = write_lines(folder.path() + ".csv", 37'500);  // 1.9 MiB, and 0.9 MiB of records
  session with_plenty(settings(folder, plenty)), s(settings(folder, little));
  const auto lines = [&](session& in) {
    return in.csv<line>(path, column("text", &line::text), column("number", &line::number))
        .filter([](const line& one) { return one.number % 32 != 5; })
        .cache();
  };
  const auto kept = lines(s), expected = lines(with_plenty);
  const auto few = [](const collection<line>& of) {
    return of.filter([](const line& one) { return one.number % 127 == 1; });
  };
  const auto by_text = [](const collection<line>& of) { return of.sort_by(&line::text); };
  EXPECT_EQ(hash_of(kept), hash_of(expected));
  EXPECT_EQ(hash_of(by_text(kept)), hash_of(by_text(expected)));
  EXPECT_EQ(hash_of(few(kept)), hash_of(few(expected)));
  EXPECT_EQ(hash_of(kept.skip(12'500)), hash_of(expected.skip(12'500)));
  EXPECT_EQ(hash_of(few(kept).cache()), hash_of(few(expected).cache()));
  EXPECT_LE(s.host_memory_peak(), little);
  EXPECT_THAT(kept.explain(), AllOf(HasSubstr("rest in the spill file"),
                                    Not(HasSubstr("the text of their strings stays"))));
}

TEST(rows_in_parts, of_files_in_turn) {
  const a_disk disk(50'000), other(75'000);
  const auto both = [&](session& s) {
    return s.raw<item>(disk.path).concat(s.raw<item>(other.path)).cache();
  };
  session with_plenty(settings(disk.folder, plenty)), s(settings(disk.folder, little));
  const auto kept = both(s), expected = both(with_plenty);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(bytes_of(kept) == bytes_of(expected));
  const auto again = [&](session& in, const collection<item>& of) {
    return bytes_of(of.take(7).concat(in.raw<item>(other.path)).concat(of).skip(81'250));
  };
  EXPECT_TRUE(again(s, kept) == again(with_plenty, expected));
}

TEST(rows_in_parts, are_gone_through_in_each_iteration_of_a_loop) {
  const a_disk disk;
  const auto best = [&](session& s) {
    const auto kept = s.raw<item>(disk.path).cache();
    kept.count().get();
    const auto mean = [&](const collection<double>& before) {
      return kept
          .map([](const item& one, std::span<const double> at) { return one.value - at[0] / 2; },
               before.shared())
          .group_by([](double x) { return x < 0; })
          .sum()
          .map([](const auto& group) { return group.value * 8e-6; })
          .take(1);
    };
    const auto always = [](std::span<const double>, std::span<const double>) { return true; };
    const auto loop = s.do_while(s.from(std::vector{1.0}), mean, always, max_iterations{4});
    if (s.host_memory() == little) {
      EXPECT_THAT(loop.explain(), HasSubstr("read in each iteration"));
    }
    return bytes_of(loop);
  };
  session with_plenty(settings(disk.folder, plenty)), s(settings(disk.folder, little));
  EXPECT_TRUE(best(s) == best(with_plenty));
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(rows_in_parts, are_explained) {
  const a_disk disk;
  session s(settings(disk.folder, little));
  const auto kept = s.raw<item>(disk.path).cache();
  const auto sum = kept.sum(&item::value);
  EXPECT_THAT(sum.explain(), AllOf(HasSubstr("its rows are kept in parts"),
                                   HasSubstr("in memory, or a spill file in")));
  sum.get();
  EXPECT_THAT(kept.count().explain(),
              AllOf(HasSubstr("in parts, of which each reader takes windows"),
                    HasSubstr("rest in the spill file")));
  session with_plenty(settings(disk.folder, plenty));
  EXPECT_THAT(with_plenty.raw<item>(disk.path).cache().sum(&item::value).explain(),
              Not(HasSubstr("kept in parts")));
}

TEST(rows_in_parts, go_to_a_device_as_a_whole) {
  const a_disk disk;
  const double sum =
      session(settings(disk.folder, plenty)).raw<item>(disk.path).sum(&item::value).get();
  auto on_devices = settings(disk.folder, 28 * scaled_mib);
  for (const char* const devices : {"test", "test,cpu"}) {
    SCOPED_TRACE(devices);
    on_devices.devices = devices;
    session s(on_devices);
    const auto kept = s.raw<item>(disk.path).cache();
    const auto on_device = [&](const collection<item>& of) {
      return of.map([](const item& one) { return one.value; }).on("test").sum().get();
    };
    EXPECT_DOUBLE_EQ(on_device(kept), sum);
    EXPECT_DOUBLE_EQ(on_device(kept), sum);
    const auto keys = s.range(0, 62'500).zip(kept).map(
        [](const auto& p) { return p.first + static_cast<int>(p.second.key & 1); });
    EXPECT_EQ(keys.on("test").count().get(), 62'500);
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
  }
}

TEST(rows_in_parts, need_no_more_memory_where_they_lie_in_it) {
  const a_disk disk;
  session with_plenty(settings(disk.folder, plenty));
  const auto sorted = [](const collection<item>& of) {
    return of.sort_by(&item::key).map(&item::value).skip(3).first().get();
  };
  const auto expected = sorted(with_plenty.raw<item>(disk.path));
  for (const std::size_t memory : {12, 18, 20, 24, 28}) {
    SCOPED_TRACE(fmt::format("{} scaled MiB", memory));
    session s(settings(disk.folder, memory * scaled_mib));
    const auto kept = s.raw<item>(disk.path).cache();
    EXPECT_EQ(kept.count().get(), file_rows);  // now as many of them are in memory as there can be
    EXPECT_EQ(sorted(kept), expected);
    EXPECT_EQ(kept.group_by(&item::key).count().sum([](const auto& g) { return g.value; }).get(),
              file_rows);
    if (memory < 20) continue;
    const auto all = kept.collect();  // one copy, and no other
    EXPECT_EQ(all.size(), static_cast<std::size_t>(file_rows));
  }
}

TEST(rows_in_parts, are_not_used_where_a_reader_needs_all_rows) {
  const a_disk disk;
  session s(settings(disk.folder, 28 * scaled_mib));
  const collection<item> rows = s.raw<item>(disk.path);
  const auto sum = rows.sum(&item::value);
  const auto some =
      s.range(0, 1'000)
          .map(
              [](int i, std::span<const item> of) { return of[static_cast<std::size_t>(i)].value; },
              rows.shared())
          .sum();
  s.run(sum, some);
  EXPECT_GT(sum.get(), some.get());
}

TEST(rows_in_parts, behind_others_are_there_until_their_last_reader) {
  const a_disk disk, other(75'000);
  const auto both = [&](session& s, std::int64_t most) {
    const collection<item> some =
        s.raw<item>(disk.path).filter([most](const item& one) { return one.key < most; });
    const auto sum = some.sum(&item::value);
    const auto all =
        s.raw<item>(other.path).concat(some).concat(s.raw<item>(disk.path)).sum(&item::value);
    s.run(sum, all);
    return std::pair(sum.get(), all.get());
  };
  session with_plenty(settings(disk.folder, plenty)), s(settings(disk.folder, little));
  for (const std::int64_t most : {0, 125, 250'000})
    EXPECT_EQ(both(s, most), both(with_plenty, most));
  EXPECT_EQ(s.host_memory_used(), 0u);
  const auto twice = [&](session& in) {
    const collection<item> rows = in.raw<item>(disk.path).skip(1);
    return bytes_of(rows.concat(rows).skip(237'500));
  };
  EXPECT_TRUE(twice(s) == twice(with_plenty));
}

TEST(rows_in_parts, are_refused_where_all_must_be_in_memory) {
  const a_disk disk;
  session s(settings(disk.folder, little));
  const auto kept = s.raw<item>(disk.path).cache();
  EXPECT_EQ(kept.count().get(), file_rows);
  EXPECT_THROW(kept.collect(), memory_error);
  EXPECT_EQ(kept.sum(&item::key).get(), kept.sum(&item::key).get());
  auto off = settings(disk.folder, little);
  off.spill = "off";
  session without(off);
  EXPECT_THROW(without.raw<item>(disk.path).cache().count().get(), memory_error);
  EXPECT_EQ(without.host_memory_used(), 0u);
}

}  // namespace
}  // namespace pappus::rows_in_parts
