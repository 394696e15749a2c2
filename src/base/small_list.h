// A list that asks for no memory while it is short, as most lists of a plan are.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace pappus::base {

/// The first N items lie in the list itself; when one more comes all move to a vector. For types
/// that are cheap to copy and to make. Pointers to items are good until the list changes its
/// length.
template <typename T, std::size_t N>
class small_list {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  std::size_t size() const noexcept { return many_.empty() ? size_ : many_.size(); }
  bool empty() const noexcept { return size() == 0; }
  T* data() noexcept { return many_.empty() ? few_.data() : many_.data(); }
  const T* data() const noexcept { return many_.empty() ? few_.data() : many_.data(); }
  T* begin() noexcept { return data(); }
  const T* begin() const noexcept { return data(); }
  T* end() noexcept { return data() + size(); }
  const T* end() const noexcept { return data() + size(); }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T& back() noexcept { return data()[size() - 1]; }

  void push_back(const T& item) {
    if (many_.empty() && size_ < N) {
      few_[size_++] = item;
      return;
    }
    if (many_.empty()) {
      const T copy = item;  // it may be one of those that move
      many_.reserve(2 * N);
      many_.assign(few_.begin(), few_.end());
      many_.push_back(copy);
      size_ = 0;
      return;
    }
    many_.push_back(item);
  }

  /// \param others  of another list
  template <typename Items>
  void append(const Items& others) {
    for (const T& item : others) push_back(item);
  }

  /// Only the first `count` items remain.
  void truncate(std::size_t count) {
    if (many_.empty())
      size_ = count;
    else
      many_.resize(count);
  }
  void clear() noexcept {
    many_.clear();
    size_ = 0;
  }

  friend bool operator==(const small_list& a, const small_list& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  std::array<T, N> few_{};
  std::size_t size_ = 0;  // of few_; 0 as soon as the items are in many_
  std::vector<T> many_;
};

}  // namespace pappus::base
