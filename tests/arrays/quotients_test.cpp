// Launches whose annotations have quotients: with compilers that have no plugin, too, they reduce
// block by block, into the elements that a loop reduces into.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/refusal.h"
#include "imagined_file.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

constexpr const char* shrinking =
    "from, to: global [i, j] => read from[i,j], reduce to[(i-top)/k,(j-left)/l]";

/// Indices from `low` on, and blocks of k x l of them.
struct shrinking_case {
  box<2> indices;
  std::int64_t k, l;

  std::vector<named_value> values() const {
    return {{"top", indices.low[0]}, {"left", indices.low[1]}, {"k", k}, {"l", l}};
  }
  idx<2> extents() const {
    return {(indices.shape()[0] - 1) / k + 1, (indices.shape()[1] - 1) / l + 1};
  }
  auto function() const {
    return [low = indices.low, k = k, l = l](idx<2> p, reads<std::int32_t, 2> from,
                                             reduces<std::int64_t, 2> to) {
      to((p[0] - low[0]) / k, (p[1] - low[1]) / l) += from[p];
    };
  }
};

/// Not the same for any two neighbours.
std::int32_t shade(std::int64_t i, std::int64_t j) {
  return static_cast<std::int32_t>((i * 2'654'435'761 + j * 40'503) % 100'003);
}

std::vector<std::int64_t> shrunk(const shrinking_case& of) {
  const auto extents = of.extents();
  std::vector<std::int64_t> result(static_cast<std::size_t>(extents[0] * extents[1]));
  const auto [low, high] = of.indices;
  for (auto i = low[0]; i < high[0]; ++i)
    for (auto j = low[1]; j < high[1]; ++j)
      result[static_cast<std::size_t>((i - low[0]) / of.k * extents[1] + (j - low[1]) / of.l)] +=
          shade(i, j);
  return result;
}

TEST(annotated_quotients, reduce_as_a_loop_does) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto from = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random()) % (high - low + 1);
    };
    const idx<2> low{from(0, 50), from(0, 50)};
    const shrinking_case one{
        {low, {low[0] + from(1, 120), low[1] + from(1, 150)}}, from(1, 20), from(1, 20)};
    const auto file =
        imagine<std::int32_t, 2>(one.indices.high, {from(1, 40), from(1, 40)},
                                 [](const idx<2>& at) { return shade(at[0], at[1]); });
    session s({.threads = static_cast<unsigned>(from(1, 5)), .devices = "cpu"});
    const auto slide = array_over(s, file);
    for (const auto& in : {slide, slide.copy()}) {
      const auto to = s.zeros<std::int64_t, 2>(one.extents());
      s.for_each(one.indices, annotated(one.function(), shrinking, one.values()), in, to);
      ASSERT_EQ(to.to_vector(), shrunk(one));
    }
  }
}

/// Notes where it was when it was added to.
struct placed {
  const void* where = nullptr;
  std::int64_t n = 0;
  void accumulate() { where = this, ++n; }
  void merge(const placed& other) {
    if (other.n > 0) where = other.where;
    n += other.n;
  }
};

TEST(annotated_quotients, keep_an_element_in_registers_for_its_turn) {
  session s({.threads = 1, .devices = "cpu"});
  const auto places_in = [&](const char* text) {
    const auto to = s.filled<placed>({10}, {});
    s.for_each(box<1>{100, 200},
               annotated([](idx<1> i, reduces<placed> to) { to[(i - 100) / 10].accumulate(); },
                         text, {{"low", 100}, {"k", 5}}),
               to);
    const auto states = to.host();
    std::vector<const void*> places;
    for (std::int64_t e = 0; e < 10; ++e) {
      EXPECT_EQ(states[e].n, 10);
      if (places.empty() || places.back() != states[e].where) places.push_back(states[e].where);
    }
    return places.size();
  };
  // All have been where one variable is, instead of each in the array's or a leaf's memory.
  EXPECT_EQ(places_in("to: global i => reduce to[(i-low)/(2*k)]"), 1U);
  EXPECT_EQ(places_in("to: global i => reduce to[(i-low)/10]"), 1U);
  EXPECT_EQ(places_in("to: global i => reduce to"), 10U);
}

TEST(annotated_quotients, read_only_what_they_name) {
  session s({.threads = 2, .devices = "cpu"});
  const auto in = s.unwritten<std::int32_t>({40});
  in[{10, 31}].fill(7);
  const auto out = s.zeros<std::int32_t>({40});
  const auto f = [](idx<1> i, reads<std::int32_t> from, writes<std::int32_t> to) {
    to[i] = from[(i + 20) / 2] + from[(i + 20) / 2 + 1];
  };
  s.for_each(
      {40},
      annotated(f, "in, out: global i => read in[(i+20)/k:(i+20)/k+1], write out[i]", {{"k", 2}}),
      in, out);
  EXPECT_THAT(out.to_vector(), ::testing::Each(14));
  EXPECT_EQ(refusal([&] {
              s.for_each({41},
                         annotated(f,
                                   "in, out: global i => read in[(i+20)/2:(i+20)/2+1], "
                                   "write out[i]"),
                         in, s.zeros<std::int32_t>({41}));
            }),
            "for_each at quotients_test.cpp:N: in: expected elements that were written before, got "
            "[31] of array<int> of 40 that nobody has written (in, out: global i => read "
            "in[(i+20)/2:(i+20)/2+1], write out[i]); write them first, or make the array with "
            "zeros()");
}

TEST(annotated_quotients, are_refused_where_indices_would_write_the_same) {
  session s({.threads = 2, .devices = "cpu"});
  const auto out = s.zeros<std::int32_t>({40});
  const auto write = [&](const char* text, std::int64_t k) {
    return refusal([&] {
      s.for_each({20},
                 annotated(
                     [k](idx<1> i, writes<std::int32_t> to) {
                       to[(2 * i + 1) / k] = static_cast<std::int32_t>(i);
                     },
                     text, {{"k", k}}),
                 out);
    });
  };
  constexpr const char* text = "out: global i => write out[(2*i+1)/k]";
  EXPECT_EQ(write(text, 1), "nothing");
  EXPECT_EQ(write(text, 2), "nothing");
  EXPECT_EQ(out.host()[19], 19);
  EXPECT_EQ(write(text, 3),
            "for_each at quotients_test.cpp:N: out: expected that each index writes elements of "
            "its own, got an element that several may write (out: global i => write "
            "out[(2*i+1)/k]); launch it over as many indices as there are elements and let each "
            "gather its part");
  EXPECT_EQ(write(text, 0),
            "for_each at quotients_test.cpp:N: annotation, line 1: expected a divisor of at least "
            "1, got k, which is 0\n"
            "    out: global i => write out[(2*i+1)/k]\n"
            "                                       ^");
}

}  // namespace
}  // namespace pappus::testing
