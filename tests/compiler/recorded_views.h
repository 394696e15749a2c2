// Views that note which elements are read and written: for lambdas that take any views (auto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pappus/view.h"
#include "regions/box.h"

namespace pappus::testing {

/// An array, and what was done with its elements.
struct recording {
  regions::box elements;
  std::vector<int> values;
  /// A call that reads what it has written itself doesn't need what was there before.
  std::vector<bool> read_first, written;
  bool strayed = false;  ///< an element was reached that isn't there

  explicit recording(const regions::box& all)
      : elements(all), values(size()), read_first(size()), written(size()) {}
  std::size_t size() const { return static_cast<std::size_t>(elements.volume()); }
  void forget_accesses() {
    read_first.assign(size(), false);
    written.assign(size(), false);
  }
};

template <std::size_t N>
class recorded_view {
 public:
  explicit recorded_view(recording& to) : to_(&to) {}

  class element {
   public:
    element(recording& to, std::size_t number) : to_(to), number_(number) {}
    operator int() const {
      if (number_ == nowhere) return 0;
      if (!to_.written[number_]) to_.read_first[number_] = true;
      return to_.values[number_];
    }
    int operator=(int value) const {
      if (number_ == nowhere) return value;
      to_.written[number_] = true;
      return to_.values[number_] = value;
    }
    int operator=(const element& other) const { return *this = static_cast<int>(other); }
    int operator+=(int value) const { return *this = *this + value; }

   private:
    recording& to_;
    std::size_t number_;
  };

  element operator[](const idx<N>& at) const {
    std::size_t number = 0;
    for (std::size_t d = 0; d < N; ++d) {
      if (at[d] < 0 || at[d] >= extent(d)) {
        to_->strayed = true;
        return {*to_, nowhere};
      }
      number = number * static_cast<std::size_t>(extent(d)) + static_cast<std::size_t>(at[d]);
    }
    return {*to_, number};
  }
  template <detail::index_number... I>
    requires(sizeof...(I) == N)
  element operator()(I... at) const {
    return (*this)[idx<N>(at...)];
  }
  std::int64_t extent(std::size_t dimension) const { return to_->elements.extent(dimension); }

 private:
  static constexpr std::size_t nowhere = -1;
  recording* to_;
};

}  // namespace pappus::testing
