// Who gets device memory, and who gives it up.
//
// Problem: allocating on a device is slow and uploading is slower, so nothing that may be asked for
// again should be given up without need; but the device is small, and an input that doesn't fit
// passes through it again and again.
//
// Idea: give up what is cheapest to get back. Buffers of few sizes are kept warm and handed out
// again. When room is needed, warm buffers go first, since they hold nothing; then copies of rows
// that the host still has. Of these, the row set whose last use is longest ago gives first, and of
// a set the copy used last: streams start at their first row again, so within a set the copy just
// used is the one whose next use is farthest (Belady 1966; "most recently used" in Chou and DeWitt
// 1985). Thus of an input twice the device's size half is found by every pass, where dropping the
// least recently used would find nothing; and several sets streamed together (zip) take from each
// other only what they have passed. Last go rows that the host doesn't have, in the same order:
// they must be copied first. What came back of them goes before, for the host still has it.
//
// Alternatives: one slab cut by our own allocator wastes less, but OpenCL 1.2 has no pointers into
// buffers, and sub-buffers must be aligned. Learning from the plan what is used next is better than
// guessing, but loops end when their data say so.
//
// Not here: copying (device_ops/), and the budget of several sessions on one device: each has its
// own, and where they exceed the device, its refusal makes a session give up what it keeps.
#include "memory/device_memory.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::memory {
namespace {

constexpr std::size_t smallest = 256;
constexpr std::size_t fine_from = std::size_t{1} << 20;  // from here, steps of 1/8

std::string text(std::size_t bytes) { return base::bytes_text(static_cast<double>(bytes)); }

std::size_t usable(const devices::properties& about, std::size_t asked, const pool* host) {
  std::size_t limit = asked != 0 ? asked : about.memory_bytes - about.memory_bytes / 10;
  limit = std::min(limit, about.memory_bytes);
  return about.host_memory && host != nullptr ? std::min(limit, host->limit()) : limit;
}

}  // namespace

// What the buffers share with the device_memory they came from: the account and the warm buffers.
// Used under the device's lock.
class device_memory::buffers {
 public:
  buffers(devices::attached_ptr on, std::size_t limit_bytes, std::shared_ptr<pool> host)
      : device(std::move(on)),
        limit(usable(device->about(), limit_bytes, host.get())),
        largest(std::min(limit, device->about().buffer_bytes_max)),
        in_place(limit_bytes == 0 && device->about().in_place),
        host_(device->about().host_memory ? std::move(host) : nullptr) {}

  std::size_t room() const noexcept { return limit - in_use - warm_; }
  sized_buffer take_warm(std::size_t bytes, std::size_t most) noexcept;
  /// Empty, and why, when the device has no more, or the host where it is charged too.
  sized_buffer allocate(std::size_t size, std::string_view owner, std::string& refusal);
  /// Gives up one warm buffer: the smallest that makes `shortage` good, or the largest.
  bool drop_warm(std::size_t shortage) noexcept;
  void drop_all_warm() noexcept {
    while (drop_warm(limit)) {
    }
  }
  void give_back(sized_buffer buffer) noexcept;
  void close() noexcept {
    drop_all_warm();
    closed_ = true;
  }

  [[noreturn]] void refuse(std::size_t bytes, std::string_view owner) const;
  [[noreturn]] void refuse(std::size_t bytes, std::string_view owner,
                           const std::string& reason) const;

  const devices::attached_ptr device;
  const std::size_t limit, largest;
  const bool in_place;
  std::size_t in_use = 0, peak = 0;

 private:
  void destroy(sized_buffer buffer) noexcept {
    buffer.second.reset();
    if (host_) host_->discharge(buffer.first);
  }

  const std::shared_ptr<pool> host_;  // where it is charged too
  std::size_t warm_ = 0;
  std::multimap<std::size_t, std::unique_ptr<devices::buffer>> warm_buffers_;
  bool closed_ = false;
};

device_memory::sized_buffer device_memory::buffers::take_warm(std::size_t bytes,
                                                              std::size_t most) noexcept {
  const auto fit = warm_buffers_.lower_bound(bytes);
  if (fit == warm_buffers_.end() || fit->first > most) return {};
  sized_buffer taken{fit->first, std::move(fit->second)};
  warm_buffers_.erase(fit);
  warm_ -= taken.first;
  in_use += taken.first;
  return taken;
}

device_memory::sized_buffer device_memory::buffers::allocate(std::size_t size,
                                                             std::string_view owner,
                                                             std::string& refusal) {
  try {
    if (host_) host_->charge(size, owner);
  } catch (const memory_error& problem) {
    refusal = problem.what();
    return {};
  }
  try {
    sized_buffer made{size, device->driver->allocate(size)};
    in_use += size;
    peak = std::max(peak, in_use + warm_);
    return made;
  } catch (const devices::device_error& problem) {
    if (host_) host_->discharge(size);
    if (problem.what_failed != devices::fault::out_of_memory) throw;
    refusal = problem.what();
    return {};
  } catch (...) {
    if (host_) host_->discharge(size);
    throw;
  }
}

bool device_memory::buffers::drop_warm(std::size_t shortage) noexcept {
  if (warm_buffers_.empty()) return false;
  auto victim = warm_buffers_.lower_bound(shortage);
  if (victim == warm_buffers_.end()) --victim;
  warm_ -= victim->first;
  destroy({victim->first, std::move(victim->second)});
  warm_buffers_.erase(victim);
  return true;
}

void device_memory::buffers::give_back(sized_buffer buffer) noexcept {
  in_use -= buffer.first;
  if (closed_ || device->lost) return destroy(std::move(buffer));
  try {
    const auto place = warm_buffers_.emplace(buffer.first, nullptr);
    place->second = std::move(buffer.second);
    warm_ += buffer.first;
  } catch (...) {  // no memory for the list: don't keep the buffer
    destroy(std::move(buffer));
  }
}

void device_memory::buffers::refuse(std::size_t bytes, std::string_view owner) const {
  const std::string& name = device->about().name;
  if (bytes > largest && bytes <= limit)
    throw devices::device_error(
        devices::fault::out_of_memory, name,
        fmt::format("{}: needs a buffer of {}, but this device has none over {}; let the stage run "
                    "elsewhere (PAPPUS_DEVICES) or use less data",
                    owner, text(bytes), text(largest)));
  throw devices::device_error(
      devices::fault::out_of_memory, name,
      fmt::format("{}: needs {} more, but {} of the device's memory limit of {} are in use; raise "
                  "the limit (PAPPUS_DEVICE_MEMORY) or use less data",
                  owner, text(bytes), text(in_use), text(limit)));
}

void device_memory::buffers::refuse(std::size_t bytes, std::string_view owner,
                                    const std::string& reason) const {
  throw devices::device_error(
      devices::fault::out_of_memory, device->about().name,
      fmt::format("{}: needs {} more and was refused, with {} of the limit of {} in use: {}; "
                  "somebody else holds the rest: free it, or lower the limit "
                  "(PAPPUS_DEVICE_MEMORY) so that stages ask for less at a time",
                  owner, text(bytes), text(in_use), text(limit), reason));
}

device_memory::device_memory(devices::attached_ptr on, std::size_t limit_bytes,
                             std::shared_ptr<pool> host)
    : buffers_(std::make_shared<buffers>(std::move(on), limit_bytes, std::move(host))) {}

device_memory::~device_memory() {
  std::lock_guard lock(on()->lock);
  sets_.clear();
  buffers_->close();
}

std::size_t device_memory::limit() const noexcept { return buffers_->limit; }
std::size_t device_memory::in_use() const noexcept { return buffers_->in_use; }
std::size_t device_memory::peak() const noexcept { return buffers_->peak; }
const devices::attached_ptr& device_memory::on() const noexcept { return buffers_->device; }

std::size_t device_memory::charged(std::size_t bytes) noexcept {
  constexpr std::size_t half = std::numeric_limits<std::size_t>::max() / 2;
  if (bytes > half) return bytes;
  std::size_t power = smallest;
  while (power < bytes) power *= 2;
  if (power <= fine_from) return power;
  const std::size_t step = power / 16;  // 1/8 of the power below
  return detail::round_up(bytes, step);
}

device_buffer_ptr device_memory::acquire(std::size_t bytes, std::string_view owner) {
  const auto& all = buffers_;
  if (all->device->lost)
    throw devices::device_error(devices::fault::lost, all->device->about().name,
                                fmt::format("{}: the device was lost", owner));
  auto made = std::make_unique<device_buffer>();
  made->bytes = bytes;
  sized_buffer taken = take(std::max(bytes, std::size_t{1}), owner);
  made->memory = std::move(taken.second);
  return {made.release(), [all, size = taken.first](device_buffer* done) {
            const std::unique_ptr<device_buffer> owned(done);
            std::lock_guard lock(all->device->lock);
            all->give_back({size, std::move(owned->memory)});
          }};
}

bool device_memory::in_place() const noexcept { return buffers_->in_place; }

device_buffer_ptr device_memory::wrap(const void* memory, std::size_t bytes) {
  if (!in_place() || on()->lost) return nullptr;
  auto buffer = on()->driver->wrap(const_cast<void*>(memory), bytes);
  if (!buffer) return nullptr;
  auto made = std::make_unique<device_buffer>();
  made->bytes = bytes;
  made->memory = std::move(buffer);
  return {made.release(), [device = on()](device_buffer* done) {
            const std::lock_guard lock(device->lock);
            delete done;
          }};
}

device_memory::sized_buffer device_memory::take(std::size_t bytes, std::string_view owner) {
  buffers& all = *buffers_;
  if (bytes > all.largest) all.refuse(bytes, owner);
  std::size_t size = std::min(charged(bytes), all.largest);
  for (bool dead_kept = true;;) {
    if (sized_buffer warm = all.take_warm(bytes, size + size / 4); warm.second) return warm;
    if (std::exchange(dead_kept, false) && forget_dead_sets()) continue;
    if (size <= all.room()) break;
    if (all.drop_warm(size - all.room())) continue;
    if (bytes <= all.room()) {  // a buffer of an odd size is better than giving up a copy
      size = all.room();
      break;
    }
    if (!evict_one() && !move_one()) all.refuse(bytes, owner);
  }
  std::string refusal;
  sized_buffer made = all.allocate(size, owner, refusal);
  if (made.second) return made;
  while (evict_one()) {
  }
  do {
    all.drop_all_warm();
    made = all.allocate(size, owner, refusal);
  } while (!made.second && move_one());
  if (!made.second) all.refuse(bytes, owner, refusal);
  return made;
}

device_buffer_ptr device_memory::find(const detail::rows_ptr& set, std::int64_t first,
                                      std::int64_t rows) {
  const auto kept = sets_.find(set.get());
  if (rows <= 0 || buffers_->device->lost || kept == sets_.end() || kept->second.set.lock() != set)
    return nullptr;
  kept->second.last_use = ++clock_;
  const auto found = kept->second.copies.find(first);
  if (found == kept->second.copies.end() || found->second.rows < rows) return nullptr;
  auto use = kept->second.by_use.extract(found->second.last_use);
  use.key() = found->second.last_use = clock_;
  kept->second.by_use.insert(std::move(use));
  return found->second.buffer;
}

void device_memory::keep(const detail::rows_ptr& set, std::int64_t first, std::int64_t rows,
                         device_buffer_ptr copied) {
  if (rows <= 0 || buffers_->device->lost) return;
  kept_set& kept = sets_[set.get()];
  if (kept.set.lock() != set)
    kept = {set, 0, {}, {}};  // new, or another set that lay at this address
  auto& copies = kept.copies;
  auto begin = copies.lower_bound(first);
  if (begin != copies.begin()) {
    const auto before = std::prev(begin);
    if (before->first + before->second.rows > first) begin = before;
  }
  const auto end = copies.lower_bound(first + rows);
  for (auto old = begin; old != end; ++old) kept.by_use.erase(old->second.last_use);
  copies.erase(begin, end);
  kept.last_use = ++clock_;
  std::map<std::int64_t, copy> made;  // so that no throw leaves it in one of the maps only
  made.try_emplace(first, copy{rows, std::move(copied), clock_});
  kept.by_use.emplace(clock_, first);
  copies.insert(made.extract(first));
}

void device_memory::drop() noexcept {
  sets_.clear();
  buffers_->drop_all_warm();
}

bool device_memory::forget_dead_sets() noexcept {
  return std::erase_if(sets_, [](const auto& kept) { return kept.second.set.expired(); }) != 0;
}

bool device_memory::evict_one() noexcept {
  kept_set* from = nullptr;
  std::uint64_t use = 0;
  for (auto& [pointer, kept] : sets_) {
    if (from != nullptr && from->last_use < kept.last_use) continue;
    const auto newest = std::find_if(kept.by_use.rbegin(), kept.by_use.rend(), [&](auto& one) {
      return kept.copies.find(one.second)->second.buffer.use_count() == 1;  // nobody has it
    });
    if (newest == kept.by_use.rend()) continue;
    use = newest->first;
    from = &kept;
  }
  if (from == nullptr) return false;
  const auto at = from->by_use.find(use);
  from->copies.erase(at->second);
  from->by_use.erase(at);
  return true;
}

void device_memory::add(const std::shared_ptr<device_resident>& what, std::uint64_t set) {
  std::erase_if(residents_, [](const auto& known) { return known.what.expired(); });
  residents_.push_back({what, what.get(), set, ++clock_});
}

void device_memory::used(const device_resident& what) noexcept {
  const auto known = std::ranges::find(residents_, &what, &resident::address);
  if (known != residents_.end()) known->last_use = ++clock_;
}

/// Whether something was moved to the host. Others may release residents meanwhile.
bool device_memory::move_one() {
  std::erase_if(residents_, [](const auto& known) { return known.what.expired(); });
  std::map<std::uint64_t, std::uint64_t> last_use_of_set;
  for (const auto& one : residents_) {
    auto& last = last_use_of_set[one.set];
    last = std::max(last, one.last_use);
  }
  using order = std::tuple<bool, std::uint64_t, std::uint64_t>;
  std::vector<std::pair<order, std::shared_ptr<device_resident>>> alive;
  for (const auto& one : residents_)
    if (auto what = one.what.lock()) {
      const order at(!what->is_on_host(), last_use_of_set[one.set], ~one.last_use);
      alive.emplace_back(at, std::move(what));
    }
  std::ranges::sort(alive, {}, [](const auto& one) { return one.first; });
  return std::ranges::any_of(alive, [](auto& one) { return one.second->move_to_host(); });
}

double device_memory::bytes_kept(const detail::row_set& set) const noexcept {
  const auto found = sets_.find(&set);
  if (found == sets_.end() || found->second.set.lock().get() != &set) return 0;
  double rows = 0;
  for (const auto& [first, copied] : found->second.copies) rows += static_cast<double>(copied.rows);
  return rows * static_cast<double>(set.layout().size);
}

}  // namespace pappus::memory
