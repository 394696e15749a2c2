// Holds the footprints that the plugin finds against what functions do: a lambda of any views
// (auto) gets its descriptor as a launch's function would, and is run with views that take notes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/plugin/descriptor.h"
#include "compiler/recorded_views.h"
#include "pappus/detail/fuse/footprint_thunk.h"
#include "regions/footprint.h"
#include "regions/made_up.h"

namespace pappus::testing {

/// What lambdas capture.
struct made_up_values {
  explicit made_up_values(std::uint64_t seed) : random(seed) {}
  regions::made_up random;
  int width = static_cast<int>(random.between(0, 4)), n = static_cast<int>(random.between(-2, 8));
  long low = random.between(-4, 4), factor = random.between(1, 5);
  short step = static_cast<short>(random.between(-3, 3));
  unsigned divisor = static_cast<unsigned>(random.between(1, 5));
  unsigned char byte = static_cast<unsigned char>(random.between(0, 200));
  std::size_t size = static_cast<std::size_t>(random.between(1, 9));
  bool flag = random.one_in(2);
  std::array<int, 2> offsets{static_cast<int>(random.between(-4, 4)),
                             static_cast<int>(random.between(-4, 4))};
  idx<2> corner{random.between(-3, 3), random.between(0, 3)};
  const int* maybe = random.one_in(3) ? nullptr : &n;
};

/// What the calls of some indices did with one array.
struct doings {
  std::vector<bool> read_first;
  std::vector<int> writers;  ///< calls that wrote the element
  explicit doings(std::size_t elements) : read_first(elements), writers(elements) {}
  void add(const recording& call) {
    for (std::size_t e = 0; e < writers.size(); ++e) {
      read_first[e] = read_first[e] || call.read_first[e];
      writers[e] += call.written[e] ? 1 : 0;
    }
  }
};

inline regions::box box_at(const regions::point& at, std::size_t rank) {
  regions::box result(rank);
  for (std::size_t d = 0; d < rank; ++d) result.low[d] = at[d], result.high[d] = at[d] + 1;
  return result;
}

/// What a footprint says wrongly of calls with these indices; empty: nothing.
inline std::string lie_about(const regions::footprint& said, const regions::box& indices,
                             const std::vector<std::int64_t>& symbols,
                             const std::vector<regions::box>& arrays,
                             const std::vector<doings>& done) {
  using mode = regions::access_mode;
  std::string lie;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    std::vector<std::pair<mode, regions::box>> parts;
    for (const auto& access : said.accesses)
      if (access.array == a)
        parts.emplace_back(access.mode, touched(access, indices, symbols, arrays[a]).elements);
    std::size_t element = 0;
    regions::each_place(arrays[a], [&](const regions::point& at) {
      bool may_read = false, may_write = false, is_written = false;
      for (const auto& [how, where] : parts) {
        if (!contains(where, at)) continue;
        may_read = may_read || how != mode::write;
        may_write = may_write || how != mode::read;
        is_written = is_written || how == mode::write;
      }
      const auto writers = done[a].writers[element];
      const char* wrong = done[a].read_first[element] && !may_read ? "is read"
                          : writers > 0 && !may_write              ? "is written"
                          : writers == 0 && is_written             ? "isn't written"
                          : writers > 1 && is_written              ? "is written twice"
                                                                   : nullptr;
      if (wrong != nullptr)
        lie = text(indices) + " " + text(said, {}) + ": a" + std::to_string(a) +
              text(box_at(at, arrays[a].rank)) + " " + wrong;
      ++element;
    });
  }
  return lie;
}

/// One launch of a function: arrays and indices are made up.
template <typename F, std::size_t N, typename... Views>
class launch {
 public:
  /// \param ends  of the indices, which begin at 0
  template <typename Ends>
  launch(const F& function, regions::made_up& random, Ends ends) : function_(function) {
    (arrays_.push_back(an_array(random, Views::rank)), ...);
    regions::box all(N);
    const auto end = ends(std::as_const(arrays_));
    for (std::size_t d = 0; d < N; ++d) all.high[d] = end[d];
    indices_ = all;
    for (std::size_t d = 0; d < N && !all.empty(); ++d) {
      indices_.low[d] = random.one_in(2) ? 0 : random.between(0, all.high[d] - 1);
      indices_.high[d] = random.between(indices_.low[d] + 1, all.high[d]);
    }
    for (const auto& array : arrays_) {
      auto& made = recordings_.emplace_back(array);
      for (auto& value : made.values) value = static_cast<int>(random.between(-2, 12));
    }
  }

  static const codegen::compiled_function& described() {
    using thunk = detail::footprint_thunk<F, std::make_index_sequence<N>, Views...>;
    const char* descriptor = detail::slot_of<thunk, F>::slot.compiled;
    return codegen::compiled_function_of(descriptor != nullptr ? descriptor : "{}");
  }

  const std::vector<regions::box>& arrays() const { return arrays_; }

  /// Calls the function, index by index. The first lie of the footprint about one call or all.
  std::string run(const regions::footprint& said, const std::vector<std::int64_t>& symbols) {
    std::string lie;
    std::vector<doings> all;
    for (const auto& array : recordings_) all.emplace_back(array.size());
    regions::each_place(indices_, [&](const regions::point& at) {
      for (auto& array : recordings_) array.forget_accesses();
      call(at, std::make_index_sequence<N>(), std::index_sequence_for<Views...>());
      std::vector<doings> one;
      for (std::size_t a = 0; a < all.size(); ++a) {
        one.emplace_back(recordings_[a].size()).add(recordings_[a]);
        all[a].add(recordings_[a]);
        if (recordings_[a].strayed) lie = "the lambda leaves an array";
      }
      if (lie.empty()) lie = lie_about(said, box_at(at, N), symbols, arrays_, one);
    });
    return lie.empty() ? lie_about(said, indices_, symbols, arrays_, all) : lie;
  }

 private:
  static regions::box an_array(regions::made_up& random, std::size_t rank) {
    constexpr std::array<std::int64_t, 3> extents_max{24, 9, 5};
    regions::box result(rank);
    for (std::size_t d = 0; d < rank; ++d)
      result.high[d] = random.between(1, extents_max[rank - 1]);
    return result;
  }

  template <std::size_t... D, std::size_t... V>
  void call(const regions::point& at, std::index_sequence<D...>, std::index_sequence<V...>) {
    function_(idx<N>(at[D]...), recorded_view<Views::rank>(recordings_[V])...);
  }

  const F& function_;
  std::vector<regions::box> arrays_;
  regions::box indices_;
  std::vector<recording> recordings_;
};

/// expect_honest<1, reads<int>, writes<int>>([](const made_up_values& v) { return a lambda; }).
/// Indices reach from 0 to `ends(values, arrays)`.
template <std::size_t N, typename... Views, typename Make, typename Ends>
void expect_honest(Make make, std::size_t unknown, Ends ends) {
  constexpr std::uint64_t seeds = 200;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    made_up_values values(seed);
    const auto function = make(std::as_const(values));
    launch<std::decay_t<decltype(function)>, N, Views...> one(
        function, values.random, [&](const auto& arrays) { return ends(values, arrays); });
    const auto& told = one.described();
    ASSERT_EQ(told.problem, "");
    ASSERT_EQ(std::count(told.inferred->unknown.begin(), told.inferred->unknown.end(), true),
              static_cast<std::ptrdiff_t>(unknown))
        << told.footprint;
    const auto symbols = values_of(*told.inferred, &function, one.arrays());
    ASSERT_EQ(one.run(told.inferred->touches, symbols), "")
        << "seed " << seed << ", " << told.source << ": " << told.footprint << ", symbols "
        << ::testing::PrintToString(symbols);
  }
}

/// Indices are those of the last view.
template <std::size_t N, typename... Views, typename Make>
void expect_honest(Make make, std::size_t unknown = 0) {
  expect_honest<N, Views...>(make, unknown,
                             [](const auto&, const auto& arrays) { return arrays.back().high; });
}

/// Whether a view has this element.
template <typename View, typename... I>
bool has(const View& view, I... at) {
  std::size_t d = 0;
  return (... &&
          (static_cast<std::int64_t>(at) >= 0 && static_cast<std::int64_t>(at) < view.extent(d++)));
}

}  // namespace pappus::testing
