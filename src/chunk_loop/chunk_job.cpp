// A chunk's memory and copies.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "chunk_loop/chunk_job.h"
#include "chunk_loop/overlaps.h"
#include "chunk_loop/sent_parts.h"
#include "codegen/element/element.h"
#include "pappus/error.h"

namespace pappus::chunk_loop {
namespace {

constexpr std::size_t bytes_min = 16;  // devices don't hand out buffers of nothing

std::size_t bytes_of(std::int64_t rows, const detail::record_type& layout) {
  return static_cast<std::size_t>(rows) * layout.size;
}

}  // namespace

chunk_job::chunk_job(device_session& device, stage_run& run, std::int64_t first_row,
                     std::int64_t row_count)
    : on(device), stage(run), first(first_row), rows(row_count) {}

memory::device_buffer_ptr chunk_job::acquire(std::size_t bytes) {
  held_.push_back(on.memory().acquire(std::max(bytes, bytes_min), stage.owner));
  return held_.back();
}

memory::device_buffer_ptr chunk_job::in_place(const void* memory, std::size_t bytes) {
  auto block = on.memory().wrap(memory, bytes);
  if (block) on.in_place_bytes += static_cast<double>(bytes);
  return block;
}

memory::device_buffer_ptr chunk_job::memory_with(const void* data, std::size_t bytes) {
  if (auto block = in_place(data, bytes)) return held_.emplace_back(std::move(block));
  auto block = acquire(bytes);
  write(*block->memory, 0, data, bytes);
  return block;
}

memory::device_buffer_ptr chunk_job::memory_for(void* to, std::size_t bytes) {
  if (auto block = in_place(to, bytes)) return held_.emplace_back(std::move(block));
  return acquire(bytes);
}

/// Rows that another input or side of the job overlaps are shared with it, or else copied.
memory::device_buffer_ptr chunk_job::rows_in_place(const detail::row_set& set,
                                                   std::int64_t first_row, std::int64_t row_count) {
  if (!on.memory().in_place()) return nullptr;
  const auto* const data = usable_in_place(set, first_row, row_count);
  const auto bytes = bytes_of(row_count, set.layout());
  if (data == nullptr) return nullptr;
  for (const auto* blocks : {&inputs_, &sides_})
    for (const auto& block : *blocks) {
      const auto* const other = block->memory->host;
      if (other == data && block->bytes == bytes) return block;
      if (other != nullptr && std::less<>()(other, data + bytes) &&
          std::less<>()(data, other + block->bytes))
        return nullptr;
    }
  return in_place(data, bytes);
}

void chunk_job::upload() {
  for (std::size_t i = 0; i < stage.inputs.size(); ++i) upload_input(i);
  for (std::size_t i = 0; i < stage.sides.size(); ++i)
    sides_.push_back(!on.runs_on_host() && is_join_index(stage.node, i)
                         ? upload_index(stage.sides[i])
                         : upload_side(stage.sides[i]));
  if (on.runs_on_host()) return;  // host functions have their values in C++ objects, and throw
  if (stage.values.size() > devices::argument_bytes_max)
    values_ = memory_with(stage.values.data(), stage.values.size());
  if (stage.traps) {
    trap_ = memory_for(&trapped_, sizeof trapped_);
    if (trap_->memory->host == nullptr) write(*trap_->memory, 0, &trapped_, sizeof trapped_);
  }
}

void chunk_job::upload_input(std::size_t number) {
  const auto& input = stage.inputs[number];
  if (input.host)
    return upload_host_rows(input.host, stage.parts.empty() ? nullptr : &stage.parts[number]);
  const auto& chunks = input.device->chunks();
  for (const auto& c : chunks)
    if (c.first == first && c.rows == rows) {
      inputs_.push_back(whole(*c.part));
      return;
    }
  auto block = acquire(bytes_of(rows, input.layout()));
  for_overlaps(chunks, first, rows, [&](const auto& c, std::int64_t begin, std::int64_t n) {
    take_rows(*c.part, begin - c.first, n, *block->memory, begin - first);
  });
  inputs_.push_back(std::move(block));
}

/// A part's rows on the device, to which they are brought again where they had to go.
memory::device_buffer_ptr chunk_job::whole(device_part& part) {
  if (auto there = part.block()) return there;
  for (const auto& [known, block] : brought_back_)
    if (known == &part) return block;
  auto block = acquire(bytes_of(part.rows(), part.layout()));
  take_rows(part, 0, part.rows(), *block->memory, 0);
  brought_back_.emplace_back(&part, block);
  return block;
}

/// Copies rows [first, first + n) of a part to row `to_row` of a buffer.
void chunk_job::take_rows(device_part& part, std::int64_t first_row, std::int64_t n,
                          devices::buffer& to, std::int64_t to_row) {
  const auto from = bytes_of(first_row, part.layout()), at = bytes_of(to_row, part.layout());
  const auto bytes = bytes_of(n, part.layout());
  if (auto there = part.block()) {
    on.copy(*there->memory, from, to, at, bytes);
    held_.push_back(std::move(there));
    return;
  }
  if (auto there = part.in_host_memory()) {
    write(to, at, moved_.emplace_back(std::move(there))->data() + from, bytes);
    return;
  }
  auto& read = packed_.emplace_back(*stage.host_memory, bytes, stage.owner);
  part.copy(first_row, n, read.data(), stage.team, stage.owner);
  write(to, at, read.data(), bytes);
}

/// \param parts  which bytes of records to send, where not all
void chunk_job::upload_host_rows(const detail::rows_ptr& set, const codegen::byte_ranges* parts) {
  if (auto kept = on.memory().find(set, first, rows)) {
    inputs_.push_back(std::move(kept));
    return;
  }
  if (auto lying = rows_in_place(*set, first, rows)) {
    inputs_.push_back(std::move(lying));
    return;
  }
  const std::size_t row_bytes = set->layout().size;
  auto block = acquire(bytes_of(rows, set->layout()));
  // Who reads rows again may want their other bytes.
  if (parts != nullptr && codegen::total(*parts) < row_bytes && !on.remembers(set) &&
      upload_parts(*set, *parts, *block->memory)) {
    inputs_.push_back(std::move(block));
    return;
  }
  for_overlaps(set->chunks(), first, rows, [&](const auto& c, std::int64_t begin, std::int64_t n) {
    write(*block->memory, static_cast<std::size_t>(begin - first) * row_bytes,
          c.data + static_cast<std::size_t>(begin - c.first) * row_bytes,
          static_cast<std::size_t>(n) * row_bytes);
  });
  // Keeping what is used once costs: its buffers aren't used again while they are in the caches.
  constexpr std::size_t always_kept_bytes = std::size_t{4} << 20;
  if (stage.in_loop || set->bytes() <= always_kept_bytes || on.remembers(set))
    on.memory().keep(set, first, rows, block);
  inputs_.push_back(std::move(block));
}

/// False: the host has no memory for them just now.
bool chunk_job::upload_parts(const detail::row_set& set, const codegen::byte_ranges& parts,
                             const devices::buffer& to) {
  if (parts.empty()) return true;
  try {
    packed_.push_back(
        packed_parts(set, first, rows, parts, stage.team, *stage.host_memory, stage.owner));
  } catch (const memory_error&) {
    return false;
  }
  const std::size_t bytes = packed_bytes(parts, rows);
  const auto there = acquire(bytes);
  write(*there->memory, 0, packed_.back().data(), bytes);
  place_parts(on, *there->memory, parts, rows, to, set.layout().size);
  return true;
}

memory::device_buffer_ptr chunk_job::upload_side(const detail::rows_ptr& set) {
  if (auto kept = on.memory().find(set, 0, set->rows())) return kept;
  if (auto lying = rows_in_place(*set, 0, set->rows())) return lying;
  auto block = acquire(set->bytes());
  if (set->rows() > 0) write(*block->memory, 0, set->data(), set->bytes());
  on.memory().keep(set, 0, set->rows(), block);
  return block;
}

memory::device_buffer_ptr chunk_job::upload_index(const detail::rows_ptr& set) {
  if (auto kept = on.memory().find(set, 0, set->rows())) return kept;
  const auto& image = indexes_.emplace_back(image_of(*set));
  auto block = acquire(image.bytes());
  write(*block->memory, 0, &image.head, sizeof image.head);
  write(*block->memory, sizeof image.head, image.table.data(), image.table.size());
  write(*block->memory, image.head.rows_at, image.rows.data(), image.rows.size());
  on.memory().keep(set, 0, set->rows(), block);
  return block;
}

void chunk_job::launch(const program& what, const kernel_entry& entry, std::size_t items,
                       std::initializer_list<devices::argument> more) {
  std::vector<devices::argument> arguments;
  arguments.reserve(inputs_.size() + 2 * sides_.size() + 3 + more.size());
  for (const auto& input : inputs_) arguments.emplace_back(*input->memory);
  std::vector<std::int64_t> side_rows;
  side_rows.reserve(sides_.size());
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    side_rows.push_back(stage.sides[i]->rows());
    arguments.emplace_back(*sides_[i]->memory);
    arguments.emplace_back(side_rows.back());
  }
  if (values_)
    arguments.emplace_back(*values_->memory);
  else if (!stage.values.empty() && !on.runs_on_host())
    arguments.emplace_back(stage.values.data(), stage.values.size());
  if (trap_) arguments.emplace_back(*trap_->memory);
  arguments.emplace_back(first);
  arguments.insert(arguments.end(), more.begin(), more.end());
  on.launch(what, entry, items, arguments);
}

void chunk_job::read(const devices::buffer& from, std::size_t offset, void* to, std::size_t bytes) {
  if (bytes == 0) return;
  // The newest kernel may be another chunk's, which needn't be waited for once ours are done.
  const bool needed = !done_ || on.last_job() == this;
  std::array<devices::event, 1> after{needed ? on.last_kernel() : nullptr};
  downloaded_ =
      on.downloads().read(from, offset, to, bytes, std::span(after.data(), after[0] ? 1u : 0u));
  if (from.host == nullptr) on.downloaded_bytes += static_cast<double>(bytes);
}

void chunk_job::write(devices::buffer& to, std::size_t offset, const void* from,
                      std::size_t bytes) {
  if (bytes == 0) return;
  uploaded_ = on.uploads().write(to, offset, from, bytes);
  on.kernels_wait_for(uploaded_);
  on.uploaded_bytes += static_cast<double>(bytes);
}

void chunk_job::enqueued() {
  if (trap_) read(*trap_->memory, 0, &trapped_, sizeof trapped_);
  if (!done_ || on.last_job() == this) computed_ = on.last_kernel();
  on.uploads().flush();
  on.kernels().flush();
  on.downloads().flush();
}

void chunk_job::wait() {
  enqueued();
  wait_for_own();
}

void chunk_job::complete() {
  wait_for_own();
  // Not before: others would find there what a failed copy left.
  for (auto& [part, block] : brought_back_) part->came_back(std::move(block));
  brought_back_.clear();
  // Who completes the chunk may give the host's memory away.
  std::erase_if(held_, [](const auto& block) { return block->memory->host != nullptr; });
  done_ = true;
}

/// Nothing of a chunk is used before it has been waited for, so what a function computed after a
/// check failed is never seen.
void chunk_job::wait_for_own() {
  if (uploaded_) on.uploads().wait(uploaded_);
  if (computed_) on.kernels().wait(computed_);
  if (downloaded_) on.downloads().wait(downloaded_);
  if (trapped_ != 0) throw check_failed{first};
}

}  // namespace pappus::chunk_loop
