// Copies of records and their text, from wherever a store has them.
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
    // Waits for who moves chunks of any of them, before it keeps one: who does may wait for memory.
    from_.changed_.wait(lock, [&] {
      return std::ranges::none_of(
          wanted, [](const copy& one) { return one.rows > 0 && set_of(one).busy_; });
    });
    try {
      for (const auto& one : wanted)
        if (one.rows > 0) add(one);
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
  std::size_t parts_with_text() const noexcept { return with_text_.size(); }
  /// Has copies of records point to the copies of their text, when both are there.
  void move_views(std::size_t i) const noexcept {
    const auto& [index, records, rows, from, to] = with_text_[i];
    index->move_views(records, rows, from, to);
  }
  void copy_part(std::size_t i) const noexcept {
    std::memcpy(in_memory_[i].to, in_memory_[i].from.data(), in_memory_[i].from.size());
  }
  void read_the_rest(std::string_view owner, const detail::workers& team) const {
    if (on_disk_.empty()) return;
    try {
      from_.file_->read(on_disk_, owner, &team);
    } catch (const spill_error&) {
      for (auto* const set : sets_from_disk_) set->lost_ = true;
      throw;
    }
  }

 private:
  static constexpr std::size_t item_bytes = std::size_t{1} << 20;
  struct bytes_copy {
    std::span<const std::byte> from;
    std::byte* to;
  };

  struct moved_views {
    const base::text_index* index;
    std::byte* records;
    std::int64_t rows;
    std::uintptr_t from;
    const std::byte* to;
  };

  // All are called with the store's mutex locked.
  void leave() noexcept {
    for (auto* const set : sets_) --set->readers_;
    from_.changed_.notify_all();
  }

  static stored_rows& set_of(const copy& wanted) { return static_cast<stored_rows&>(*wanted.of); }

  void add(const copy& wanted) {
    auto& set = set_of(wanted);
    sets_.push_back(&set);  // there is room for it
    ++set.readers_;
    set.last_use_ = ++from_.clock_;
    const auto before = on_disk_.size();
    if (set.text_)
      add_with_text(set, wanted);
    else
      add_records(set, wanted);
    if (on_disk_.size() > before) sets_from_disk_.push_back(&set);
  }

  void add_records(const stored_rows& set, const copy& wanted) {
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
        add_bytes(bytes.subspan(first, n), at);
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

  /// Its records, and all text of the blocks that they are in.
  void add_with_text(const stored_rows& set, const copy& wanted) {
    const auto& text = *set.text_;
    const std::size_t size = set.layout_.size,
                      first = static_cast<std::size_t>(wanted.first) * size,
                      bytes = static_cast<std::size_t>(wanted.rows) * size;
    const auto there = text.index.of(wanted.first, wanted.rows);
    if (text.memory) {
      const auto* const records =
          set.awake_ ? set.awake_->data() : set.fragments_.front().what->parts.front().data();
      add_bytes({records + first, bytes}, wanted.to);
      add_bytes({text.memory->data() + there.begin, there.bytes()}, wanted.text_to);
    } else {
      const auto* const disk = set.fragments_.front().what->disk.get();
      on_disk_.push_back({disk, first, bytes, wanted.to});
      if (there.bytes() > 0)
        on_disk_.push_back({disk, set.record_bytes() + there.begin, there.bytes(), wanted.text_to});
    }
    if (there.bytes() > 0)
      with_text_.push_back(
          {&text.index, wanted.to, wanted.rows, text.begin() + there.begin, wanted.text_to});
  }
  void add_bytes(std::span<const std::byte> bytes, std::byte* to) {
    for (std::size_t done = 0; done < bytes.size(); done += item_bytes)
      in_memory_.push_back(
          {bytes.subspan(done, std::min(item_bytes, bytes.size() - done)), to + done});
  }

  store& from_;
  std::vector<stored_rows*> sets_, sets_from_disk_;
  std::vector<bytes_copy> in_memory_;
  std::vector<spill_file::part> on_disk_;
  std::vector<moved_views> with_text_;
};

void store::read(std::span<const copy> wanted, detail::workers& team, std::string_view owner) {
  const reading parts(*this, wanted);
  detail::parallel_chunks(team, parts.parts_in_memory(),
                          [&](std::size_t i, unsigned) { parts.copy_part(i); });
  parts.read_the_rest(owner, team);
  detail::parallel_chunks(team, parts.parts_with_text(),
                          [&](std::size_t i, unsigned) { parts.move_views(i); });
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
    for (std::size_t i = 0; i < parts.parts_with_text(); ++i) parts.move_views(i);
  });
}

}  // namespace pappus::memory
