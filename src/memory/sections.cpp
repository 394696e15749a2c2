#include "memory/sections.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "base/text.h"
#include "memory/pages.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::memory {
namespace {

constexpr std::size_t section_min = std::size_t{64} << 10, section_max = huge_page;
constexpr std::size_t sections_min = 4;  // of an array for which it is worth it
constexpr std::size_t sections_of_limit = 256;
constexpr std::size_t newest_part = 4;      // of what is in memory: one of so many parts stays
constexpr std::size_t ahead_of_limit = 32;  // part of memory for what is read ahead
constexpr std::uint64_t just_now = 64;      // leases ago
constexpr std::size_t gone_of_limit = 32;   // part of memory that goes at a time at least
constexpr std::size_t written_at_once = std::size_t{8} << 20;
constexpr std::size_t written_of_limit = 1024;  // or this part of it: all are sorted each time

}  // namespace

struct sections::section {
  std::shared_ptr<const spill_file::extent> disk;  ///< what it holds, unless `changed`
  std::size_t at = 0;                              ///< of the extent
  std::uint64_t last_use = 0;
  unsigned pins = 0;
  bool in_memory = false;
  bool changed = false;  ///< somebody may have written to it since it was written to the disk
  bool read = false;     ///< who brings it needs what it holds
  bool moving = false;   ///< a thread without the mutex makes it go, or come
};

/// The memory of an array.
class sections::block final : public graph::pageable {
 public:
  /// Throws memory_error.
  block(std::shared_ptr<sections> of, std::size_t bytes, std::string_view owner)
      : of_(std::move(of)), bytes_(bytes), section_bytes_(of_->section_bytes_) {
    all.resize(detail::ceil_div(bytes, section_bytes_));
    const auto charged = pool::charged(bytes);
    if (!of_->pressed_ && charged <= of_->memory_->available()) take_all(owner);
    if (data_ == nullptr) take_addresses(owner);
    // Huge pages would take more memory than the sections in them.
    if (section_bytes_ < huge_page) ::madvise(data_, bytes_, MADV_NOHUGEPAGE);
    const std::lock_guard lock(of_->mutex_);
    of_->known_.push_back(this);
  }
  ~block() override {
    std::unique_lock lock(of_->mutex_);
    of_->changed_.wait(lock, [&] { return std::ranges::none_of(all, &section::moving); });
    std::erase(of_->known_, this);
    lock.unlock();
    std::size_t missing = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].in_memory) missing += charge_of(i);
    if (from_pool_) {
      of_->memory_->release_rest(data_, bytes_, missing);
    } else {
      of_->memory_->discharge(bytes_ - missing);
      ::munmap(data_, mapped());
    }
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;

  std::byte* data() const noexcept override { return data_; }
  void expect_users(int more) noexcept override {
    const std::lock_guard lock(of_->mutex_);
    users += more;
  }
  std::size_t size_of(std::size_t i) const noexcept {
    return std::min(section_bytes_, bytes_ - i * section_bytes_);
  }
  /// The pool's memory ends in a whole page of its own, which goes with the last section.
  std::size_t charge_of(std::size_t i) const noexcept {
    const auto whole = from_pool_ && i + 1 == all.size() ? pool::charged(bytes_) - bytes_ : 0;
    return size_of(i) + whole;
  }
  std::byte* data_of(std::size_t i) const noexcept { return data_ + i * section_bytes_; }
  std::size_t section_bytes() const noexcept { return section_bytes_; }

  // Guarded by the mutex of the sections.
  std::vector<section> all;
  int users = 0;

 private:
  /// Bytes of its addresses, unless they are the pool's: whole pages of the system.
  std::size_t mapped() const noexcept {
    return detail::round_up(bytes_, base::scaled(section_min));
  }
  /// As any memory, where there is enough: what others left warm needs no zeros from the system.
  void take_all(std::string_view owner) {
    try {
      data_ = of_->memory_->acquire(bytes_, owner);
    } catch (const memory_error&) {
      return;  // somebody was faster
    } catch (const spill_error&) {
      return;  // and the disk is full: addresses take neither
    }
    from_pool_ = true;
    for (auto& one : all) one.in_memory = true;
  }
  void take_addresses(std::string_view owner) {
    data_ = map_pages(mapped(), MAP_NORESERVE);
    if (data_ == nullptr)
      throw memory_error(fmt::format("{}: the system has no addresses for {}", owner,
                                     base::bytes_text(static_cast<double>(bytes_))));
  }

  const std::shared_ptr<sections> of_;
  const std::size_t bytes_, section_bytes_;
  std::byte* data_ = nullptr;
  bool from_pool_ = false;
};

/// A section, by its number in its array.
struct sections::numbered {
  block* of = nullptr;
  std::size_t number = 0;
  section& what() const { return of->all[number]; }
  std::size_t bytes() const { return of->size_of(number); }
  std::size_t charge() const { return of->charge_of(number); }
  void leave_memory() const { ::madvise(of->data_of(number), charge(), MADV_DONTNEED); }
};

class sections::held final : public graph::lease {
 public:
  held(std::shared_ptr<sections> of, std::span<const graph::leased_bytes> wanted,
       graph::lease_time lasts)
      : of_(std::move(of)), all_(wanted.begin(), wanted.end()), lasts_(lasts) {}
  ~held() override {
    if (taken) of_->give_back(all_, lasts_);
  }
  bool taken = false;

 private:
  const std::shared_ptr<sections> of_;
  const std::vector<graph::leased_bytes> all_;
  const graph::lease_time lasts_;
};

sections::sections(std::shared_ptr<pool> memory, std::shared_ptr<spill_file> file)
    : memory_(std::move(memory)),
      file_(std::move(file)),
      section_bytes_(base::scaled_clamp(std::bit_floor(memory_->limit() / sections_of_limit),
                                        section_min, section_max)) {}

std::shared_ptr<graph::pageable> sections::make(std::size_t bytes, std::string_view owner) {
  if (file_ == nullptr || (bytes < sections_min * section_bytes_ && !pressed_) || bytes == 0 ||
      !file_->usable())
    return nullptr;
  if (const auto room = file_->capacity(); bytes > room && bytes - room > memory_->limit())
    throw memory_error(fmt::format(
        "{}: needs {}, but the memory limit is {} (PAPPUS_HOST_MEMORY or options::host_memory) and "
        "the spill file in {} may take {} (PAPPUS_SPILL_SIZE or options::spill_size)",
        owner, base::bytes_text(static_cast<double>(bytes)),
        base::bytes_text(static_cast<double>(memory_->limit())), file_->folder(),
        base::bytes_text(static_cast<double>(room))));
  return std::make_shared<block>(shared_from_this(), bytes, owner);
}

/// Calls f(block, number of a section, all of it is written over).
template <typename F>
void sections::each_section(std::span<const graph::leased_bytes> wanted, F&& f) {
  for (const auto& one : wanted) {
    if (one.begin >= one.end) continue;
    auto& of = static_cast<block&>(*one.of);
    const auto size = of.section_bytes();
    for (auto i = one.begin / size; i * size < one.end; ++i)
      f(of, i, !one.reads && one.begin <= i * size && i * size + of.size_of(i) <= one.end);
  }
}

void sections::pin(std::span<const graph::leased_bytes> wanted) noexcept {
  each_section(wanted, [](block& of, std::size_t i, bool) { ++of.all[i].pins; });
}

void sections::unpin(std::span<const graph::leased_bytes> wanted) noexcept {
  each_section(wanted, [](block& of, std::size_t i, bool) { --of.all[i].pins; });
}

bool sections::are_there(std::span<const graph::leased_bytes> wanted) const {
  bool all = true;
  each_section(wanted, [&](const block& of, std::size_t i, bool) {
    all = all && of.all[i].in_memory && !of.all[i].moving;
  });
  return all;
}

bool sections::is_moving(std::span<const graph::leased_bytes> wanted) const {
  bool any = false;
  each_section(wanted,
               [&](const block& of, std::size_t i, bool) { any = any || of.all[i].moving; });
  return any;
}

graph::lease_ptr sections::take(std::span<const graph::leased_bytes> wanted,
                                graph::lease_time lasts, std::string_view owner) {
  auto made = std::make_unique<held>(shared_from_this(), wanted, lasts);
  std::unique_lock lock(mutex_);
  if (!are_there(wanted)) bring(wanted, owner, lock);
  pin(wanted);
  for (const auto& one : wanted) {
    if (!one.writes) continue;
    each_section(std::span(&one, 1), [](block& of, std::size_t i, bool) {
      of.all[i].changed = true;
      of.all[i].disk.reset();
    });
  }
  if (lasts == graph::lease_time::brief) ++brief_;
  made->taken = true;
  return made;
}

void sections::give_back(std::span<const graph::leased_bytes> wanted,
                         graph::lease_time lasts) noexcept {
  std::unique_lock lock(mutex_);
  unpin(wanted);
  const auto now = ++clock_;
  each_section(wanted, [&](block& of, std::size_t i, bool) { of.all[i].last_use = now; });
  if (lasts == graph::lease_time::brief) {
    --brief_;
    ++ended_;
    changed_.notify_all();
  }
  if (pressed_) evict_all(lock);
}

void sections::press_for_tests(std::size_t section_bytes) {
  section_bytes_ = section_bytes;
  pressed_ = true;
}

void sections::evict_all(std::unique_lock<std::mutex>& lock) noexcept {
  try {
    auto all = candidates(which::all, true);
    evict(all, "a test", lock);
  } catch (const std::exception&) {  // they stay
  }
}

/// By one thread at a time, so that nobody waits for what another one holds who waits, too. They
/// are there when it returns, with the mutex locked.
void sections::bring(std::span<const graph::leased_bytes> wanted, std::string_view owner,
                     std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  const std::lock_guard turn(turn_);
  lock.lock();
  for (;;) {
    changed_.wait(lock, [&] { return !is_moving(wanted); });
    const auto ended = ended_;
    pin(wanted);
    try {
      load(wanted, owner, lock);
      return unpin(wanted);
    } catch (const memory_error&) {
      unpin(wanted);
      if (brief_ == 0 && ended == ended_) throw;
      changed_.wait(lock, [&] { return brief_ == 0 || ended != ended_; });
    } catch (...) {
      unpin(wanted);
      throw;
    }
  }
}

/// Those that aren't there, each once. Nobody else moves them until they are.
std::vector<sections::numbered> sections::missing(std::span<const graph::leased_bytes> wanted) {
  std::vector<numbered> found;
  each_section(wanted, [&](block& of, std::size_t i, bool written_over) {
    auto& one = of.all[i];
    if (one.in_memory) return;
    if (!std::exchange(one.moving, true)) {
      one.read = false;
      found.push_back({&of, i});
    }
    one.read = one.read || !written_over;
  });
  return found;
}

/// What is on the disk behind sections that somebody reads one after another: they will be next,
/// and a disk likes to be asked for much at a time. Nobody else moves them until they are there.
std::vector<sections::numbered> sections::next(std::span<const numbered> wanted) {
  const auto share = memory_->limit() / ahead_of_limit / std::max<std::size_t>(brief_, 1);
  std::vector<numbered> found;
  for (const auto& [of, i] : wanted) {
    if (!of->all[i].read || i == 0) continue;
    const auto& before = of->all[i - 1];
    const bool in_turn =
        before.in_memory && (before.pins > 0 || before.last_use + just_now > clock_);
    std::size_t bytes = 0;
    for (auto n = i + 1;
         in_turn && n < of->all.size() && bytes < std::min(share, base::scaled(written_at_once));
         ++n) {
      auto& one = of->all[n];
      if (one.in_memory || one.moving || one.disk == nullptr) break;
      one.moving = one.read = true;
      bytes += of->charge_of(n);
      found.push_back({of, n});
    }
  }
  return found;
}

/// Charges and reads. Throws memory_error and spill_error: nothing is there then.
void sections::fill(std::span<const numbered> chosen, std::string_view owner) const {
  std::vector<spill_file::part> parts;
  std::size_t bytes = 0;
  for (const auto& [of, i] : chosen) {
    const auto& one = of->all[i];
    bytes += of->charge_of(i);
    if (one.read && one.disk != nullptr)  // else nobody has written to it
      parts.push_back({one.disk.get(), one.at, of->size_of(i), of->data_of(i)});
  }
  memory_->charge(bytes, owner);
  try {
    if (!parts.empty()) file_->read(parts, owner);
  } catch (...) {
    for (const auto& one : chosen) one.leave_memory();
    memory_->discharge(bytes);
    throw;
  }
}

void sections::finish(std::span<const numbered> moved, bool there) noexcept {
  for (const auto& one : moved) {
    one.what().moving = false;
    one.what().in_memory = there;
  }
  changed_.notify_all();
}

/// Brings those that aren't there, without the mutex meanwhile. They are pinned.
void sections::load(std::span<const graph::leased_bytes> wanted, std::string_view owner,
                    std::unique_lock<std::mutex>& lock) {
  auto own = missing(wanted), ahead = next(own);
  lock.unlock();
  bool with_next = !ahead.empty();
  if (with_next) try {
      auto all = own;
      all.insert(all.end(), ahead.begin(), ahead.end());
      fill(all, owner);
    } catch (const error&) {  // there is no room for more than was asked for
      with_next = false;
    }
  std::exception_ptr problem;
  if (!with_next) try {
      fill(own, owner);
    } catch (...) {
      problem = std::current_exception();
    }
  lock.lock();
  finish(own, problem == nullptr);
  finish(ahead, with_next);
  for (const auto& one : ahead) one.what().last_use = clock_;
  if (problem) std::rethrow_exception(problem);
}

std::size_t sections::evictable() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto* const of : known_)
    for (std::size_t i = 0; i < of->all.size(); ++i)
      if (const auto& one = of->all[i]; one.in_memory && one.pins == 0) bytes += of->charge_of(i);
  return bytes;
}

/// All that may go, the first to go first.
std::vector<sections::numbered> sections::candidates(which of, bool may_write) const {
  std::vector<numbered> unexpected, expected;
  std::size_t there = 0;
  for (auto* const from : known_) {
    if (of == which::unexpected && from->users > 0) continue;
    for (std::size_t i = 0; i < from->all.size(); ++i) {
      const auto& one = from->all[i];
      if (!one.in_memory || one.pins > 0 || one.moving || (one.changed && !may_write)) continue;
      (from->users > 0 ? expected : unexpected).push_back({from, i});
      if (from->users > 0) there += from->size_of(i);
    }
  }
  const auto last_use = [](const numbered& one) {
    return std::pair(one.what().last_use, one.number);
  };
  std::ranges::sort(unexpected, {}, last_use);
  std::ranges::sort(expected, std::greater<>(), last_use);
  std::size_t newest = 0;
  auto stays = expected.begin();
  for (; stays != expected.end() && newest < there / newest_part; ++stays) newest += stays->bytes();
  std::reverse(expected.begin(), stays);
  unexpected.insert(unexpected.end(), stays, expected.end());
  unexpected.insert(unexpected.end(), expected.begin(), stays);
  return unexpected;
}

/// Those to go next, so many that they have as many bytes, and that writing them is worth it.
std::vector<sections::numbered> sections::choose(std::size_t bytes, which of,
                                                 bool may_write) const {
  const auto limit = memory_->limit(),
             most = std::max(base::scaled(written_at_once), limit / written_of_limit);
  const auto wanted = std::min(std::max(bytes, limit / gone_of_limit), most);
  auto all = candidates(of, may_write);
  std::size_t sum = 0, count = 0;
  while (count < all.size() && sum < wanted) sum += all[count++].charge();
  all.resize(count);
  return all;
}

/// Writes what has changed, into one extent.
void sections::write(std::span<numbered> chosen, std::string_view owner) const {
  std::vector<std::span<const std::byte>> parts;
  for (const auto& one : chosen)
    if (one.what().changed) parts.emplace_back(one.of->data_of(one.number), one.bytes());
  if (parts.empty()) return;
  const std::shared_ptr<const spill_file::extent> made = file_->write(parts, owner);
  std::size_t at = 0;
  for (const auto& one : chosen) {
    if (!one.what().changed) continue;
    one.what().disk = made;
    one.what().at = std::exchange(at, at + one.bytes());
    one.what().changed = false;
  }
}

/// Has sections go, without the mutex meanwhile. Where writing fails they stay.
void sections::evict(std::span<numbered> chosen, std::string_view owner,
                     std::unique_lock<std::mutex>& lock) {
  for (const auto& one : chosen) one.what().moving = true;
  ++evicting_;
  lock.unlock();
  std::exception_ptr problem;
  std::size_t bytes = 0;
  try {
    write(chosen, owner);
    for (const auto& one : chosen) {
      one.leave_memory();
      bytes += one.charge();
    }
  } catch (...) {
    problem = std::current_exception();
  }
  memory_->discharge(bytes);
  lock.lock();
  --evicting_;
  finish(chosen, problem != nullptr);
  if (problem) std::rethrow_exception(problem);
}

bool sections::make_room(std::size_t bytes, which of, std::string_view owner) {
  std::exception_ptr problem;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto free = memory_->available();
    if (free >= bytes) return true;
    auto chosen = choose(bytes - free, of, problem == nullptr);
    if (chosen.empty() && evicting_ == 0) break;
    if (chosen.empty()) {
      changed_.wait(lock, [&, before = evicting_] { return evicting_ != before; });
      continue;
    }
    try {
      evict(chosen, owner, lock);
    } catch (const spill_error&) {
      problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
  return false;
}

}  // namespace pappus::memory
