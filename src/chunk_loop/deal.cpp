#include "chunk_loop/deal.h"

#include <algorithm>
#include <utility>

#include "chunk_loop/join_image.h"
#include "pappus/detail/base/integers.h"

namespace pappus::chunk_loop {

double bytes_per_row(const stage_run& run, const chunk_operator& with) {
  double bytes = with.row_bytes();
  for (const auto& input : run.inputs) bytes += static_cast<double>(input.layout().size);
  for (const auto& parts : run.parts) bytes += static_cast<double>(codegen::total(parts));
  return std::max(bytes, 1.0);
}

namespace {

// Enough to hide a launch, small enough to overlap. What is copied within the host's memory is best
// used while it is in the caches.
constexpr double chunk_bytes_far = 32 << 20, chunk_bytes_near = 4 << 20;

/// Rows a chunk for which the smallest of the devices has room, by its limit alone: what is in use
/// just now must not shape chunks, or a loop wouldn't find its input again.
std::int64_t rows_a_chunk(const stage_run& run, const chunk_operator& with) {
  const std::int64_t unit = with.unit_rows();
  double side_bytes = 0;
  for (std::size_t i = 0; i < run.sides.size(); ++i)
    side_bytes += static_cast<double>(is_join_index(run.node, i) ? image_of(*run.sides[i]).bytes()
                                                                 : run.sides[i]->bytes());
  double room = 1e18;
  for (const auto* device : run.devices)
    room = std::min(room, 0.9 * static_cast<double>(device->memory().limit()));
  room = std::max((room - side_bytes) / jobs_under_way, 0.0);
  // Small chunks need less than chunk_bytes(): where little would be left, let halving find out.
  room -= std::min(with.chunk_bytes(), room / 2);
  // Unless an operator wants large ones, chunks leave room for others to be kept.
  const double usual =
      run.devices.front()->about().host_memory ? chunk_bytes_near : chunk_bytes_far;
  const double bytes = with.chunk_bytes_preferred() > usual
                           ? std::min(room, with.chunk_bytes_preferred())
                           : std::min(room / 2, usual);
  auto rows = static_cast<std::int64_t>(bytes / bytes_per_row(run, with));
  double largest_row = static_cast<double>(run.node.out.size);
  for (const auto& input : run.inputs)
    largest_row = std::max(largest_row, static_cast<double>(input.layout().size));
  for (const auto* device : run.devices)
    rows = std::min(rows, static_cast<std::int64_t>(
                              static_cast<double>(device->about().buffer_bytes_max) / largest_row));
  if (run.chunk_rows > 0) rows = std::min(rows, run.chunk_rows);
  // Not a unit less: a chunk of the few rows that are left would take as long as many rows.
  const auto devices = static_cast<std::int64_t>(run.devices.size());
  const auto share = detail::round_up(detail::ceil_div(run.rows, devices), unit);
  if (rows >= std::min(share, run.rows)) return std::max(share, unit);
  return rows <= unit ? unit : rows / unit * unit;
}

/// Inputs that lie on devices decide where their rows are computed, if that is possible for all.
bool follow_input(stage_run& run, const chunk_operator& with, shares& dealt) {
  const device_rows* lying = nullptr;
  for (const auto& input : run.inputs)
    if (!input.host) {
      if (lying != nullptr && lying != input.device.get()) return false;
      lying = input.device.get();
    }
  if (lying == nullptr || with.unit_rows() != 1 || lying->rows() != run.rows) return false;
  std::vector<std::deque<row_range>> found(run.devices.size());
  const auto most = rows_a_chunk(run, with);
  for (const auto& chunk : lying->chunks()) {
    const auto at = std::find(run.devices.begin(), run.devices.end(), chunk.on);
    if (at == run.devices.end()) return false;
    auto& own = found[static_cast<std::size_t>(at - run.devices.begin())];
    if (chunk.rows <= 2 * most)
      own.push_back({chunk.first, chunk.rows});
    else
      for (std::int64_t row = 0; row < chunk.rows; row += most)
        own.push_back({chunk.first + row, std::min(most, chunk.rows - row)});
  }
  dealt = std::move(found);
  return true;
}

/// Inputs all of whose chunks lie on one of the stage's devices: that one runs the stage. What lies
/// elsewhere goes through the host.
void gather_input(stage_run& run) {
  device_session* only = nullptr;
  bool one_device = true;
  for (const auto& input : run.inputs)
    if (!input.host)
      for (const auto& chunk : input.device->chunks()) {
        one_device = one_device && (only == nullptr || only == chunk.on);
        only = chunk.on;
      }
  if (only == nullptr) return;
  if (one_device && std::find(run.devices.begin(), run.devices.end(), only) != run.devices.end()) {
    run.devices = {only};
    return;
  }
  for (auto& input : run.inputs)
    if (!input.host) input.host = download(*input.device, run.host_memory, run.team, run.owner);
}

}  // namespace

shares deal(stage_run& run, const chunk_operator& with) {
  shares dealt;
  if (follow_input(run, with, dealt)) return dealt;
  gather_input(run);
  dealt.assign(run.devices.size(), {});
  const auto rows = rows_a_chunk(run, with);
  std::size_t next = 0;
  for (std::int64_t first = 0; first < run.rows; first += rows, ++next)
    dealt[next % dealt.size()].push_back({first, std::min(rows, run.rows - first)});
  return dealt;
}

}  // namespace pappus::chunk_loop
