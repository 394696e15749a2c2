// Arrays of up to four dimensions, over whose elements functions are launched (launch.h).
//
//     auto in = s.zeros<float>({n}), out = s.zeros<float>({n});
//     s.for_each({n}, smooth, in, out);
//     float last = out.host()[n - 1];              // waits for the launch
//
// An array is a handle: copies refer to the same elements, and so do slices. Elements lie in row-
// major order. Launches run later; whoever looks at elements waits for what they need.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/detail/base/array.h"
#include "pappus/detail/fuse/access.h"
#include "pappus/files.h"
#include "pappus/query.h"
#include "pappus/session.h"
#include "pappus/touches.h"
#include "pappus/view.h"

namespace pappus {

struct array_file_options;  // array_file.h

/// The places p with low[d] <= p[d] < high[d] in each dimension.
template <std::size_t N>
struct box {
  idx<N> low, high;
  /// Numbers of places along the dimensions.
  constexpr idx<N> shape() const noexcept {
    if constexpr (N == 1)
      return idx<1>(high[0] - low[0]);
    else
      return high - low;
  }
};

namespace detail {

struct array_access;

template <typename T>
struct finalised_state {
  using type = T;
};
template <typename T>
  requires requires(const T& state) { state.finalize(); }
struct finalised_state<T> {
  using type = std::remove_cvref_t<decltype(std::declval<const T&>().finalize())>;
};
/// What an element becomes where elements are copied out: of a reducer, its result.
template <typename T>
using finalised = typename finalised_state<T>::type;

template <std::size_t N>
array_box untyped(const box<N>& typed) {
  static_assert(N <= array_rank_max, "arrays and launches have at most four dimensions");
  array_box result{.rank = N};
  for (std::size_t d = 0; d < N; ++d) {
    result.low[d] = typed.low[d];
    result.high[d] = typed.high[d];
  }
  return result;
}

template <std::size_t N>
array_box extents_of(const idx<N>& numbers) {
  return untyped(box<N>{{}, numbers});
}

}  // namespace detail

/// Elements of an array in the host's memory: what array::host() hands out. Good for as long as it
/// is kept, even if the array goes. A later launch that writes to the array changes them, unless a
/// collection of its rows (array::rows) is in use, which keeps them as they are.
/// \tparam T  const where they may only be read
template <typename T, std::size_t N = 1>
class host_view {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  using iterator = T*;
  using const_iterator = const T*;
  static constexpr std::size_t rank = N;

  explicit host_view(detail::host_elements from)
      : elements_(reinterpret_cast<T*>(from.place.elements)), owner_(std::move(from.owner)) {
    for (std::size_t d = 0; d < N; ++d) {
      shape_.extents[d] = from.place.extents[d];
      shape_.strides[d] = from.place.strides[d];
    }
  }

  /// Bounds aren't checked.
  T& operator[](const idx<N>& at) const noexcept {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < N; ++d) offset += at[d] * shape_.strides[d];
    return elements_[offset];
  }
  template <detail::index_number... I>
    requires(sizeof...(I) == N)
  T& operator()(I... at) const noexcept {
    return (*this)[idx<N>(at...)];
  }

  std::int64_t extent(std::size_t dimension) const noexcept { return shape_.extents[dimension]; }
  /// From an element to its neighbour in a dimension, in elements; 1 in the last one.
  std::int64_t stride(std::size_t dimension) const noexcept { return shape_.strides[dimension]; }
  std::int64_t size() const noexcept {
    std::int64_t all = 1;
    for (std::size_t d = 0; d < N; ++d) all *= shape_.extents[d];
    return all;
  }
  T* data() const noexcept { return elements_; }

  /// With one dimension the elements lie one after another, and so they are a range.
  T* begin() const noexcept
    requires(N == 1)
  {
    return elements_;
  }
  T* end() const noexcept
    requires(N == 1)
  {
    return elements_ + shape_.extents[0];
  }

 private:
  T* elements_;
  detail::view_shape<N> shape_;
  std::shared_ptr<const void> owner_;
};

/// A handle of elements of type T in N dimensions; made by session::zeros and its neighbours. A
/// default one refers to none.
template <typename T, std::size_t N = 1>
class array {
  static_assert(detail::record<T>,
                "array: elements are copied as bytes, so their type must be "
                "trivially copyable");
  static_assert(N >= 1 && N <= detail::array_rank_max, "array: it has one to four dimensions");

 public:
  using value_type = T;
  static constexpr std::size_t rank = N;

  array() = default;

  /// Numbers of elements along the dimensions, the slowest first.
  idx<N> extents() const noexcept {
    idx<N> result;
    for (std::size_t d = 0; d < N; ++d) result[d] = extent(d);
    return result;
  }
  std::int64_t extent(std::size_t dimension) const noexcept {
    return part_.box.high[dimension] - part_.box.low[dimension];
  }
  std::int64_t size() const noexcept {
    std::int64_t all = 1;
    for (std::size_t d = 0; d < N; ++d) all *= extent(d);
    return all;
  }

  /// A handle of some of the elements, which are the same: writing to one writes to the other.
  /// Throws usage_error where the box isn't within the array.
  array operator[](const box<N>& where) const {
    return array(detail::slice_array(part_, detail::untyped(where)));
  }

  /// The elements, to read them on the host. Waits for the launches so far that write them, and for
  /// no others. Throws launch_error where one of those failed, usage_error where nobody has written
  /// all of them.
  host_view<const T, N> host() const { return host_view<const T, N>(detail::read_array(part_)); }
  /// The elements, to read and write them on the host. Waits for the launches so far that read or
  /// write them. Elements that nobody has written have no particular value.
  host_view<T, N> host_write() const { return host_view<T, N>(detail::write_array(part_)); }
  /// A copy of the elements in row-major order; of reducers that have finalize(), of what that
  /// returns. Waits as host() does.
  std::vector<detail::finalised<T>> to_vector() const {
    const auto from = host();
    std::vector<detail::finalised<T>> result(static_cast<std::size_t>(from.size()));
    if (result.empty()) return result;
    const std::int64_t width = from.extent(N - 1);
    detail::in_parts(part_, from.size(), sizeof(T), [&](std::int64_t first, std::int64_t end) {
      while (first < end) {
        const auto count = (std::min)(end - first, width - first % width);
        finalise_row(from, first, result.begin() + first, count);
        first += count;
      }
    });
    return result;
  }

  /// The array as an argument of for_each, with what each index touches of it (touches.h): a slice
  /// for each dimension, in.at(i, everything).
  template <std::convertible_to<touched_slice>... Slices>
    requires(sizeof...(Slices) == N)
  touched_array<array> at(const Slices&... slices) const {
    return {*this, {touched_slice(slices).untyped()...}};
  }
  /// With one dimension: elements low to high, both inclusive.
  touched_array<array> at(const linear_index& low, const linear_index& high) const
    requires(N == 1)
  {
    return {*this, {touched_slice(low, high).untyped()}};
  }

  /// Makes all elements `value`, after the launches so far.
  void fill(const T& value) const { detail::fill_array(part_, &value); }
  /// An array of its own with the same elements.
  array copy() const { return array(detail::copy_array(part_)); }

  /// Writes the elements to a file, told by its suffix: .npy, .raw, .zarr (array_file.h). Of
  /// reducers that have finalize() it writes what that returns. Waits as host() does. The file
  /// appears when it is complete. Throws format_error and usage_error.
  void write(const std::string& path) const;
  void write(const std::string& path, const array_file_options& how) const;

  /// The elements as records of a query, in row-major order: as they are after the launches so far,
  /// whatever is launched later. Nothing is copied unless the array is written to while the
  /// collection is in use.
  collection<T> rows() const { return {part_.session, detail::rows_of_array(part_)}; }

  /// What the launches that wait will do, or, where none waits, those that run: their order, what
  /// they read and write. Empty: all have run. They wait for long where options::launch is "lazy".
  std::string explain() const {
    return detail::explain_launches(part_.session, detail::explain_format::text);
  }
  /// A picture of them, an SVG document: launches in their order, the arrays, the elements that
  /// they touch, and which take turns. Empty: all have run.
  std::string explain_svg() const {
    return detail::explain_launches(part_.session, detail::explain_format::svg);
  }

 private:
  friend struct detail::array_access;
  explicit array(detail::array_part part) : part_(std::move(part)) {}

  /// Elements of one row. \param first  the number of the first one
  template <typename To>
  static void finalise_row(const host_view<const T, N>& from, std::int64_t first, To to,
                           std::int64_t count) {
    const T* element = from.data();
    for (std::size_t d = N; d-- > 0; first /= from.extent(d))
      element += first % from.extent(d) * from.stride(d);
    if constexpr (std::is_same_v<T, detail::finalised<T>>)
      std::copy_n(element, count, to);
    else
      std::transform(element, element + count, to, [](const T& state) { return state.finalize(); });
  }

  detail::array_part part_;
};

namespace detail {

struct array_access {
  template <typename T, std::size_t N>
  static const array_part& part(const array<T, N>& of) {
    return of.part_;
  }
  template <typename Array>
  static const array_part& part(const touched_array<Array>& of) {
    return part(of.array);
  }
  template <typename Array>
  static std::vector<array_slice> slices(const Array&) {
    return {};
  }
  template <typename Array>
  static std::vector<array_slice> slices(const touched_array<Array>& of) {
    return {of.slices.begin(), of.slices.end()};
  }
  template <typename T, std::size_t N>
  static array<T, N> made(array_part part) {
    return array<T, N>(std::move(part));
  }
};

}  // namespace detail

template <typename T, std::size_t N>
  requires(detail::record<T> && N <= 4)
array<T, N> session::zeros(const idx<N>& extents) {
  return detail::array_access::made<T, N>(detail::make_filled_array(
      core_, detail::record_type_of<T>(), detail::extents_of(extents), nullptr));
}

template <typename T, std::size_t N>
  requires(detail::record<T> && N <= 4)
array<T, N> session::filled(const idx<N>& extents, const T& value) {
  return detail::array_access::made<T, N>(detail::make_filled_array(
      core_, detail::record_type_of<T>(), detail::extents_of(extents), &value));
}

template <typename T, std::size_t N>
  requires(detail::record<T> && N <= 4)
array<T, N> session::unwritten(const idx<N>& extents) {
  return detail::array_access::made<T, N>(
      detail::make_array(core_, detail::record_type_of<T>(), detail::extents_of(extents)));
}

template <std::size_t N, std::ranges::contiguous_range Range>
auto session::to_array(const Range& elements, const idx<N>& extents) {
  using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
  detail::check_array_elements(static_cast<std::int64_t>(std::ranges::size(elements)),
                               detail::extents_of(extents));
  auto result = unwritten<T, N>(extents);
  if (result.size() > 0)
    std::copy_n(std::ranges::data(elements), std::ranges::size(elements),
                result.host_write().data());
  return result;
}

template <std::ranges::contiguous_range Range>
auto session::to_array(const Range& elements) {
  return to_array<1>(elements, {static_cast<std::int64_t>(std::ranges::size(elements))});
}

template <detail::mdspan_like Span>
auto session::to_array(const Span& elements) {
  constexpr auto rank = static_cast<std::size_t>(Span::rank());
  using T = std::remove_cvref_t<decltype(*elements.data_handle())>;
  idx<rank> extents;
  for (std::size_t d = 0; d < rank; ++d) extents[d] = static_cast<std::int64_t>(elements.extent(d));
  auto result = unwritten<T, rank>(extents);
  const auto to = result.host_write();
  idx<rank> at;
  for (std::int64_t n = 0; n < result.size(); ++n) {
    const auto* from = elements.data_handle();
    for (std::size_t d = 0; d < rank; ++d)
      from += at[d] * static_cast<std::int64_t>(elements.stride(d));
    to[at] = *from;
    for (auto d = rank; d-- > 0 && ++at[d] == extents[d];) at[d] = 0;
  }
  return result;
}

template <typename E>
array<typename query<E>::value_type, 1> query<E>::to_array() const {
  const auto rows = materialise();
  const auto reader = [&](std::shared_ptr<detail::deliver_params> params) {
    return detail::deliver_request(rows, "to_array", std::move(params));
  };
  return detail::array_access::made<value_type, 1>(
      detail::array_of_rows(session_, detail::access::node(rows), reader));
}

}  // namespace pappus
