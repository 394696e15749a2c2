#include "memory/store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "base/owned.h"
#include "base/text.h"
#include "memory/stored_parts.h"
#include "memory/stored_rows.h"
#include "pappus/error.h"

namespace pappus::memory {
namespace {

constexpr std::size_t bytes_min = std::size_t{64} << 10;  // of rows that are worth writing

}  // namespace

struct store::victim {
  stored_rows* rows = nullptr;
  std::shared_ptr<chunk> what;  // null: the last one of rows that aren't in chunks yet
  bool clean = false;
};

/// What a search tells besides the victim.
struct store::search {
  bool may_write = true;
  std::size_t evictable = 0;  ///< bytes of all that could be evicted, now or after others' writes
  std::size_t clean = 0;      ///< of these, what needn't be written for that
  bool only_dirty = false;    ///< for whom a chunk that needn't be written is no victim
};

std::shared_ptr<store> store::make(std::shared_ptr<pool> memory, const spill_settings& settings) {
  auto file = settings.off ? nullptr : std::make_shared<spill_file>(settings);
  std::shared_ptr<store> made(new store(memory, std::move(file)));
  if (made->file_)
    memory->on_shortage(made.get(),
                        [weak = std::weak_ptr(made)](std::size_t bytes, std::string_view owner) {
                          const auto self = weak.lock();
                          return self != nullptr && self->make_room(bytes, owner);
                        });
  return made;
}

std::shared_ptr<graph::kept_rows> store::keep(detail::rows_ptr rows) {
  const bool can_rest = file_ && rows->bytes() >= base::scaled(bytes_min) && cut(*rows).has_value();
  return std::make_shared<stored_rows>(shared_from_this(), std::move(rows), can_rest);
}

std::shared_ptr<graph::kept_rows> store::keep_with_text(std::shared_ptr<detail::row_set> rows,
                                                        detail::workers& team,
                                                        std::string_view owner) {
  own_text text{base::text_index(rows->layout())};
  auto* const records = rows->buffers().front().data();
  text.memory =
      base::owned(text.index.copy_text(records, rows->rows(), *memory_, team, owner), memory_);
  const bool can_rest = file_ && rows->bytes() + text.index.bytes() >= base::scaled(bytes_min);
  return std::make_shared<stored_rows>(shared_from_this(), std::move(rows), can_rest,
                                       std::move(text));
}

std::shared_ptr<graph::kept_rows> store::in_parts(
    const detail::record_type& layout, std::vector<std::shared_ptr<graph::kept_rows>> parts,
    detail::missing_counts missing) {
  return std::make_shared<stored_parts>(shared_from_this(), layout, std::move(parts),
                                        std::move(missing));
}

std::string store::about_rows_to_come() {
  if (!file_) return "in memory, where they stay (PAPPUS_SPILL is off)";
  if (!file_->usable())
    return "in memory, where they stay: neither TMPDIR nor /var/tmp is a folder on a disk; name "
           "one (PAPPUS_SPILL or options::spill)";
  return fmt::format("in memory, or a spill file in {} where that is short", file_->folder());
}

std::string store::about(const rows_where& kept) const {
  const auto text = [](std::size_t n) { return base::bytes_text(static_cast<double>(n)); };
  if (kept.stays == kept.all)
    return fmt::format("{} in memory, where they stay: they are few, part of other rows or lent",
                       text(kept.all));
  const auto folder = file_->folder();
  auto all = kept.in_memory < kept.all
                 ? fmt::format("{} rest in the spill file in {} and will be read back",
                               text(kept.all - kept.in_memory), folder)
                 : fmt::format("{} in memory, may go to a spill file in {} where memory is short",
                               text(kept.all), folder);
  if (kept.in_memory == kept.all && kept.on_disk > 0)
    all += fmt::format("; {} are there, too", text(kept.on_disk));
  if (kept.text_stays)
    all += "; the text of their strings stays in memory: keep numbers in its place to have it go";
  return all;
}

std::size_t store::available() {
  const std::size_t free = memory_->available();
  if (!spills()) return free;
  search about;
  const std::lock_guard lock(mutex_);
  find_victim(about);
  return free + about.evictable + arrays_->evictable();
}

/// What was used longest ago, clean chunks before others, the last rows of it first: who reads them
/// from the beginning finds that there.
store::victim store::find_victim(search& about) {
  victim found;
  about.evictable = about.clean = 0;
  for (auto* const rows : known_) {
    if (rows->soon_free()) {
      about.evictable += rows->fragments_.empty() ? rows->charged_ : 0;
      for (const auto& one : rows->fragments_) about.evictable += one.what->charged;
    }
    if (rows->pinned()) continue;
    const auto consider = [&](std::shared_ptr<chunk> what, bool clean, std::size_t charged) {
      if (!clean && !about.may_write) return;
      about.evictable += charged;
      if (clean) about.clean += charged;
      if (clean && about.only_dirty) return;
      const bool better = found.rows == nullptr || (clean && !found.clean) ||
                          (clean == found.clean && rows->last_use_ <= found.rows->last_use_);
      if (better) found = {rows, std::move(what), clean};
    };
    if (rows->fragments_.empty()) consider(nullptr, false, rows->charged_);
    for (const auto& one : rows->fragments_)
      if (one.what->in_memory()) consider(one.what, one.what->disk != nullptr, one.what->charged);
  }
  return found;
}

bool store::make_room(std::size_t bytes, std::string_view owner) {
  if (!file_->usable()) return false;
  std::exception_ptr problem;
  search about;
  if (available() < bytes) return false;
  try {
    if (arrays_->make_room(bytes, sections::which::unexpected, owner)) return true;
  } catch (const spill_error&) {
    problem = std::current_exception();  // rows that are on the disk may go all the same
  }
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::size_t free = memory_->available();
    if (free >= bytes) return true;
    about.may_write = problem == nullptr;
    auto chosen = find_victim(about);
    if (about.evictable + arrays_->evictable() < bytes - free) break;
    if (about.evictable == 0) {
      lock.unlock();
      if (arrays_->make_room(bytes, sections::which::all, owner)) return true;
      break;
    }
    if (chosen.rows == nullptr) {
      changed_.wait(lock);
    } else if (chosen.rows->awake_ != nullptr && chosen.what == nullptr) {
      chosen.rows->take_apart();
    } else if (chosen.clean) {
      evict(chosen);
    } else {
      try {
        write(chosen, owner, lock);
        evict(chosen);
      } catch (const spill_error&) {
        problem = std::current_exception();
      }
    }
  }
  if (problem) std::rethrow_exception(problem);
  return false;
}

/// How much is missing is told now: soon who asked will have taken what there is.
void store::expect(std::size_t bytes, std::string_view owner) {
  if (!spills()) return;
  search about;
  const std::lock_guard lock(mutex_);
  find_victim(about);
  ahead_ = bytes - std::min(bytes, memory_->available() + about.clean);
  if (ahead_ == 0 || std::exchange(writing_ahead_, true)) return;
  writer_ = std::async([this, name = std::string(owner)] { write_ahead(name); });
}

/// Writes what was used longest ago, so many bytes as are missing.
void store::write_ahead(const std::string& owner) {
  search about{.only_dirty = true};
  std::unique_lock lock(mutex_);
  while (ahead_ > 0) {
    auto chosen = find_victim(about);
    if (chosen.rows == nullptr) break;
    if (chosen.what == nullptr) {
      chosen.rows->take_apart();
      continue;
    }
    ahead_ -= std::min(ahead_, chosen.what->charged);
    try {
      write(chosen, owner, lock);
    } catch (...) {  // who needs the memory tries again
      break;
    }
  }
  writing_ahead_ = false;
}

/// Drops the copy in memory of a chunk that is on the disk.
void store::evict(victim& chosen) noexcept {
  chosen.rows->awake_.reset();
  if (chosen.rows->text_) chosen.rows->text_->memory.reset();
  chosen.what->parts.clear();
  chosen.what->memory.clear();
  chosen.what->charged = 0;
}

/// Writes a chunk, without the mutex meanwhile. Where that fails the chunk stays as it was.
void store::write(victim& chosen, std::string_view owner, std::unique_lock<std::mutex>& lock) {
  chunk& what = *chosen.what;
  chosen.rows->busy_ = chosen.rows->being_written_ = true;
  chosen.rows->awake_.reset();  // nobody gets the rows until it is done
  lock.unlock();
  spill_file::extent_ptr made;
  std::exception_ptr problem;
  try {
    made = file_->write(what.parts, owner);
  } catch (...) {
    problem = std::current_exception();
  }
  lock.lock();
  chosen.rows->busy_ = chosen.rows->being_written_ = false;
  changed_.notify_all();
  if (problem) std::rethrow_exception(problem);
  what.disk = std::move(made);
  if (auto& text = chosen.rows->text_) text->written_from = text->begin();
}

}  // namespace pappus::memory
