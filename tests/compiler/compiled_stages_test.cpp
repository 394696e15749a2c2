// Plain lambdas in every operator on OpenCL, as the compiler plugin compiled them: the CPU's
// answers, and that it was the device that gave them.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/element/element.h"
#include "compiler/on_opencl.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct reading {
  int station;
  float level;
  double weight;
  std::array<std::int16_t, 6> samples;
};

struct heaviest {
  double weight = -1;
  std::int64_t n = 0;
  void accumulate(const reading& r) {
    if (r.weight > weight) weight = r.weight;
    ++n;
  }
  void merge(const heaviest& other) {
    if (other.weight > weight) weight = other.weight;
    n += other.n;
  }
  std::array<double, 2> finalize() const { return {weight, static_cast<double>(n)}; }
};

std::vector<reading> readings(int n) {
  std::vector<reading> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    auto& r = rows[static_cast<std::size_t>(i)];
    r = {i % 37, static_cast<float>(i % 1000) * 0.25f, i * 0.5 - 100, {}};
    for (int j = 0; j < 6; ++j)
      r.samples[static_cast<std::size_t>(j)] = static_cast<std::int16_t>((i * 31 + j * 7) % 2001);
  }
  return rows;
}

class compiled_stages : public testing::on_opencl {
 protected:
  const std::vector<reading> rows_ = readings(3000);
};

TEST_F(compiled_stages, map_filter_and_flat_map) {
  const double limit = 17.5;
  expect_same([&](session& s) {
    return s.borrow(rows_)
        .filter([limit](const reading& r) { return r.weight > limit; })
        .flat_map([](const reading& r) {
          return std::array<int, 3>{r.station, r.samples[0], r.samples[5]};
        })
        .map([](int x) { return x % 3 == 0 ? -x : x; });
  });
}

TEST_F(compiled_stages, library_types_and_loops) {
  expect_same([&](session& s) {
    return s.borrow(rows_).map([](const reading& r) {
      std::optional<double> least;
      for (const auto sample : r.samples)
        if (sample > 100 && (!least || sample < *least)) least = sample;
      return std::complex<double>(least.value_or(-1), r.level) * std::complex<double>(2, 1);
    });
  });
}

// A loop that a switch enters in several places.
TEST_F(compiled_stages, duffs_device) {
  expect_same([](session& s) {
    return s.range(0, 1000).map([](std::int64_t x) {
      std::int64_t left = (x & 15) + 4, sum = 0;
      switch (x & 3) {
        case 0:
          do {
            sum += 3;
            [[fallthrough]];
            case 3:
              sum ^= left;
              [[fallthrough]];
            case 2:
              sum += x;
              [[fallthrough]];
            case 1:
              sum = sum * 5 % 100003;
          } while (--left > 0);
      }
      return sum;
    });
  });
}

// Clang reads these as one integer of 80 bits.
struct [[gnu::packed]] flags {
  std::int32_t low : 20;
  std::uint64_t middle : 34;
  std::int32_t high : 12;
  std::uint64_t rest : 7;
};

TEST_F(compiled_stages, bit_fields_across_words) {
  std::vector<flags> rows;
  for (int i = 0; i < 500; ++i) {
    const auto x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    flags f{};
    f.low = static_cast<std::int16_t>(x);
    f.middle = x >> 20 & 0x3ffffffff;
    f.high = static_cast<std::int16_t>(x) >> 5;
    f.rest = x >> 50 & 127;
    rows.push_back(f);
  }
  expect_same([&](session& s) {
    return s.borrow(rows).map([](const flags& f) {
      return std::array<std::int64_t, 4>{f.low, static_cast<std::int64_t>(f.middle), f.high,
                                         static_cast<std::int64_t>(f.rest)};
    });
  });
}

// Types and functions may be called like those of the device's language.
struct step {
  int from, length;
  friend bool operator==(const step&, const step&) = default;
};
step clamp(const step& s) { return {s.from, s.length < 10 ? s.length : 10}; }

TEST_F(compiled_stages, names_that_a_device_has_itself) {
  expect_same([&](session& s) {
    return s.borrow(rows_)
        .map([](const reading& r) { return step{r.station, r.samples[0]}; })
        .map(fn<clamp>)
        .filter([](const step& s) { return s.length > 3; });
  });
}

int twice(int x) { return 2 * x; }
int next(int x) { return x % 3 == 0 ? twice(x) : x + 1; }
struct operation {
  const char* name;
  int (*function)(int);
};
constexpr operation operations[] = {{"twice", twice}, {"next", next}, {"twice again", twice}};

TEST_F(compiled_stages, one_of_several_functions) {
  expect_same([&](session& s) {
    return s.borrow(rows_)
        .map([](const reading& r) { return operations[r.station % 3].function(r.samples[0]); })
        .map([](int x) {
          int (*const chosen)(int) = x % 2 == 0 ? twice : next;
          std::variant<int, float> a = chosen(x), b = 0.5f;
          if (x % 5 == 0) a = 2.5f;
          if (x % 7 == 0) b = x;
          return std::visit([](auto p, auto q) { return static_cast<double>(p - 2 * q); }, a, b);
        });
  });
}

TEST_F(compiled_stages, references_of_any_size) {
  const std::optional<double> limit = 40.5;  // 9 bytes of it are read
  const std::array<float, 6> levels{1, 20, 30, 50, 80, 130};
  const char name[] = "b7";
  expect_same([&](session& s) {
    return s.borrow(rows_)
        .filter([&limit](const reading& r) { return r.level < limit.value_or(0); })
        .map([&levels, &name](const reading& r) {
          const char own[] = {r.station % 2 == 0 ? 'b' : 'c', '7', 0};
          const auto at = std::lower_bound(levels.begin(), levels.end(), r.level);
          return (at == levels.end() ? -1 : *at) +
                 static_cast<float>(std::memcmp(name, own, 2) < 0);
        });
  });
}

TEST_F(compiled_stages, references_that_memchr_looks_through) {
  const char letters[] = "ahcdefgbijklmnop";
  expect_same([&](session& s) {
    return s.borrow(rows_).map([&letters](const reading& r) {
      const void* found = std::memchr(letters, 'a' + r.station % 20, 16);
      return letters[0] + (found == nullptr ? -1 : static_cast<const char*>(found) - letters);
    });
  });
}

// What isn't known to be copied, or where it lies, is the CPU's.
TEST_F(compiled_stages, references_into_arrays_of_records) {
  const auto& first = rows_[10];
  const auto near = [&first](const reading& r) {
    return (&first)[r.station % 3].weight + first.weight;
  };
  const auto others = [&first](const reading& r) { return &first != &r && first.level > r.level; };
  session on_cpu(options{.devices = "cpu"}), there(device());
  EXPECT_FALSE(on_device(there.borrow(rows_).map(near)));
  EXPECT_FALSE(on_device(there.borrow(rows_).filter(others)));
  EXPECT_EQ(there.borrow(rows_).map(near).sum(), on_cpu.borrow(rows_).map(near).sum());
}

TEST_F(compiled_stages, shared_data) {
  expect_same([&](session& s) {
    const auto limits = s.range(0, 40).map([](std::int64_t i) { return static_cast<int>(i * i); });
    return s.borrow(rows_).map(
        [](const reading& r, std::span<const int> limits) {
          return std::lower_bound(limits.begin(), limits.end(), int{r.samples[1]}) - limits.begin();
        },
        limits.shared());
  });
}

TEST_F(compiled_stages, large_captures_and_references) {
  std::array<int, 500> table;
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int>(i * i % 97);
  expect_same([&](session& s) {
    return s.borrow(rows_).map([table](const reading& r) { return table[r.station * 7]; });
  });
  expect_same([&](session& s) {
    return s.borrow(rows_).map([&table](const reading& r) { return table[r.station * 5]; });
  });
}

TEST_F(compiled_stages, references_are_read_anew_for_each_run) {
  int factor = 2;
  session s(device());
  const auto query = s.range(0, 100).map([&factor](std::int64_t x) { return x * factor; });
  ASSERT_TRUE(on_device(query));
  EXPECT_EQ(query.collect()[10], 20);
  factor = 5;
  EXPECT_EQ(query.collect()[10], 50);
}

TEST_F(compiled_stages, each_query_has_the_captures_of_its_own) {
  session s(device());
  const auto scaled = [&s](const int& factor, int shift) {
    return s.range(0, 100).map([&factor, shift](std::int64_t x) { return x * factor + shift; });
  };
  const int two = 2, five = 5;
  const auto a = scaled(two, 1), b = scaled(five, 3);
  ASSERT_TRUE(on_device(a));
  ASSERT_TRUE(on_device(b));
  EXPECT_EQ(a.collect()[10], 21);
  EXPECT_EQ(b.collect()[10], 53);
  EXPECT_EQ(a.collect()[10], 21);
}

TEST_F(compiled_stages, a_pointer_to_what_cannot_be_read_is_left_to_the_cpu) {
  session s(device());
  const auto* const nowhere = reinterpret_cast<const int*>(std::uintptr_t{16});
  const auto query = s.range(0, 100).map(
      [nowhere](std::int64_t x) { return x < 0 ? *nowhere : static_cast<int>(x); });
  EXPECT_EQ(query.collect()[10], 10);
  EXPECT_FALSE(on_device(query));
}

TEST_F(compiled_stages, sorts_scans_and_groups) {
  expect_same([&](session& s) {
    return s.borrow(rows_)
        .sort_by([](const reading& r) { return r.samples[2] * 3 - r.station; })
        .map([](const reading& r) { return r.weight; })
        .inclusive_scan([](double a, double b) { return a > b ? a : b; });
  });
  expect_same(
      [&](session& s) {
        return s.borrow(rows_)
            .group_by([](const reading& r) { return r.station % 5; })
            .template reduce<heaviest>();
      },
      [](const auto& a, const auto& b) { return a.key == b.key && a.value == b.value; });
}

TEST_F(compiled_stages, keys_and_operators_with_captures_and_checks) {
  std::array<int, 37> order;
  for (int i = 0; i < 37; ++i) order[static_cast<std::size_t>(i)] = i * 17 % 37;
  const auto place = [&order](int station) { return order.at(static_cast<std::size_t>(station)); };
  const auto of = [place](const reading& r) { return place(r.station); };
  const auto later = [place](int a, int b) { return place(a) < place(b) ? b : a; };
  const auto weight = [](const reading& r) { return r.weight; };
  expect_same([&](session& s) { return s.borrow(rows_).sort_by(descending(of)).map(weight); });
  expect_same([&](session& s) { return s.borrow(rows_).top(100, of).map(weight); });
  expect_same(
      [&](session& s) { return s.borrow(rows_).map(&reading::station).inclusive_scan(later); });
  expect_same([&](session& s) { return s.borrow(rows_).group_by(of).count().values(); });
  session on_cpu(options{.devices = "cpu"}), there(device());
  const auto last = [&](session& s) {
    return s.borrow(rows_).map(&reading::station).reduce(0, later);
  };
  EXPECT_TRUE(on_device(last(there)));
  EXPECT_EQ(last(there).get(), last(on_cpu).get());
}

TEST_F(compiled_stages, functions_of_batches) {
  const auto halved = batched<float>([](std::span<const reading> in, std::span<float> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i].level / 2;
  });
  expect_same([&](session& s) { return s.borrow(rows_).map(halved); });
}

TEST_F(compiled_stages, joins) {
  const auto right = [](session& s) {
    return s.range(0, 30).map([](std::int64_t i) { return static_cast<int>(i); });
  };
  const auto same = [](int i) { return i; };
  expect_same([&](session& s) {
    return s.borrow(rows_).join(right(s), &reading::station, same,
                                [](const reading& r, int i) { return r.weight + i; });
  });
  expect_same([&](session& s) {
    return s.borrow(rows_).left_join(
        right(s), &reading::station, same,
        [](const reading& r, const int* i) { return i != nullptr ? r.weight + *i : -1; });
  });
}

TEST_F(compiled_stages, a_check_that_fails_throws_what_cpp_throws) {
  session s(device());
  const auto fine = s.borrow(rows_).map(
      [](const reading& r) { return r.samples.at(static_cast<std::size_t>(r.station % 6)); });
  EXPECT_TRUE(on_device(fine));
  const auto wrong = s.borrow(rows_).map(
      [](const reading& r) { return r.samples.at(static_cast<std::size_t>(r.station % 7)); });
  EXPECT_THAT([&] { wrong.collect(); },
              ::testing::ThrowsMessage<std::out_of_range>(HasSubstr("array::at")));
  const auto own = s.borrow(rows_).filter([](const reading& r) {
    if (r.station == 36) throw std::domain_error("station 36");
    return r.level > 1;
  });
  EXPECT_THAT([&] { own.count().get(); }, ::testing::ThrowsMessage<std::domain_error>(
                                              HasSubstr("station 36; thrown in filter")));
}

TEST_F(compiled_stages, explain_tells_why_not_and_what_to_do) {
  session s(device());
  const auto query = s.borrow(rows_).map([](const reading& r) {
    return std::vector<int>(static_cast<std::size_t>(r.station), 1).size();
  });
  EXPECT_EQ(query.collect()[5], 5u);
  EXPECT_THAT(query.explain(),
              AllOf(HasSubstr("on the CPU: map: allocates memory (std::vector) at "),
                    HasSubstr("compiled_stages_test.cpp:"), HasSubstr("use an array of fixed")));
}

TEST_F(compiled_stages, explain_shows_the_code) {
  session s(device());
  const auto query = s.range(0, 100).map([](std::int64_t x) { return x + 15; });
  EXPECT_THAT(query.explain(),
              AllOf(HasSubstr("DEVICE void fn_compiled_stages_test_cpp_"), HasSubstr("+ 15;")));
}

TEST_F(compiled_stages, tell_which_bytes_of_records_they_read) {
  session s(device());
  const auto reads_of = [](const auto& query) {
    return codegen::element_of(*detail::access::node(query.materialise()))->reads;
  };
  using expected = std::vector<codegen::byte_ranges>;
  const auto rows = s.borrow(rows_);
  const auto by_level = [](const reading& r) { return r.level > 1; };
  EXPECT_EQ(reads_of(rows.map([](const reading& r) { return r.weight; })), (expected{{{8, 8}}}));
  EXPECT_EQ(reads_of(rows.filter(by_level).map(&reading::station)), (expected{{{0, 8}}}));
  EXPECT_EQ(reads_of(rows.filter(by_level)), (expected{{{0, sizeof(reading)}}}));
  EXPECT_EQ(reads_of(rows.flat_map([](const reading& r) { return r.samples; })),
            (expected{{{16, 12}}}));
}

TEST_F(compiled_stages, explain_shows_the_code_of_a_loops_body) {
  session s(device());
  const auto halved = s.do_while(
      s.range(0, 100).materialise(),
      [](const collection<int>& x) { return x.map([](int i) { return i / 2 + 17; }); },
      [](std::span<const int> before, std::span<const int> after) {
        return !std::ranges::equal(before, after);
      });
  EXPECT_THAT(halved.explain(), AllOf(HasSubstr(" | s1 map"), HasSubstr("+ 17;")));
}

TEST_F(compiled_stages, functions_of_cmath_and_complex) {
  const auto near = [](auto a, auto b) { return std::abs(a - b) <= 1e-5 * (1 + std::abs(b)); };
  expect_same([&](session& s) {
    return s.borrow(rows_)
        .filter([](const reading& r) { return std::sin(r.weight) > r.level; })
        .map(&reading::station);
  });
  expect_same(
      [&](session& s) {
        return s.borrow(rows_).map(
            [](const reading& r) { return r.samples.at(3) + std::pow(r.level, 2.0f); });
      },
      near);
  expect_same(
      [&](session& s) {
        return s.borrow(rows_).map([](const reading& r) {
          return std::complex<double>(r.weight, r.station) / std::complex<double>(1, 2);
        });
      },
      near);
}

}  // namespace
}  // namespace pappus
