// The small record types operators produce, and the rows a query hands back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pappus/detail/base/chunks.h"

namespace pappus {

/// One row of zip: element i of both sides.
template <typename A, typename B>
struct pair {
  A first;
  B second;
  friend bool operator==(const pair&, const pair&) = default;
};

/// One row of enumerate: a record and its position, from 0.
template <typename T>
struct indexed {
  std::int64_t index;
  T value;
  friend bool operator==(const indexed&, const indexed&) = default;
};

/// One group of a grouped reduction.
template <typename K, typename V>
struct keyed {
  K key;
  V value;
  friend bool operator==(const keyed&, const keyed&) = default;
};

namespace detail {
struct value_of_row {
  template <typename T>
    requires requires(const T& row) { row.value; }
  constexpr const auto& operator()(const T& row) const {
    return row.value;
  }
};
struct key_of_row {
  template <typename T>
    requires requires(const T& row) { row.key; }
  constexpr const auto& operator()(const T& row) const {
    return row.key;
  }
};
}  // namespace detail

/// What groups are sorted or chosen by: counts.top(10, by_value), and any record with a field
/// called `value`, or `key`.
inline constexpr detail::value_of_row by_value{};
inline constexpr detail::key_of_row by_key{};

/// The rows of an evaluated collection: contiguous, read-only, shared. Copying it copies no rows.
/// Strings inside stay valid as long as it lives; it may outlive every query, but not the session.
template <typename T>
class records {
 public:
  using value_type = T;
  using const_iterator = const T*;

  records() = default;
  explicit records(detail::rows_ptr rows) : rows_(std::move(rows)) {}

  const T* data() const noexcept {
    return rows_ ? reinterpret_cast<const T*>(rows_->data()) : nullptr;
  }
  std::size_t size() const noexcept { return rows_ ? static_cast<std::size_t>(rows_->rows()) : 0; }
  bool empty() const noexcept { return size() == 0; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size(); }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  const T& front() const noexcept { return data()[0]; }
  const T& back() const noexcept { return data()[size() - 1]; }

  operator std::span<const T>() const noexcept { return {data(), size()}; }
  std::vector<T> to_vector() const { return std::vector<T>(begin(), end()); }

 private:
  detail::rows_ptr rows_;
};

}  // namespace pappus
