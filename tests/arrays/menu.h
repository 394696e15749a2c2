// The functions that random programs launch, each with what it touches: as an annotation, for
// Pappus, and as code, for the prediction of what must happen.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shadow.h"

namespace pappus::testing {

/// What the functions capture.
struct numbers {
  std::int64_t k = 1;  ///< from 1 to 3
  std::int64_t n = 0;  ///< the first array's first extent
  bool fails = false, dawdles = false;
  std::array<std::int64_t, 3> odd{};  ///< the index that fails, or takes long

  template <std::size_t N>
  void check(const idx<N>& at) const {
    bool here = fails || dawdles;
    for (std::size_t d = 0; d < N; ++d) here = here && at[d] == odd[d];
    if (!here) return;
    if (dawdles) std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (fails) throw std::runtime_error("as told");
  }
};

template <std::size_t N, typename View>
bool is_inside(const View& of, const idx<N>& at) {
  for (std::size_t d = 0; d < N; ++d)
    if (at[d] < 0 || at[d] >= of.extent(d)) return false;
  return true;
}
/// 0 outside of the array.
template <std::size_t N, typename View>
number get(const View& from, const idx<N>& at) {
  return is_inside(from, at) ? from[at] : 0;
}
/// Nothing outside of the array.
template <std::size_t N, typename View>
void put(const View& to, const idx<N>& at, number value) {
  if (is_inside(to, at)) to[at] = value;
}

struct named_access {
  enum class kind : std::uint8_t { read, write, update, reduce } how = kind::read;
  std::size_t argument = 0;
  /// What an index names, which may be outside of the array. Null: the whole array.
  std::function<regions::box(const regions::point&, const numbers&)> of;
  bool covers = false;  ///< together the indices of a box write each element of a box
  /// What the plugin finds that the indices of a box touch, where that is less than what `of` says.
  std::function<regions::box(const regions::box&, const numbers&)> inferred{};
};

/// What Pappus knows of a function that isn't annotated.
#ifdef PAPPUS_TEST_INFERRED
inline constexpr bool infers = true;
#else
inline constexpr bool infers = false;
#endif

struct menu_entry {
  std::string name;
  std::string text;      ///< empty: never annotated
  std::size_t rank = 0;  ///< of the index
  std::size_t over = 0;  ///< the argument whose extents are those of the indices
  std::vector<named_access> accesses;
  std::vector<std::size_t> ranks;            ///< of the arguments
  std::vector<detail::view_access> views{};  ///< of the arguments
  std::function<void(session&, const regions::box& indices, bool annotate, const numbers&,
                     std::span<const handle>)>
      launch;
  /// Whether indices touch elements of their own. Null: they do.
  std::function<bool(const regions::box& indices, const numbers&)> apart{};
  /// The same over the shadows, index by index.
  std::function<void(const regions::box& indices, const numbers&, std::span<const handle>)> compute;
};

template <typename View>
View shadow_view(const handle& of) {
  detail::view_shape<View::rank> shape;
  for (std::size_t d = 0; d < View::rank; ++d) {
    shape.extents[d] = of.extents().high[d];
    shape.strides[d] = of.image->stride(d);
  }
  return View(of.image->values.data() + (of.part.empty() ? 0 : of.image->offset(of.part.low)),
              shape);
}

template <typename F, typename Views, typename Numbers>
struct entry_maker;
template <typename F, typename... Views, std::size_t... V>
struct entry_maker<F, detail::view_list<Views...>, std::index_sequence<V...>> {
  static constexpr std::size_t rank = detail::launch_signature<F>::rank;

  template <typename Make>
  static void add_calls(menu_entry& to, Make make) {
    to.rank = rank;
    to.ranks = {Views::rank...};
    to.views = {Views::access...};
    to.launch = [make, text = to.text](session& s, const regions::box& indices, bool annotate,
                                       const numbers& captured, std::span<const handle> on) {
      if (annotate)
        s.for_each(typed<rank>(indices),
                   annotated(make(captured), text, {{"k", captured.k}, {"n", captured.n}}),
                   std::get<array<number, Views::rank>>(on[V].real)...);
      else
        s.for_each(typed<rank>(indices), make(captured),
                   std::get<array<number, Views::rank>>(on[V].real)...);
    };
    to.compute = [make](const regions::box& indices, const numbers& captured,
                        std::span<const handle> on) {
      const auto f = make(captured);
      each_place(indices, [&](const regions::point& at) {
        idx<rank> index;
        for (std::size_t d = 0; d < rank; ++d) index[d] = at[d];
        f(index, shadow_view<Views>(on[V])...);
      });
    };
  }
};

/// \param make  numbers → the function
template <typename Make>
menu_entry entry(std::string name, std::string text, std::size_t over,
                 std::vector<named_access> accesses, Make make) {
  using function = decltype(make(numbers()));
  using views = typename detail::launch_signature<function>::views;
  menu_entry result{.name = std::move(name),
                    .text = std::move(text),
                    .over = over,
                    .accesses = std::move(accesses),
                    .ranks = {},
                    .launch = {},
                    .compute = {}};
  const auto count = [&]<typename... Views>(detail::view_list<Views...>) {
    entry_maker<function, views, std::index_sequence_for<Views...>>::add_calls(result, make);
  };
  count(views());
  return result;
}

/// From a to b in each dimension, both inclusive.
inline regions::box named(std::initializer_list<std::int64_t> a,
                          std::initializer_list<std::int64_t> b) {
  regions::box result(a, b);
  for (std::size_t d = 0; d < result.rank; ++d) ++result.high[d];
  return result;
}

}  // namespace pappus::testing
