// Several aggregates in one pass, against each of them alone and against a loop.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

struct sample {
  std::int32_t key;
  std::int32_t number;
  float weight;
  std::int16_t small;
  double value;
};
struct key_figures {
  double mean;
  std::int32_t most;
  std::int64_t n;
  friend bool operator==(const key_figures&, const key_figures&) = default;
};

/// Values are multiples of 1/4, so that sums are exact whatever the order of addition.
std::vector<sample> samples(random& random, std::int64_t n, int keys) {
  std::vector<sample> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<std::int32_t>(random.between(0, keys - 1)),
         static_cast<std::int32_t>(random.between(-1000, 1000)),
         0.25F * static_cast<float>(random.between(-100, 100)),
         static_cast<std::int16_t>(random.between(-9, 9)),
         0.25 * static_cast<double>(random.between(-1000, 1000))};
  return rows;
}

/// A reducer of a user's, whose prototype matters.
struct longest_climb {
  std::int32_t step = 1, least = 0, most = 0;
  void accumulate(std::int32_t x) {
    least = std::min(least, x * step);
    most = std::max(most, x * step);
  }
  void merge(const longest_climb& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
  std::int64_t finalize() const { return std::int64_t{most} - least; }
};

using all_results =
    results<double, double, std::int32_t, std::int64_t, float, double,
            reducers::extreme<std::int16_t, std::int32_t>, std::int64_t, std::int64_t>;

/// As all_results has it, by loops.
struct by_loop {
  double total = 0;
  std::int64_t numbers = 0, n = 0, odd = 0;
  std::int32_t most = std::numeric_limits<std::int32_t>::min(), low = 0, high = 0;
  float least = std::numeric_limits<float>::infinity();
  double weights = 0;
  reducers::extreme<std::int16_t, std::int32_t> least_small{32767, 0};

  void add(const sample& r) {
    total += r.value;
    numbers += r.number;
    ++n;
    odd += r.number % 2 != 0 ? 1 : 0;
    most = std::max(most, r.number);
    least = std::min(least, r.weight);
    weights += static_cast<double>(r.weight);
    low = std::min(low, 3 * r.number);
    high = std::max(high, 3 * r.number);
    if (r.small < least_small.value || (r.small == least_small.value && r.number < least_small.arg))
      least_small = {r.small, r.number};
  }
  all_results get() const {
    const auto many = static_cast<double>(n);
    return {total,       static_cast<double>(numbers) / many,
            most,        n,
            least,       weights,
            least_small, std::int64_t{high} - low,
            odd};
  }
};

auto all_of_them(const auto& of) {
  return of.aggregate(sum(&sample::value), mean(&sample::number),
                      (pappus::max)(fn<&sample::number>), count(),
                      (pappus::min)([](const sample& r) { return r.weight; }), sum(&sample::weight),
                      argmin(&sample::small, &sample::number),
                      reduced<longest_climb>(&sample::number, longest_climb{.step = 3}),
                      count_if([](const sample& r) { return r.number % 2 != 0; }));
}

TEST(aggregate, of_groups_is_that_of_a_loop_on_every_device) {
  random random(81);
  for (const int keys : {7, 20'000})
    for (const auto n : sizes()) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << keys << " keys");
      const auto rows = samples(random, n, keys);
      std::map<std::int32_t, by_loop> expected;
      for (const auto& r : rows) expected[r.key].add(r);
      for (const auto& setting : settings()) {
        SCOPED_TRACE(setting);
        session s(setting.as_options());
        const auto got = all_of_them(s.borrow(rows).group_by(&sample::key)).collect();
        ASSERT_EQ(got.size(), expected.size());
        auto next = expected.begin();
        for (const auto& [key, value] : got) {
          ASSERT_EQ(key, next->first);
          ASSERT_TRUE(value == next->second.get()) << "key " << key;
          ++next;
        }
        expect_no_failures(s);
      }
    }
}

TEST(aggregate, of_all_rows_is_that_of_a_loop_on_every_device) {
  random random(82);
  for (const auto n : sizes()) {
    if (n == 0) continue;
    SCOPED_TRACE(::testing::Message() << n << " rows");
    const auto rows = samples(random, n, 5);
    by_loop expected, kept, doubled;
    for (const auto& r : rows) {
      expected.add(r);
      if (r.number > -990) kept.add(r);
      for (int i = 0; i < 2; ++i) doubled.add(r);
    }
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      const auto all = s.borrow(rows);
      EXPECT_TRUE(all_of_them(all).get() == expected.get());
      const auto filtered = all.filter([](const sample& r) { return r.number > -990; });
      if (kept.n > 0) {
        EXPECT_TRUE(all_of_them(filtered).get() == kept.get());
      }
      const auto twice = all.flat_map([](const sample& r) { return std::array{r, r}; });
      EXPECT_TRUE(all_of_them(twice).get() == doubled.get());
      expect_no_failures(s);
    }
  }
}

TEST(aggregate, adds_floats_as_each_sum_alone_does) {
  random random(83);
  for (const auto n : {1, 15, 16, 511, 513, 65'537, up_to(700'001)}) {
    std::vector<float> rows(static_cast<std::size_t>(n));
    for (float& x : rows) x = static_cast<float>(random.real(-1, 1) * std::exp(random.real(-9, 9)));
    for (const auto& setting : settings()) {
      if (!adds_as_documented(setting)) continue;
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      const auto all = s.borrow(rows);
      const auto [total, average, deviation, greatest] =
          all.aggregate(sum(), mean(), variance(), (pappus::max)()).get();
      EXPECT_TRUE(same_bytes(total, all.sum().get()));
      EXPECT_TRUE(same_bytes(average, all.mean().get()));
      EXPECT_TRUE(same_bytes(deviation, all.variance().get()));
      EXPECT_TRUE(same_bytes(greatest, (all.max)().get()));
    }
  }
}

TEST(aggregate, has_the_same_bits_for_any_setting) {
  random random(84);
  std::vector<sample> rows = samples(random, up_to(200'003), 1000);
  for (auto& r : rows) r.value = random.real(-1, 1) * std::exp(random.real(-20, 20));
  const auto run = [&](session& s) {
    const auto kept = s.borrow(rows).filter([](const sample& r) { return r.number % 3 != 0; });
    return pair{kept.aggregate(sum(&sample::value), variance(&sample::value)).get(),
                kept.group_by(&sample::key)
                    .aggregate(mean(&sample::value), variance(&sample::value))
                    .collect()
                    .to_vector()};
  };
  std::optional<decltype(run(std::declval<session&>()))> first;
  for (const auto& setting : settings()) {
    if (std::string_view(setting.devices) != "cpu") continue;
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = run(s);
    if (!first) first = got;
    EXPECT_TRUE(got.first == first->first);
    EXPECT_TRUE(got.second == first->second);
  }
}

TEST(aggregate, makes_the_structs_that_it_is_asked_for) {
  random random(85);
  const auto rows = samples(random, up_to(5000), 10);
  std::map<std::int32_t, by_loop> groups;
  by_loop all;
  for (const auto& r : rows) {
    groups[r.key].add(r);
    all.add(r);
  }
  const auto made = [](const by_loop& of) {
    return key_figures{static_cast<double>(of.numbers) / static_cast<double>(of.n), of.most, of.n};
  };
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto of = s.borrow(rows);
    EXPECT_EQ(of.template aggregate<key_figures>(mean(&sample::number),
                                                 (pappus::max)(&sample::number), count())
                  .get(),
              made(all));
    const auto got =
        of.group_by(&sample::key)
            .template aggregate<key_figures>(mean(&sample::number), (pappus::max)(&sample::number),
                                             count())
            .filter([](const keyed<std::int32_t, key_figures>& g) { return g.key != 3; })
            .collect();
    groups.erase(3);
    ASSERT_EQ(got.size(), groups.size());
    for (const auto& [key, value] : got) EXPECT_EQ(value, made(groups.at(key))) << key;
    expect_no_failures(s);
  }
}

TEST(aggregate, of_a_domain_keeps_empty_groups_that_have_results) {
  const std::vector<sample> rows{{2, 5, 0, 0, 1}, {2, 7, 0, 0, 2}};
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto groups = s.borrow(rows).group_by(&sample::key, domain{4});
    const auto got = groups.aggregate(count(), sum(&sample::value)).collect();
    ASSERT_EQ(got.size(), 4u);
    for (const auto& [key, value] : got) {
      const auto [n, total] = value;
      EXPECT_EQ(n, key == 2 ? 2 : 0);
      EXPECT_EQ(total, key == 2 ? 3 : 0);
    }
    EXPECT_THAT(([&] { groups.aggregate(count(), (pappus::min)(&sample::number)).collect(); }),
                ::testing::ThrowsMessage<usage_error>(::testing::HasSubstr("min")));
  }
}

TEST(aggregate, has_the_first_and_the_last_of_each_group_and_of_all) {
  random random(86);
  const auto rows = samples(random, up_to(70'001), 300);
  std::map<std::int32_t, std::pair<double, double>> ends;
  for (const auto& r : rows) {
    const auto [at, is_new] = ends.try_emplace(r.key, r.value, r.value);
    at->second.second = r.value;
  }
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto of = s.borrow(rows);
    const auto got =
        of.group_by(&sample::key).aggregate(first(&sample::value), last(&sample::value)).collect();
    ASSERT_EQ(got.size(), ends.size());
    for (const auto& [key, value] : got)
      ASSERT_EQ((std::pair{get<0>(value), get<1>(value)}), ends.at(key)) << key;
    EXPECT_EQ(get<0>(of.aggregate(last(&sample::value)).get()), rows.back().value);
    expect_no_failures(s);
  }
}

TEST(aggregate, of_groups_may_be_a_single_one_of_two_functions) {
  random random(87);
  const auto rows = samples(random, up_to(3000), 20);
  std::map<std::string_view, reducers::extreme<std::int16_t, std::int32_t>> expected;
  const auto name = [](const sample& r) {
    return std::string_view("many names").substr(static_cast<std::size_t>(r.key) % 10);
  };
  for (const auto& r : rows) {
    const auto [at, is_new] = expected.try_emplace(name(r), r.small, r.number);
    auto& [value, arg] = at->second;
    if (value < r.small || (value == r.small && r.number < arg)) value = r.small, arg = r.number;
  }
  session s({.threads = 2, .devices = "cpu"});
  const auto got =
      s.borrow(rows).group_by(name).aggregate(argmax(&sample::small, &sample::number)).collect();
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [key, most] : got) EXPECT_EQ(get<0>(most), expected.at(key)) << key;
}

struct large {
  std::array<std::int64_t, 1500> values;
  std::int32_t number;
};
/// Which has no assignment.
struct constant {
  std::int32_t number;
  constant() = default;
  constant(std::int32_t n) : number(n) {}
  constant(const constant&) = default;
  constant& operator=(const constant&) = delete;
};
struct sum_of_constants {
  std::int64_t sum = 0;
  void accumulate(const constant& x) { sum += x.number; }
  void merge(const sum_of_constants& other) { sum += other.sum; }
  std::int64_t finalize() const { return sum; }
};

TEST(aggregate, takes_large_values_and_such_without_assignment) {
  std::vector<large> rows(5000);
  for (int i = 0; i < 5000; ++i) {
    const auto at = static_cast<std::size_t>(i);
    rows[at].number = i;
    rows[at].values[1499] = i * 7919 % 5003;
  }
  session s({.threads = 3, .devices = "cpu"});
  const auto of = s.borrow(rows);
  const auto [n, earliest, latest, total] =
      of.aggregate(count(), first(&large::values), (pappus::max)(&large::values),
                   reduced<sum_of_constants>([](const large& r) { return constant(r.number); }))
          .get();
  EXPECT_EQ(n, 5000);
  EXPECT_EQ(earliest[1499], 0);
  EXPECT_EQ(latest[1499], of.map([](const large& r) { return r.values[1499]; }).max().get());
  EXPECT_EQ(total, 4999 * 2500);
}

TEST(aggregate, of_nothing_is_what_each_is_of_nothing) {
  session s;
  const auto none = s.from(std::vector<sample>());
  const auto [n, total, average] =
      none.aggregate(count(), sum(&sample::number), mean(&sample::value)).get();
  EXPECT_EQ(n, 0);
  EXPECT_EQ(total, 0);
  EXPECT_TRUE(std::isnan(average));
  EXPECT_THAT(([&] { none.aggregate(count(), (pappus::max)(&sample::number)).get(); }),
              ::testing::ThrowsMessage<usage_error>("max: expected at least one record, got none"));
  EXPECT_EQ(get<0>(none.aggregate(count()).get()), 0);
  EXPECT_EQ(none.group_by(&sample::key).aggregate(count()).count().get(), 0);
}

struct person {
  std::string_view town, name;
  std::int32_t age;
};

TEST(aggregate, keeps_the_text_of_results) {
  std::vector<std::string> towns, names;
  std::vector<person> rows;
  for (int i = 0; i < 3000; ++i) {
    towns.push_back("a town of many characters " + std::to_string(i % 17));
    names.push_back("somebody called " + std::to_string(i));
  }
  for (int i = 0; i < 3000; ++i)
    rows.push_back(
        {towns[static_cast<std::size_t>(i)], names[static_cast<std::size_t>(i)], i * 7919 % 3001});
  for (const auto& setting : settings()) {
    if (std::string_view(setting.devices) != "cpu") continue;
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto of = s.borrow(rows);
    const auto got = of.group_by(&person::town)
                         .aggregate(first(&person::name), argmax(&person::age, &person::name),
                                    mean(&person::age))
                         .collect();
    ASSERT_EQ(got.size(), 17u);
    for (const auto& [town, value] : got) {
      const auto& [earliest, oldest, age] = value;
      EXPECT_TRUE(earliest.starts_with("somebody called "));
      const person* most = nullptr;
      for (const auto& r : rows)
        if (r.town == town && (most == nullptr || r.age > most->age)) most = &r;
      EXPECT_EQ(oldest.arg, most->name);
      EXPECT_EQ(oldest.value, most->age);
    }
    const auto [earliest] = of.aggregate(first(&person::name)).get();
    EXPECT_EQ(earliest, names[0]);
  }
}

TEST(results, are_taken_apart_and_compared) {
  results<int, double, char> all{1, 2.5, 'c'};
  static_assert(std::is_trivially_copyable_v<decltype(all)>);
  static_assert(std::tuple_size_v<decltype(all)> == 3);
  auto& [one, two, three] = all;
  one = 4;
  EXPECT_EQ(get<0>(all), 4);
  EXPECT_EQ(two, 2.5);
  EXPECT_EQ(get<2>(std::as_const(all)), 'c');
  EXPECT_EQ(all, (results<int, double, char>{4, 2.5, three}));
  static_assert(detail::field_count<decltype(all)>() == 3);
  static_assert(detail::field_count<keyed<int, decltype(all)>>() == 2);
  static_assert(detail::field_count<keyed<int, results<float>>>() == 2);
  static_assert(detail::field_count<keyed<int, results<pair<int, std::string_view>>>>() == 2);
  static_assert(detail::text_of<results<int, std::string_view>>() == detail::text_in::views);
  static_assert(detail::bits_key<results<int, float>>);
  EXPECT_EQ(detail::decode_key<decltype(all)>(detail::encode_key(all)), all);
}

}  // namespace
}  // namespace pappus::testing
