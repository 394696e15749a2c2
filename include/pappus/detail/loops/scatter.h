// The typed loops of scatter: values go to the places that their indices name.
//
// A step of rows computes its indices and values first and asks for the lines where they will be
// put, so that misses of the caches overlap; then it puts them there. A byte a place says that the
// place is taken. Nobody looks at it while values are put: two rows with one index leave fewer
// bytes than there are rows, which is seen when the places without a row are filled up. Until then
// both may write the same place, so values are stored as words, by relaxed atomic stores.
//
// Alternatives: a bit a place, set by fetch_or, whose winner writes: locked instructions wait for
// all stores before them, and made two threads slower than one. Partitioning rows by place first,
// so that what a worker writes stays in its cache: moving them costs more than the misses that it
// saves, as long as several of these are under way.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"

namespace pappus::detail {

/// Where a scatter puts its values.
struct scatter_places {
  std::byte* records = nullptr;
  std::uint8_t* taken = nullptr;  ///< for each place 1 once it has a value, before that 0
  std::uint64_t extent = 0;       ///< places
  bool far = false;               ///< they don't fit the cache
};

struct scatter_params : op_params {
  std::int64_t extent = 0;           ///< records of the result
  bool unsigned_indices = false;     ///< what indices() writes are unsigned numbers
  std::shared_ptr<const void> fill;  ///< the record for places without a row
  /// Puts a block's values to their places. False: a row's index isn't one.
  bool (*write)(const void* element, const block_args& args, const scatter_places& to) = nullptr;
  /// Writes the indices of a block's rows.
  void (*indices)(const void* element, const block_args& args, std::int64_t* to) = nullptr;
  /// Puts `fill` to those of the places [begin, end) that aren't taken; returns how many are.
  std::int64_t (*fill_up)(const void* fill, const scatter_places& to, std::uint64_t begin,
                          std::uint64_t end) = nullptr;
};
const graph::operator_entry& scatter_operator();

/// Throws usage_error for a negative number of records.
std::int64_t scatter_extent(std::int64_t n);

/// \tparam Index, Value  calls.
template <typename E, typename Index, typename Value>
struct scatter_element {
  using index_type = typename Index::template result<value_of<E>>;
  using result = typename Value::template result<value_of<E>>;
  E expression;
  Index index;
  Value value;
};

/// The largest word whose multiple a T's size is: T's in a buffer are aligned to it.
template <typename T>
using word_of = std::conditional_t<
    sizeof(T) % 8 == 0, std::uint64_t,
    std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t,
                       std::conditional_t<sizeof(T) % 2 == 0, std::uint16_t, std::uint8_t>>>;

/// Stores a record where another worker may store one, too.
template <typename T>
void store_shared(std::byte* to, const T& value) {
  using word = word_of<T>;
  for (std::size_t at = 0; at < sizeof(T); at += sizeof(word)) {
    word part;
    std::memcpy(&part, reinterpret_cast<const std::byte*>(&value) + at, sizeof(word));
    __atomic_store_n(reinterpret_cast<word*>(to + at), part, __ATOMIC_RELAXED);
  }
}

template <typename Element>
bool scatter_rows(const void* element, const block_args& args, const scatter_places& to) {
  using T = typename Element::result;
  constexpr std::size_t buffered = std::clamp<std::size_t>(16384 / sizeof(T), 1, 256);
  constexpr auto step = static_cast<std::int64_t>(buffered);
  const auto& of = *static_cast<const Element*>(element);
  const auto bound = of.expression.bind(args);
  const auto index_of = of.index.bind(args);
  const auto value_of = of.value.bind(args);
  std::uint64_t places[buffered];
  alignas(T) std::byte storage[buffered * sizeof(T)];
  auto* const values = reinterpret_cast<T*>(storage);
  bool fine = true;
  for (std::int64_t begin = 0; begin < args.rows; begin += step) {
    const std::int64_t n = (std::min)(step, args.rows - begin);
    for (std::int64_t i = 0; i < n; ++i)
      bound.at(begin + i, [&](const auto& record) {
        places[i] = static_cast<std::uint64_t>(index_of(record));
        ::new (static_cast<void*>(values + i)) T(value_of(record));
      });
    for (std::int64_t i = 0; i < n; ++i) fine &= places[i] < to.extent;
    if (!fine) return false;
    if (to.far)
      for (std::int64_t i = 0; i < n; ++i) {
        __builtin_prefetch(to.taken + places[i], 1);
        __builtin_prefetch(to.records + places[i] * sizeof(T), 1);
      }
    for (std::int64_t i = 0; i < n; ++i) {
      __atomic_store_n(to.taken + places[i], std::uint8_t{1}, __ATOMIC_RELAXED);
      store_shared(to.records + places[i] * sizeof(T), values[i]);
    }
  }
  return true;
}

template <typename Element>
void scatter_indices(const void* element, const block_args& args, std::int64_t* to) {
  const auto& of = *static_cast<const Element*>(element);
  const auto bound = of.expression.bind(args);
  const auto index_of = of.index.bind(args);
  for (std::int64_t i = 0; i < args.rows; ++i)
    bound.at(i, [&](const auto& record) { to[i] = static_cast<std::int64_t>(index_of(record)); });
}

template <typename T>
std::int64_t fill_places(const void* fill, const scatter_places& to, std::uint64_t begin,
                         std::uint64_t end) {
  constexpr std::uint64_t step = 64;
  const T value = *static_cast<const T*>(fill);
  auto* const records = reinterpret_cast<T*>(to.records);
  std::int64_t all = 0;
  for (; begin < end; begin += step) {
    const std::uint64_t n = (std::min)(step, end - begin);
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0; i < n; ++i) taken += to.taken[begin + i];
    all += static_cast<std::int64_t>(taken);
    if (taken == n) continue;
    for (std::uint64_t i = 0; i < n; ++i)
      if (to.taken[begin + i] == 0) ::new (static_cast<void*>(records + begin + i)) T(value);
  }
  return all;
}

template <typename Element>
PAPPUS_GLUE std::shared_ptr<scatter_params> scatter_params_of(
    std::int64_t extent, const typename Element::result& fill) {
  using T = typename Element::result;
  auto params = std::make_shared<scatter_params>();
  params->extent = scatter_extent(extent);
  params->unsigned_indices = std::unsigned_integral<typename Element::index_type>;
  params->fill = keep(fill);
  params->write = scatter_rows<Element>;
  params->indices = scatter_indices<Element>;
  params->fill_up = fill_places<T>;
  return params;
}

}  // namespace pappus::detail
