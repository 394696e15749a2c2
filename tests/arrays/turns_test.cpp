// Launches of a session that take turns give the bits of launches that run one after another.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/session.h"
#include "support/sanitizers.h"

namespace pappus {
namespace {

constexpr int rounds = 7;
constexpr std::int64_t n = 700, m = 513;

std::vector<float> start() {
  std::vector<float> result(n * m);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<float>(i * 2654435761u % 1000) / 7;
  return result;
}

/// At the borders an element is its own neighbour.
template <typename At>
float average(const At& at, std::int64_t i, std::int64_t j) {
  const float up = i > 0 ? at(i - 1, j) : at(i, j), down = i + 1 < n ? at(i + 1, j) : at(i, j);
  const float left = j > 0 ? at(i, j - 1) : at(i, j), right = j + 1 < m ? at(i, j + 1) : at(i, j);
  return (up + down + left + right) * 0.25f + at(i, j) * 0.01f;
}

std::vector<float> expected() {
  auto in = start(), out = in;
  for (int round = 0; round < rounds; ++round) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j)
        out[static_cast<std::size_t>(i * m + j)] =
            average([&](auto a, auto b) { return in[static_cast<std::size_t>(a * m + b)]; }, i, j);
    std::swap(in, out);
  }
  return in;
}

TEST(turns, give_the_bits_of_launches_one_after_another) {
  const auto wanted = expected();
  for (const unsigned threads : {1u, 2u, 5u})
    for (const std::int64_t rows : {0, 1, 3, 50}) {
      if (testing::threads_sanitized && (threads == 1 || rows == 3)) continue;
      session s(options{.threads = threads});
      detail::access::session(s)->launches().plan_for_tests(
          {.item_indices = rows * m, .always_in_turns = true});
      auto in = s.to_array<2>(start(), {n, m}), out = s.zeros<float, 2>({n, m});
      for (int round = 0; round < rounds; ++round) {
        s.for_each({n, m},
                   annotated([](idx<2> at, reads<float, 2> from,
                                writes<float, 2> to) { to[at] = average(from, at[0], at[1]); },
                             "from, to: global [i,j] => read from[i-1:i+1,j-1:j+1], write to[i,j]"),
                   in, out);
        std::swap(in, out);
      }
      EXPECT_EQ(in.to_vector(), wanted) << threads << " threads, bands of " << rows << " rows";
    }
}

}  // namespace
}  // namespace pappus
