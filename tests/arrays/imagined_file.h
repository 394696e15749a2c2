// An array in a file that isn't there: elements are those of a vector, in which chunks are looked
// up, and loads are counted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays/image.h"
#include "pappus/pappus.h"
#include "regions/parts.h"
#include "session/session.h"

namespace pappus::testing {

template <typename T, std::size_t N>
class imagined_file final : public graph::chunked {
 public:
  using value_at = std::function<T(const idx<N>&)>;

  imagined_file(const idx<N>& extents, const idx<N>& chunk, const value_at& value) {
    std::vector<regions::cuts> dimensions;
    for (std::size_t d = 0; d < N; ++d) {
      dimensions.push_back(regions::cuts::even(0, extents[d], chunk[d]));
      chunk_[d] = chunk[d];
    }
    chunks_ = regions::grid(std::move(dimensions));
    loads_ = std::vector<std::atomic<int>>(static_cast<std::size_t>(chunks_.size()));
    regions::each_place(chunks_.all(), [&](const regions::point& place) {
      idx<N> where;
      for (std::size_t d = 0; d < N; ++d) where[d] = place[d];
      values_.push_back(value(where));
    });
  }

  const regions::grid& chunks() const noexcept override { return chunks_; }
  const regions::point& chunk_extents() const noexcept override { return chunk_; }
  std::size_t element_bytes() const noexcept override { return sizeof(T); }
  const std::string& name() const noexcept override { return name_; }
  std::size_t scratch_bytes() const noexcept override { return 0; }
  std::string description() const override { return name_; }
  bool reads_alone(const regions::hyperslab&) const noexcept override { return alone; }
  void read_alone(const regions::hyperslab& elements, const detail::array_numbers& strides,
                  std::byte* out) const override {
    ++read_alone_;
    regions::each_row(elements.bounds, [&](const regions::box& row) {
      std::int64_t to = 0;
      for (std::size_t d = 0; d < N; ++d) {
        const auto from_first = row.low[d] - elements.bounds.low[d];
        if (from_first % elements.steps[d] != 0) return;
        to += from_first * strides[d];
      }
      std::memcpy(out + to * static_cast<std::int64_t>(sizeof(T)),
                  values_.data() + regions::number_in(chunks_.all(), row.low),
                  static_cast<std::size_t>(row.volume()) * sizeof(T));
      elements_read_alone_ += row.volume();
    });
  }
  void announce_alone(const regions::hyperslab&) const noexcept override { ++announced; }
  std::int64_t elements_read_alone() const { return elements_read_alone_; }
  int read_alone() const { return read_alone_; }
  void announce(const regions::point& at) const noexcept override {
    if (!regions::contains(chunks_.shape(), at)) announced_outside = true;
    ++announced;
  }

  void load(const regions::point& at, std::byte* out) const override {
    const auto number = chunks_.number(at);
    ++loads_[static_cast<std::size_t>(number)];
    if (number == fails_at) throw format_error("imagined: chunk " + std::to_string(number));
    std::memset(out, 0xA5, chunk_bytes(*this));  // what lies beyond the extents is anything
    const auto cell = chunks_.cell(at);
    regions::each_row(cell, [&](const regions::box& row) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < N; ++d) offset = offset * chunk_[d] + row.low[d] - cell.low[d];
      std::memcpy(out + static_cast<std::size_t>(offset) * sizeof(T),
                  values_.data() + regions::number_in(chunks_.all(), row.low),
                  static_cast<std::size_t>(row.volume()) * sizeof(T));
    });
  }

  T value(const idx<N>& at) const {
    regions::point place{};
    for (std::size_t d = 0; d < N; ++d) place[d] = at[d];
    return values_[static_cast<std::size_t>(regions::number_in(chunks_.all(), place))];
  }
  int loads(std::int64_t chunk) const { return loads_[static_cast<std::size_t>(chunk)]; }
  int most_loads() const {
    int most = 0;
    for (const auto& one : loads_) most = std::max(most, one.load());
    return most;
  }
  std::int64_t all_loads() const {
    std::int64_t all = 0;
    for (const auto& one : loads_) all += one.load();
    return all;
  }

  std::int64_t fails_at = -1;  ///< a chunk's number
  bool alone = false;          ///< elements are read without their chunks, where that may be
  mutable std::atomic<int> announced{0};
  mutable std::atomic<bool> announced_outside{false};

 private:
  std::vector<T> values_;
  regions::grid chunks_;
  regions::point chunk_{};
  std::string name_ = "imagined";
  mutable std::vector<std::atomic<int>> loads_;
  mutable std::atomic<int> read_alone_{0};
  mutable std::atomic<std::int64_t> elements_read_alone_{0};
};

/// An array whose elements lie there.
template <typename T, std::size_t N>
array<T, N> array_over(session& s, const std::shared_ptr<imagined_file<T, N>>& file) {
  const auto& core = detail::access::session(s);
  auto image = arrays::make_file_image(detail::record_type_of<T>(), core->array_memory(), file);
  const auto all = arrays::numbers_of(image->all);
  return detail::array_access::made<T, N>({core, std::move(image), all});
}

template <typename T, std::size_t N>
std::shared_ptr<imagined_file<T, N>> imagine(const idx<N>& extents, const idx<N>& chunk,
                                             const typename imagined_file<T, N>::value_at& value) {
  return std::make_shared<imagined_file<T, N>>(extents, chunk, value);
}

}  // namespace pappus::testing
