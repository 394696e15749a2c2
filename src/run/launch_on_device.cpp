#include "run/launch_on_device.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/failure.h"
#include "pappus/detail/base/memory.h"
#include "pappus/error.h"
#include "regions/parts.h"
#include "run/faults.h"

namespace pappus::run {
namespace {

using detail::view_place;
using devices::device_error;
using devices::fault;

constexpr const char* owner = "for_each";
constexpr std::size_t pieces_max = 16;  // work-items of an item

/// Bytes [begin, end), counted from the first one that is on the device.
struct byte_range {
  std::size_t begin, end;
};

/// Merges those that touch each other.
void merge(std::vector<byte_range>& ranges) {
  std::ranges::sort(ranges, {}, &byte_range::begin);
  std::size_t kept = 0;
  for (const auto& next : ranges) {
    if (kept > 0 && next.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, next.end);
    else
      ranges[kept++] = next;
  }
  ranges.resize(kept);
}

std::size_t total(const std::vector<byte_range>& ranges) {
  std::size_t bytes = 0;
  for (const auto& one : ranges) bytes += one.end - one.begin;
  return bytes;
}

/// Host memory from the first to the last element that indices touch of an argument.
class copied_memory {
 public:
  copied_memory(const view_place& place, std::size_t element) : place_(place), element_(element) {}

  const memory::device_buffer& there() const noexcept { return *there_; }

  /// \param elements  as the view numbers them
  void touch(const regions::box& elements, bool is_read, bool is_written) {
    if (elements.empty()) return;
    auto last = elements.high;
    for (std::size_t d = 0; d < elements.rank; ++d) --last[d];
    auto* const first = address(elements.low, elements.rank);
    first_ = first_ == nullptr ? first : std::min(first_, first);
    end_ = std::max(end_, address(last, elements.rank) + element_);
    touched_.push_back({elements, is_read, is_written});
  }

  /// Returns the last copy; null: there is none.
  devices::event upload(chunk_loop::device_session& on) {
    for (const auto& one : touched_)
      regions::each_row(one.elements, [&](const regions::box& row) {
        const auto begin = static_cast<std::size_t>(address(row.low, row.rank) - first_);
        const byte_range range{begin, begin + static_cast<std::size_t>(row.volume()) * element_};
        if (one.is_read) up_.push_back(range);
        if (one.is_written) down_.push_back(range);
      });
    merge(up_);
    merge(down_);
    constexpr std::size_t bytes_min = 16;  // devices don't hand out buffers of nothing
    there_ =
        on.memory().acquire(std::max(static_cast<std::size_t>(end_ - first_), bytes_min), owner);
    devices::event last;
    for (const auto& [begin, end] : up_)
      last = on.uploads().write(*there_->memory, begin, first_ + begin, end - begin);
    on.uploaded_bytes += static_cast<double>(total(up_));
    return last;
  }

  /// The argument's place where the device has the memory.
  view_place place_in(std::byte* there) const {
    auto result = place_;
    if (first_ != nullptr) result.elements = there - (first_ - place_.elements);
    return result;
  }

  /// Enqueues reading what was written, to memory beside the arrays.
  void download(chunk_loop::device_session& on, detail::memory_source& source) {
    results_ = detail::buffer(source, total(down_), "results of for_each");
    std::size_t at = 0;
    for (const auto& [begin, end] : down_) {
      on.downloads().read(*there_->memory, begin, results_.data() + at, end - begin,
                          std::span(&on.last_kernel(), 1));
      at += end - begin;
    }
    on.downloaded_bytes += static_cast<double>(at);
  }

  void write_results() const {
    std::size_t at = 0;
    for (const auto& [begin, end] : down_) {
      std::memcpy(first_ + begin, results_.data() + at, end - begin);
      at += end - begin;
    }
  }

 private:
  struct touched {
    regions::box elements;
    bool is_read, is_written;
  };

  std::byte* address(const regions::point& at, std::size_t rank) const {
    return arrays::address_in(place_, at, rank, element_);
  }

  view_place place_;
  std::size_t element_;  // bytes
  std::vector<touched> touched_;
  std::byte *first_ = nullptr, *end_ = nullptr;
  std::vector<byte_range> up_, down_;
  memory::device_buffer_ptr there_;
  detail::buffer results_;
};

/// What indices of an item touch of each argument. What one argument writes no other one touches:
/// such launches are refused.
std::vector<copied_memory> touched_memory(const arrays::launch& of, const regions::box& indices,
                                          std::span<const view_place> places) {
  std::vector<copied_memory> all;
  for (std::size_t a = 0; a < places.size(); ++a) {
    const auto& argument = of.arguments[a];
    all.emplace_back(places[a], argument.array->element.size);
    // Some of what isn't written for certain stays as it is.
    for (const auto& one : of.accesses)
      if (one.argument == a)
        all[a].touch(arrays::relative(touched(of, one, indices), argument.part),
                     one.reads() || !overwrites(of, one), one.writes());
  }
  return all;
}

/// Indices on their way through the device, which its kernel takes in pieces.
struct device_part {
  const launch_on_device::item_loop& loop;
  const regions::box& indices;
  std::size_t cut_along;  ///< the rank: nowhere
  std::size_t pieces;
  std::span<const copied_memory> memory;  ///< an argument's each
  bool threw = false;

  regions::box piece(std::size_t number) const {
    auto result = indices;
    if (cut_along == indices.rank) return result;
    const auto at = [&](std::size_t n) {
      return indices.low[cut_along] +
             static_cast<std::int64_t>(static_cast<std::size_t>(indices.extent(cut_along)) * n /
                                       pieces);
    };
    result.low[cut_along] = at(number);
    result.high[cut_along] = at(number + 1);
    return result;
  }
};

/// Arguments: the address of a device_part, then its memory.
void run_pieces(const devices::host_launch& launch, std::size_t begin, std::size_t end) {
  auto& part = **static_cast<device_part**>(launch.arguments[0]);
  std::vector<view_place> places;
  for (std::size_t a = 0; a < part.memory.size(); ++a)
    places.push_back(part.memory[a].place_in(static_cast<std::byte*>(launch.arguments[1 + a])));
  for (auto n = begin; n < std::min(end, part.pieces) && !part.threw; ++n) try {
      part.loop(part.piece(n), places);
    } catch (...) {
      // It runs again on the CPU, whose exception counts.
      base::take_note();
      part.threw = true;
    }
}

/// Copies there, runs, copies back. False: the function threw.
bool run_part(chunk_loop::device_session& on, device_part& part, std::span<copied_memory> memory,
              detail::memory_source& source) {
  static const chunk_loop::program program{
      owner, std::make_shared<const std::string>("/* a launched function */"), nullptr};
  for (auto& one : memory)
    if (auto copied = one.upload(on)) on.kernels_wait_for(std::move(copied));
  on.uploads().flush();
  auto* const address = &part;
  std::vector<devices::argument> arguments{{&address, sizeof address}};
  for (const auto& one : memory) arguments.emplace_back(*one.there().memory);
  on.launch(program, {"run_pieces", run_pieces}, part.pieces, arguments);
  on.kernels().flush();
  for (auto& one : memory) one.download(on, source);
  on.downloads().finish();
  on.kernels().finish();
  on.uploads().finish();
  if (part.threw) return false;
  for (const auto& one : memory) one.write_results();
  return true;
}

/// After a failure. \param memory  that operations may still use
void recover(chunk_loop::device_session& on, std::vector<copied_memory>& memory,
             bool lost) noexcept {
  on.come_to_rest(lost);
  memory.clear();
  on.start_anew();
}

/// The first dimension along which indices may be taken in any parts; their rank: none.
std::size_t dimension_to_cut(const plan::stage& stage, const regions::box& indices) {
  if (stage.leaves.rank() > 0 || stage.lanes != 0) return indices.rank;
  std::size_t d = 0;
  while (d < indices.rank && ((stage.cut_along >> d & 1U) == 0 || indices.extent(d) == 1)) ++d;
  return d;
}

}  // namespace

ops::answer can_run_launches(chunk_loop::device_session& device) {
  if (!device.runs_on_host())
    return {.why_not = "launched functions have no device code: queries' functions alone do"};
  // One that is at work isn't waited for: who calls for_each is in a hurry.
  const std::unique_lock lock(device.on().lock, std::try_to_lock);
  if (lock.owns_lock() && device.on().lost) return {.why_not = device.about().name + " was lost"};
  return {};
}

launch_on_device::launch_on_device(const arrays::launch& of, const plan::stage& stage,
                                   const launch_devices& devices)
    : launch_(of),
      stage_(stage),
      devices_(devices),
      on_(*devices.all[stage.where.devices.front()]),
      extent_max_(std::numeric_limits<std::int64_t>::max()) {}

regions::box launch_on_device::run(const regions::box& indices, std::span<const view_place> places,
                                   const item_loop& loop) {
  auto left = indices;
  if (places.empty()) return left;
  auto& source = *launch_.arguments.front().elements->source.budget;
  const auto d = dimension_to_cut(stage_, indices);
  const std::lock_guard lock(on_.on().lock);
  while (!left.empty() && !left_out_) {
    if (on_.on().lost) {  // by others, or while it began anew: it has no queues then
      leave_out({fault::lost, on_.about().name, "the device was lost earlier"});
      break;
    }
    auto now = left;
    if (d < now.rank) now.high[d] = now.low[d] + std::min(now.extent(d), extent_max_);
    auto memory = touched_memory(launch_, now, places);
    const auto pieces =
        d < now.rank ? std::min(static_cast<std::size_t>(now.extent(d)), pieces_max) : 1;
    device_part part{loop, now, d, pieces, memory};
    try {
      if (!run_part(on_, part, memory, source)) return left;
    } catch (const device_error& e) {
      recover(on_, memory, e.what_failed == fault::lost);
      const bool smaller = d < now.rank && now.extent(d) > 1;
      if (e.what_failed == fault::out_of_memory && smaller)
        extent_max_ = now.extent(d) / 2;
      else
        leave_out(e);
      continue;
    } catch (const memory_error&) {  // of the host, for results
      recover(on_, memory, false);
      return left;
    } catch (...) {
      recover(on_, memory, false);
      throw;
    }
    if (d < left.rank)
      left.low[d] = now.high[d];
    else
      return regions::box(left.rank);
  }
  return left;
}

void launch_on_device::leave_out(const device_error& why) {
  left_out_ = true;
  if (devices_.on_fault)
    devices_.on_fault(fmt::format("{}: {}: {}, so the launch moved to the CPU ({})", text(launch_),
                                  why.device_name, consequence(why.what_failed), why.what()));
}

}  // namespace pappus::run
