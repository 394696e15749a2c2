#include "memory/chunk_cache.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "pappus/error.h"
#include "regions/parts.h"

namespace pappus::memory {

struct chunk_cache::chunk {
  detail::buffer memory{};
  bool there = false;  ///< else somebody is loading it
  bool once = true;    ///< all who wanted it so far said so
  int pins = 0;
  std::optional<std::list<chunks::iterator>::iterator> idle{};  ///< its place there
};

/// What a thread has, and a lease once it has all that it wants.
class chunk_cache::held final : public graph::lease {
 public:
  explicit held(std::shared_ptr<chunk_cache> of) : of_(std::move(of)) {}
  ~held() override {
    give_up();
    of_->end_lease();
  }

  void add(chunks::iterator pinned) { pinned_.push_back(pinned); }
  std::byte* add(detail::buffer copy) { return copies_.emplace_back(std::move(copy)).data(); }
  void give_up() noexcept {
    for (const auto& one : pinned_) of_->unpin(one);
    pinned_.clear();
    copies_.clear();
  }

 private:
  const std::shared_ptr<chunk_cache> of_;
  std::vector<chunks::iterator> pinned_;
  std::vector<detail::buffer> copies_;
};

namespace {

/// From an element to its neighbours in row-major order.
detail::array_numbers strides_of(std::size_t rank, const regions::point& extents) {
  detail::array_numbers result{};
  std::int64_t stride = 1;
  for (auto d = rank; d-- > 0; stride *= extents[d]) result[d] = stride;
  return result;
}

std::int64_t offset(const regions::point& from, const regions::point& to, std::size_t rank,
                    const detail::array_numbers& strides) {
  std::int64_t elements = 0;
  for (std::size_t d = 0; d < rank; ++d) elements += (to[d] - from[d]) * strides[d];
  return elements;
}

}  // namespace

chunk_cache::chunk_cache(std::shared_ptr<pool> memory) : memory_(std::move(memory)) {
  memory_->on_shortage(this,
                       [this](std::size_t bytes, std::string_view) { return give_back(bytes); });
}

chunk_cache::~chunk_cache() { memory_->on_shortage(this, {}); }

std::size_t chunk_cache::lease_max() const noexcept { return memory_->limit() / 8; }

std::size_t chunk_cache::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  return idle_bytes_;
}

graph::lease_ptr chunk_cache::take(std::span<graph::wanted_elements> wanted,
                                   std::string_view owner) {
  auto result = std::make_unique<held>(shared_from_this());
  std::unique_lock lock(mutex_);
  begin();
  while (true) {
    // Who has a lease during the attempt may be why there is no room, though it has ended by then.
    const bool alone = active_ == 1;
    const auto seen = changes_;
    lock.unlock();
    try {
      for (auto& one : wanted) find(one, *result, owner);
      return result;
    } catch (const memory_error&) {
      result->give_up();
      lock.lock();
      if (alone && changes_ == seen) {
        lock.unlock();
        throw;
      }
      if (active_ == 1) continue;
      --active_;
      wait_for_one(lock);
      begin();
    }
  }
}

void chunk_cache::begin() noexcept {
  ++active_;
  ++changes_;
}

void chunk_cache::wait_for_one(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this, seen = ended_] { return ended_ != seen; });
}

bool chunk_cache::wait_for_end(std::uint64_t& seen, std::uint64_t own) {
  std::unique_lock lock(mutex_);
  if (active_ == 0 && changes_ == seen + own) return false;
  if (active_ > 0) wait_for_one(lock);
  seen = changes_;
  return true;
}

void chunk_cache::find(graph::wanted_elements& wanted, held& with, std::string_view owner) {
  const auto& grid = wanted.of->chunks();
  const auto& box = wanted.elements.bounds;
  const auto cells = grid.cells(box);
  // Nobody will want the rest of their chunks.
  if (wanted.once && wanted.of->reads_alone(wanted.elements)) {
    auto* const to = copy_of(wanted, with, owner);
    return wanted.of->read_alone(wanted.elements, wanted.strides, to);
  }
  if (cells.volume() > 1) return copy_together(wanted, cells, with, owner);
  const auto pinned = pin(wanted, cells.low, owner);
  with.add(pinned);
  wanted.strides = strides_of(grid.rank(), wanted.of->chunk_extents());
  const auto elements = offset(grid.cell(cells.low).low, box.low, grid.rank(), wanted.strides);
  wanted.first = pinned->second.memory.data() +
                 elements * static_cast<std::int64_t>(wanted.of->element_bytes());
}

/// Room for a copy of elements, for who fills it.
std::byte* chunk_cache::copy_of(graph::wanted_elements& wanted, held& with,
                                std::string_view owner) {
  const auto& elements = wanted.elements;
  std::int64_t all = 1;  // room for elements, with gaps that make strides whole numbers
  for (auto d = elements.bounds.rank; d-- > 0;) {
    const auto step = elements.steps[d];
    wanted.strides[d] = (all + step - 1) / step;
    all += wanted.strides[d] * step * (elements.count(d) - 1);
  }
  auto* const to = with.add(
      detail::buffer(*memory_, static_cast<std::size_t>(all) * wanted.of->element_bytes(), owner));
  wanted.first = to;
  return to;
}

void chunk_cache::copy_together(graph::wanted_elements& wanted, const regions::box& cells,
                                held& with, std::string_view owner) {
  const auto& of = *wanted.of;
  const auto rank = cells.rank;
  const auto& box = wanted.elements.bounds;
  const auto size = static_cast<std::int64_t>(of.element_bytes());
  const bool gaps = wanted.elements.has_gaps();
  auto* const to = copy_of(wanted, with, owner);
  const auto of_chunk = strides_of(rank, of.chunk_extents());
  regions::each_place(cells, [&](const regions::point& at) {
    const auto cell = of.chunks().cell(at);
    if (!regions::has_place_in(wanted.elements, cell)) return;
    const auto pinned = pin(wanted, at, owner);
    const auto* const from = pinned->second.memory.data();
    regions::each_row(regions::intersect(cell, box), [&](const regions::box& row) {
      if (gaps && !regions::has_place_in(wanted.elements, row)) return;
      std::memcpy(to + offset(box.low, row.low, rank, wanted.strides) * size,
                  from + offset(cell.low, row.low, rank, of_chunk) * size,
                  static_cast<std::size_t>(row.volume() * size));
    });
    unpin(pinned);
  });
}

chunk_cache::chunks::iterator chunk_cache::pin(const graph::wanted_elements& wanted,
                                               const regions::point& at, std::string_view owner) {
  const key name{wanted.of.get(), wanted.of->chunks().number(at)};
  std::unique_lock lock(mutex_);
  while (true) {
    const auto [found, is_new] = chunks_.try_emplace(name);
    auto& chunk = found->second;
    if (is_new) {
      chunk.pins = 1;
      chunk.once = wanted.once;
      lock.unlock();
      load(found, *wanted.of, at, owner);
      return found;
    }
    if (chunk.there) {
      ++chunk.pins;
      chunk.once = chunk.once && wanted.once;
      if (chunk.idle) {
        idle_.erase(*chunk.idle);
        idle_bytes_ -= chunk.memory.size();
        chunk.idle.reset();
      }
      return found;
    }
    changed_.wait(lock);  // until it is there, or whoever loads it has failed
  }
}

void chunk_cache::load(chunks::iterator loading, const graph::chunked& of, const regions::point& at,
                       std::string_view owner) {
  try {
    detail::buffer memory(*memory_, graph::chunk_bytes(of), owner);
    of.load(at, memory.data());
    const std::lock_guard lock(mutex_);
    loading->second.memory = std::move(memory);
    loading->second.there = true;
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      chunks_.erase(loading);
    }
    changed_.notify_all();
    throw;
  }
  changed_.notify_all();
}

void chunk_cache::unpin(chunks::iterator pinned) noexcept {
  std::vector<detail::buffer> dropped;  // given back when the mutex isn't locked
  const std::lock_guard lock(mutex_);
  auto& chunk = pinned->second;
  if (--chunk.pins > 0) return;
  if (chunk.once) {
    dropped.push_back(std::move(chunk.memory));
    chunks_.erase(pinned);
    return;
  }
  chunk.idle = idle_.insert(idle_.end(), pinned);
  idle_bytes_ += chunk.memory.size();
  const auto most = memory_->limit() / 4;
  // The newest stays, however large it is: it may be all that is read.
  const auto others = idle_bytes_ - chunk.memory.size();
  if (idle_bytes_ > most) dropped = drop(std::min(idle_bytes_ - most, others));
}

void chunk_cache::end_lease() noexcept {
  {
    const std::lock_guard lock(mutex_);
    --active_;
    ++ended_;
    ++changes_;
  }
  changed_.notify_all();
}

std::vector<detail::buffer> chunk_cache::drop(std::size_t bytes) noexcept {
  std::vector<detail::buffer> result;
  for (std::size_t done = 0; done < bytes && !idle_.empty();) {
    const auto oldest = idle_.front();
    done += oldest->second.memory.size();
    idle_bytes_ -= oldest->second.memory.size();
    result.push_back(std::move(oldest->second.memory));
    chunks_.erase(oldest);
    idle_.pop_front();
  }
  return result;
}

bool chunk_cache::give_back(std::size_t bytes) noexcept {
  std::vector<detail::buffer> dropped;
  const std::lock_guard lock(mutex_);
  dropped = drop(bytes);
  return !dropped.empty();
}

void chunk_cache::forget(const graph::chunked& of) noexcept {
  std::vector<detail::buffer> dropped;
  const std::lock_guard lock(mutex_);
  for (auto at = idle_.begin(); at != idle_.end();) {
    if ((*at)->first.first != &of) {
      ++at;
      continue;
    }
    idle_bytes_ -= (*at)->second.memory.size();
    dropped.push_back(std::move((*at)->second.memory));
    chunks_.erase(*at);
    at = idle_.erase(at);
  }
}

}  // namespace pappus::memory
