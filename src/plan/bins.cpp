// Which launches put the values that they reduce aside, and in what bins.
//
// Where nobody knows which elements indices reduce into, each leaf would need states for all of
// them, and each value would wait for memory where these are more than caches hold. Such launches
// write values into bins (pappus/detail/base/value_bins.h), which are merged later.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/batch.h"

namespace pappus::plan {
namespace {

constexpr std::size_t indices_least = 1 << 12;  // of a leaf

/// None: there isn't just one, or the launch writes besides.
std::optional<std::size_t> only_changed(const arrays::launch& of) {
  std::optional<std::size_t> only;
  for (const auto& one : of.accesses) {
    if (!one.writes()) continue;
    if (!one.reduces() || (only && *only != one.argument)) return std::nullopt;
    only = one.argument;
  }
  if (!only || arrays::reducing_arguments(of).size() != 1) return std::nullopt;
  return only;
}

/// Of a value that is put aside.
std::size_t value_bytes(const arrays::launch& of) {
  return of.arguments[*only_changed(of)].array->element.size + sizeof(std::uint32_t);
}

}  // namespace

bool wants_bins(const arrays::launch& of, const batch_request& asked) {
  constexpr double in_caches = 1 << 20, near_caches = 16 << 20;  // bytes
  constexpr double values_an_element = 64;
  constexpr std::int64_t indices_min = 1 << 19;
  if (!of.takes_steps || of.indices.empty()) return false;
  const auto argument = only_changed(of);
  if (!argument) return false;
  const auto values = of.indices.volume();
  if (values < indices_min && !asked.always_in_bins) return false;
  const auto elements = touched(of, *argument, of.indices).volume();
  if (asked.always_in_bins) return elements > 0;
  if (touched(of, *argument, regions::first_place(of.indices)).volume() != elements) return false;
  const auto bytes = bytes_touched(of, *argument, of.indices);
  const bool few = static_cast<double>(values) < values_an_element * static_cast<double>(elements);
  return bytes > near_caches || (bytes > in_caches && few);
}

binning bins_for(const arrays::launch& of, const batch_request& asked) {
  constexpr double bin_bytes = 256 << 10, bins_max = 1024, values_min = 32 << 20;
  const auto argument = *only_changed(of);
  const auto size = static_cast<double>(of.arguments[argument].array->element.size);
  const auto bytes = bytes_touched(of, argument, of.indices);
  if (asked.always_in_bins) return {4, 1 << 12};
  const auto wanted = std::max(std::max(bin_bytes, bytes / bins_max) / size, 1.0);
  const auto most = static_cast<double>(asked.machine.host_memory) / 4;
  return {static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted))),
          static_cast<std::size_t>(std::min(std::max(bytes / 2, values_min), most))};
}

std::int64_t binned_indices_max(const arrays::launch& of) {
  constexpr std::size_t most = 1 << 18, leaf_bytes = 16 << 20;
  return static_cast<std::int64_t>(
      std::bit_floor(std::clamp(leaf_bytes / value_bytes(of), indices_least, most)));
}

std::int64_t binned_indices(const arrays::launch& of, const batch_request& asked) {
  if (asked.item_indices > 0) return asked.item_indices;
  const auto share = asked.machine.host_memory / (std::size_t{32} * asked.machine.threads);
  const auto fitting = std::bit_floor(std::max(share / value_bytes(of), indices_least));
  return std::min(static_cast<std::int64_t>(fitting), binned_indices_max(of));
}

}  // namespace pappus::plan
