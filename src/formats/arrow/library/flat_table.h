// A table of a flatbuffer, of which Arrow's public headers tell no fields.
//
// Fields have numbers; what isn't there has its usual value. Whatever the bytes are, nothing is
// read beyond them: throws arrow_problem instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

class flat_table {
 public:
  using bytes = std::span<const std::uint8_t>;

  flat_table(bytes all, std::size_t at) : all_(all), at_(at) {}
  /// The table that a flatbuffer begins with.
  static flat_table root_of(bytes all) { return {all, number_at<std::uint32_t>(all, 0)}; }

  template <typename T>
  T number(unsigned field, T usual) const {
    const auto place = place_of(field);
    return place == 0 ? usual : number_at<T>(all_, place);
  }

  bool has(unsigned field) const { return place_of(field) != 0; }
  /// Of a field that is there.
  flat_table table(unsigned field) const { return {all_, pointed_to(field)}; }

  std::vector<flat_table> tables(unsigned field) const {
    std::vector<flat_table> result;
    const auto places = values<std::uint32_t>(field);
    for (std::size_t i = 0; i < places.size(); ++i)
      result.emplace_back(all_, pointed_to(field) + 4 + i * 4 + places[i]);
    return result;
  }

  /// Numbers, or structs as they lie in the buffer.
  template <typename T>
  std::vector<T> values(unsigned field) const {
    if (!has(field)) return {};
    const auto begin = pointed_to(field);
    const std::size_t count = number_at<std::uint32_t>(all_, begin), first = begin + 4;
    if (count > (all_.size() - first) / sizeof(T)) damaged();
    std::vector<T> result(count);
    if (count > 0) std::memcpy(result.data(), all_.data() + first, count * sizeof(T));
    return result;
  }

 private:
  template <typename T>
  static T number_at(bytes all, std::size_t at) {
    if (at > all.size() || all.size() - at < sizeof(T)) damaged();
    T value;
    std::memcpy(&value, all.data() + at, sizeof(value));
    return value;
  }

  std::size_t place_of(unsigned field) const {
    const auto places = static_cast<std::size_t>(static_cast<std::int64_t>(at_) -
                                                 number_at<std::int32_t>(all_, at_));
    const std::size_t at = 4 + 2 * std::size_t{field};
    if (at + 2 > number_at<std::uint16_t>(all_, places)) return 0;
    const auto place = number_at<std::uint16_t>(all_, places + at);
    return place == 0 ? 0 : at_ + place;
  }

  std::size_t pointed_to(unsigned field) const {
    const auto place = place_of(field);
    return place + number_at<std::uint32_t>(all_, place);
  }

  [[noreturn]] static void damaged() { throw arrow_problem("what describes it is damaged"); }

  bytes all_;
  std::size_t at_;
};

}  // namespace pappus::formats
