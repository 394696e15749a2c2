// Output of chunks in row order.
#include <cstring>

#include "algorithms/rows_in.h"
#include "chunk_loop/collected_rows.h"

namespace pappus::chunk_loop {

collected_rows::collected_rows(stage_run& run, std::int64_t rows) : run_(run), rows_(rows) {
  if (!run.stays && rows >= 0)
    all_ = detail::buffer(*run.host_memory, static_cast<std::size_t>(rows) * run.node.out.size,
                          run.owner);
}

std::byte* collected_rows::host_room(const chunk_job& job, std::int64_t n) {
  return room_at(job.first, n);
}

std::byte* collected_rows::room_at(std::int64_t first, std::int64_t n) {
  if (rows_ >= 0) return all_.data() + static_cast<std::size_t>(first) * run_.node.out.size;
  piece made;
  made.host = detail::buffer(*run_.host_memory, static_cast<std::size_t>(n) * run_.node.out.size,
                             run_.owner);
  made.rows = n;
  std::byte* const room = made.host.data();
  const std::lock_guard lock(mutex_);
  pieces_.insert_or_assign(first, std::move(made));
  return room;
}

bool collected_rows::put(std::int64_t first, const detail::row_set& records) {
  if (run_.stays) return false;
  if (records.rows() == 0) {
    const std::lock_guard lock(mutex_);
    pieces_.erase(first);
    return true;
  }
  std::byte* room = room_at(first, records.rows());
  for (const auto& c : records.chunks()) {
    const std::size_t bytes = static_cast<std::size_t>(c.rows) * run_.node.out.size;
    std::memcpy(room, c.data, bytes);
    room += bytes;
  }
  return true;
}

void collected_rows::leave(const chunk_job& job, memory::device_buffer_ptr block, std::int64_t n) {
  auto part = device_part::make(job.on, std::move(block), n, run_, set_);
  const std::lock_guard lock(mutex_);
  pieces_.insert_or_assign(job.first, piece{{}, std::move(part), n});
}

void collected_rows::finish() {
  if (run_.stays) {
    auto rows = std::make_shared<device_rows>(run_.node.out);
    for (auto& [first, p] : pieces_) rows->append(std::move(p.device));
    run_.device_rows_left = std::move(rows);
    return;
  }
  auto rows = empty_result(run_);
  if (rows_ >= 0) algorithms::append_buffer(*rows, std::move(all_), rows_);
  for (auto& [first, p] : pieces_) algorithms::append_buffer(*rows, std::move(p.host), p.rows);
  run_.host_rows = std::move(rows);
}

}  // namespace pappus::chunk_loop
