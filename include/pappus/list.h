// Lists as fields of records, in each row of another length:
//
//     struct article { std::int64_t id; pappus::list<std::string_view> tags; };
//     auto articles = s.json<article>("articles.jsonl");
//     articles.filter([](const article& a) { return a.tags.contains("maths"); });
//     articles.flat_map(&article::tags).group_by(std::identity()).count();
//
// A list is to its items what a std::string_view is to its characters: 16 bytes that point to
// memory which the rows keep alive. JSON lines, Parquet and Arrow files have them, and all
// operators take rows with them along as they do text. Not here: lists as keys, and lists of lists.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "pappus/category.h"
#include "pappus/columns.h"
#include "pappus/dates.h"
#include "pappus/detail/base/list_bytes.h"
#include "pappus/detail/base/record_text.h"

namespace pappus {

namespace detail {

/// What a list may have as its items.
template <typename T>
concept list_item =
    field_traits<T>::is_cell && !may_be_missing<T> && !is_std_array<T> && !is_list<T>;

}  // namespace detail

/// A view of items side by side, which are copied where they are read: they needn't be aligned.
/// \tparam T  an integer up to 64 bits, float, double, bool, std::string_view, pappus::category,
///            pappus::date or pappus::timestamp
template <detail::list_item T>
class list {
  static constexpr bool has_texts = std::same_as<T, std::string_view>;

 public:
  using value_type = T;
  class iterator;
  using const_iterator = iterator;

  list() = default;
  /// Of items that the program keeps, as long as anybody looks at the list.
  static list of(std::span<const T> items) noexcept
    requires(!has_texts)
  {
    list made;
    made.bytes_ = {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
    return made;
  }

  /// The bytes that a list of texts is a view of, for list::of_packed(). Throws std::length_error
  /// where these take 4 GiB or more.
  static std::string packed(std::span<const std::string_view> texts)
    requires has_texts
  {
    std::string to;
    if (!detail::pack_texts(texts, to)) throw std::length_error("list::packed: 4 GiB or more");
    return to;
  }
  /// A list whose bytes packed() has returned, which the program keeps.
  static list of_packed(std::string_view bytes) noexcept
    requires has_texts
  {
    list made;
    made.bytes_ = bytes;
    return made;
  }

  std::size_t size() const noexcept {
    if constexpr (has_texts)
      return detail::count_of_texts(bytes_);
    else
      return bytes_.size() / sizeof(T);
  }
  bool empty() const noexcept { return bytes_.empty(); }

  /// Item number i, below size().
  T operator[](std::size_t i) const noexcept {
    if constexpr (has_texts) {
      return detail::text_number(bytes_, i);
    } else {
      T item;
      std::memcpy(&item, bytes_.data() + i * sizeof(T), sizeof(T));
      return item;
    }
  }
  T front() const noexcept { return (*this)[0]; }
  T back() const noexcept { return (*this)[size() - 1]; }

  iterator begin() const noexcept { return {*this, 0}; }
  iterator end() const noexcept { return {*this, static_cast<std::ptrdiff_t>(size())}; }

  /// Whether an item is equal to `wanted`. Reads items until one is.
  bool contains(const T& wanted) const noexcept {
    for (const T& item : *this)
      if (item == wanted) return true;
    return false;
  }

  /// As many items, equal one by one.
  friend bool operator==(const list& a, const list& b) noexcept {
    const std::size_t n = a.size();
    bool equal = n == b.size();
    for (std::size_t i = 0; equal && i < n; ++i) equal = a[i] == b[i];
    return equal;
  }

 private:
  std::string_view bytes_;
};

/// Goes through the items of a list, and may outlive it, but not its bytes.
template <detail::list_item T>
class list<T>::iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;  // items are copies
  using iterator_concept = std::random_access_iterator_tag;

  iterator() = default;
  iterator(const list& of, std::ptrdiff_t at) noexcept : of_(of), at_(at) {}

  T operator*() const noexcept { return of_[static_cast<std::size_t>(at_)]; }
  T operator[](std::ptrdiff_t by) const noexcept { return *(*this + by); }

  iterator& operator+=(std::ptrdiff_t by) noexcept {
    at_ += by;
    return *this;
  }
  iterator& operator-=(std::ptrdiff_t by) noexcept { return *this += -by; }
  iterator& operator++() noexcept { return *this += 1; }
  iterator& operator--() noexcept { return *this += -1; }
  iterator operator++(int) noexcept {
    const auto before = *this;
    ++*this;
    return before;
  }
  iterator operator--(int) noexcept {
    const auto before = *this;
    --*this;
    return before;
  }
  friend iterator operator+(iterator from, std::ptrdiff_t by) noexcept { return from += by; }
  friend iterator operator+(std::ptrdiff_t by, iterator from) noexcept { return from += by; }
  friend iterator operator-(iterator from, std::ptrdiff_t by) noexcept { return from -= by; }
  friend std::ptrdiff_t operator-(const iterator& a, const iterator& b) noexcept {
    return a.at_ - b.at_;
  }
  friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }
  friend auto operator<=>(const iterator& a, const iterator& b) noexcept { return a.at_ <=> b.at_; }

 private:
  list of_;
  std::ptrdiff_t at_ = 0;
};

namespace detail {

template <typename T>
inline constexpr bool is_list<list<T>> = true;

template <typename T>
struct field_traits<list<T>> : known_field<cell::list> {
  static constexpr cell item = field_traits<T>::type;
};

}  // namespace detail

}  // namespace pappus
