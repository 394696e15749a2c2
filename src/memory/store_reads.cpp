// Copies of records, from wherever a store has them.
#include <algorithm>
#include <cstring>

#include "memory/store.h"
#include "memory/stored_rows.h"
#include "pappus/error.h"

namespace pappus::memory {

/// Keeps the sets from which it copies where they are.
class store::reading {
 public:
  reading(store& from, std::span<const copy> wanted) : from_(from) {
    sets_.reserve(wanted.size());
    std::unique_lock lock(from_.mutex_);
    try {
      for (const auto& one : wanted)
        if (one.rows > 0) add(one, lock);
    } catch (...) {
      leave();
      throw;
    }
  }
  ~reading() {
    const std::lock_guard lock(from_.mutex_);
    leave();
  }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;

  std::size_t parts_in_memory() const noexcept { return in_memory_.size(); }
  void copy_part(std::size_t i) const noexcept {
    std::memcpy(in_memory_[i].to, in_memory_[i].from.data(), in_memory_[i].from.size());
  }
  void read_the_rest(std::string_view owner, const detail::workers& team) const {
    if (!on_disk_.empty()) from_.file_->read(on_disk_, owner, &team);
  }

 private:
  static constexpr std::size_t item_bytes = std::size_t{1} << 20;
  struct bytes_copy {
    std::span<const std::byte> from;
    std::byte* to;
  };

  // All are called with the store's mutex locked.
  void leave() noexcept {
    for (auto* const set : sets_) --set->readers_;
    from_.changed_.notify_all();
  }

  /// Waits for nobody but who moves a chunk of the set, and that waits for nobody.
  void add(const copy& wanted, std::unique_lock<std::mutex>& lock) {
    auto& set = static_cast<stored_rows&>(*wanted.of);
    from_.changed_.wait(lock, [&] { return !set.busy_; });
    sets_.push_back(&set);  // there is room for it
    ++set.readers_;
    set.last_use_ = ++from_.clock_;
    const std::size_t size = set.layout_.size;
    std::size_t begin = static_cast<std::size_t>(wanted.first) * size,
                left = static_cast<std::size_t>(wanted.rows) * size;
    std::byte* to = wanted.to;
    const auto take = [&](std::size_t there, auto&& add_part) {
      if (begin >= there) {
        begin -= there;
        return;
      }
      const std::size_t n = std::min(left, there - begin);
      if (n > 0) add_part(begin, n, to);
      begin = 0, left -= n, to += n;
    };
    const auto take_bytes = [&](std::span<const std::byte> bytes) {
      take(bytes.size(), [&](std::size_t first, std::size_t n, std::byte* at) {
        for (std::size_t done = 0; done < n; done += item_bytes)
          in_memory_.push_back(
              {bytes.subspan(first + done, std::min(item_bytes, n - done)), at + done});
      });
    };
    if (set.fragments_.empty()) {
      for (const auto& chunk : set.awake_->chunks())
        take_bytes({chunk.data, static_cast<std::size_t>(chunk.rows) * size});
      return;
    }
    for (const auto& [what, n] : set.fragments_) {
      if (what->in_memory())
        for (const auto& part : what->parts) take_bytes(part);
      else
        take(what->bytes, [&](std::size_t first, std::size_t bytes, std::byte* at) {
          on_disk_.push_back({what->disk.get(), first, bytes, at});
        });
    }
  }

  store& from_;
  std::vector<stored_rows*> sets_;
  std::vector<bytes_copy> in_memory_;
  std::vector<spill_file::part> on_disk_;
};

void store::read(std::span<const copy> wanted, detail::workers& team, std::string_view owner) {
  const reading parts(*this, wanted);
  detail::parallel_chunks(team, parts.parts_in_memory(),
                          [&](std::size_t i, unsigned) { parts.copy_part(i); });
  parts.read_the_rest(owner, team);
}

std::future<void> store::read_beside(std::vector<copy> wanted, const detail::workers& team,
                                     std::string owner) {
  return std::async([this, &team, wanted = std::move(wanted), name = std::move(owner)] {
    const reading parts(*this, wanted);
    for (std::size_t i = 0; i < parts.parts_in_memory(); ++i) {
      if (team.stopping()) throw cancelled();
      parts.copy_part(i);
    }
    parts.read_the_rest(name, team);
  });
}

}  // namespace pappus::memory
