#include "memory/stored_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/memory_scale.h"
#include "base/owned.h"
#include "pappus/error.h"

namespace pappus::memory {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{16} << 20;

/// Rows that lie in one buffer.
struct stretch {
  std::span<const std::byte> bytes;
  std::size_t buffer;
};

/// In row order; none where some rows lie in no buffer of the set.
std::vector<stretch> stretches_of(const detail::row_set& rows) {
  const auto& buffers = rows.buffers();
  std::vector<std::size_t> by_address(buffers.size());
  std::iota(by_address.begin(), by_address.end(), std::size_t{0});
  std::ranges::sort(by_address, {}, [&](std::size_t i) { return buffers[i].data(); });
  std::vector<stretch> found;
  for (const auto& piece : rows.chunks()) {
    auto at = piece.data;
    const auto* const end = at + static_cast<std::size_t>(piece.rows) * rows.layout().size;
    while (at != end) {
      const auto next = std::ranges::upper_bound(by_address, at, {},
                                                 [&](std::size_t i) { return buffers[i].data(); });
      if (next == by_address.begin()) return {};
      const auto number = *std::prev(next);
      const auto& buffer = buffers[number];
      const auto* const until = std::min<const std::byte*>(end, buffer.data() + buffer.size());
      if (at >= until || static_cast<std::size_t>(until - at) % rows.layout().size != 0) return {};
      found.push_back({{at, until}, number});
      at = until;
    }
  }
  return found;
}

}  // namespace

std::optional<cut_rows> cut(const detail::row_set& rows) {
  const auto stretches = stretches_of(rows);
  if (rows.holds() || stretches.empty()) return std::nullopt;
  std::vector<std::size_t> last_use(rows.buffers().size());
  for (std::size_t i = 0; i < stretches.size(); ++i) last_use[stretches[i].buffer] = i;
  cut_rows result;
  std::size_t needed_until = 0;  // the last stretch in a buffer of the chunk that is being filled
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto& [bytes, buffer] = stretches[i];
    const bool begins =
        result.fragments.empty() ||
        (i > needed_until && result.fragments.back().what->bytes >= base::scaled(chunk_bytes));
    if (begins) {
      result.fragments.push_back({std::make_shared<chunk>(), 0});
      result.in_buffers.emplace_back();
    }
    needed_until = std::max(needed_until, last_use[buffer]);
    auto& [what, n] = result.fragments.back();
    what->bytes += bytes.size();
    what->parts.push_back(bytes);
    n += static_cast<std::int64_t>(bytes.size() / rows.layout().size);
    auto& in = result.in_buffers.back();
    if (std::ranges::find(in, buffer) == in.end()) in.push_back(buffer);
  }
  return result;
}

stored_rows::stored_rows(std::shared_ptr<store> of, detail::rows_ptr rows, bool can_rest,
                         std::optional<own_text> text)
    : store_(std::move(of)),
      layout_(rows->layout()),
      rows_(rows->rows()),
      bytes_(rows->bytes() + (text ? text->index.bytes() : 0)),
      can_rest_(can_rest),
      owners_(rows->owners()),
      partition_ends_(rows->partition_ends()),
      missing_(rows->missing() != nullptr ? *rows->missing() : detail::missing_counts()),
      awake_(std::move(rows)),
      charged_(std::accumulate(awake_->buffers().begin(), awake_->buffers().end(), std::size_t{0},
                               [](std::size_t sum, const detail::buffer& one) {
                                 return sum + pool::charged(one.size());
                               })),
      text_(std::move(text)) {
  if (text_) {
    std::const_pointer_cast<detail::row_set>(awake_)->keep(text_->memory);
    charged_ += pool::charged(text_->memory->size());
  }
  if (!can_rest_) return;
  const std::lock_guard lock(store_->mutex_);
  store_->known_.push_back(this);
  last_use_ = ++store_->clock_;
}

stored_rows::~stored_rows() {
  if (!can_rest_) return;
  std::unique_lock lock(store_->mutex_);
  store_->changed_.wait(lock, [this] { return !busy_; });  // for the end of a write
  std::erase(store_->known_, this);
}

detail::rows_ptr stored_rows::in_memory() {
  if (!can_rest_) return awake_;
  const std::lock_guard lock(store_->mutex_);
  last_use_ = ++store_->clock_;
  return awake_;
}

/// Makes a chunk of the rows and their text, which nobody but the store has.
void stored_rows::take_apart_with_text() {
  auto what = std::make_shared<chunk>();
  what->memory.reserve(1);
  what->parts = {{awake_->data(), record_bytes()}, {text_->memory->data(), text_->memory->size()}};
  fragments_.push_back({what, rows_});
  detail::rows_ptr(awake_).reset();
  what->memory.push_back(
      std::move(std::const_pointer_cast<detail::row_set>(awake_)->take_buffers().front()));
  what->bytes = bytes_;
  what->charged = charged_;
}

/// Makes chunks of the rows, which nobody but the store has.
void stored_rows::take_apart() {
  if (fragments_.empty() && text_) {
    take_apart_with_text();
  } else if (fragments_.empty()) {
    auto made = *cut(*awake_);
    for (std::size_t i = 0; i < made.fragments.size(); ++i)
      made.fragments[i].what->memory.reserve(made.in_buffers[i].size());
    // Who had the rows, too, until now is done with them: counting down tells.
    detail::rows_ptr(awake_).reset();
    auto buffers = std::const_pointer_cast<detail::row_set>(awake_)->take_buffers();
    for (std::size_t i = 0; i < made.fragments.size(); ++i)
      for (const auto number : made.in_buffers[i]) {
        auto& to = *made.fragments[i].what;
        to.charged += pool::charged(buffers[number].size());
        to.memory.push_back(std::move(buffers[number]));
      }
    fragments_ = std::move(made.fragments);
  }
  awake_.reset();
}

/// A set of the rows, all of which are in memory.
detail::rows_ptr stored_rows::put_together() {
  auto set = std::make_shared<detail::row_set>(layout_);
  for (const auto& owner : owners_) set->keep(owner);
  if (text_) set->keep(text_->memory);
  auto chunks = std::make_shared<std::vector<std::shared_ptr<const chunk>>>();
  for (const auto& [what, n] : fragments_) {
    for (const auto& part : std::span(what->parts).first(what->parts.size() - (text_ ? 1 : 0)))
      set->append(part.data(), static_cast<std::int64_t>(part.size() / layout_.size));
    chunks->push_back(what);
  }
  set->hold(std::move(chunks));
  set->partitioned(partition_ends_);
  set->know_missing(missing_);
  return set;
}

/// Reads a chunk back, without the mutex meanwhile.
void stored_rows::load(fragment& one, std::string_view owner, const detail::workers* for_whom,
                       std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  chunk& to = *one.what;
  try {
    const std::size_t records = text_ ? record_bytes() : to.bytes, text = to.bytes - records;
    detail::buffer memory(*store_->memory_, records, owner);
    detail::buffer text_memory(*store_->memory_, text, owner);
    try {
      std::vector<spill_file::part> all{{to.disk.get(), 0, records, memory.data()}};
      if (text > 0) all.push_back({to.disk.get(), records, text, text_memory.data()});
      store_->file_->read(all, owner, for_whom);
    } catch (const spill_error&) {
      lost_ = true;
      throw;
    }
    if (text_)
      text_->index.move_views(memory.data(), rows_, text_->written_from, text_memory.data());
    std::vector<detail::buffer> all;
    all.push_back(std::move(memory));
    lock.lock();
    to.parts.emplace_back(all.front().data(), records);
    to.charged = pool::charged(records);
    if (text_) {
      to.parts.emplace_back(text_memory.data(), text);
      to.charged += pool::charged(text);
      text_->memory = base::owned(std::move(text_memory), store_->memory_);
    }
    to.memory = std::move(all);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    throw;
  }
}

detail::rows_ptr stored_rows::wake(std::string_view owner, const detail::workers* for_whom) {
  if (!can_rest_) return awake_;
  std::unique_lock lock(store_->mutex_);
  store_->changed_.wait(lock, [this] { return awake_ || !busy_; });
  last_use_ = ++store_->clock_;
  if (awake_) return awake_;
  busy_ = true;
  try {
    for (auto& one : fragments_)
      if (!one.what->in_memory()) load(one, owner, for_whom, lock);
    awake_ = put_together();
  } catch (...) {
    busy_ = false;
    store_->changed_.notify_all();
    throw;
  }
  busy_ = false;
  store_->changed_.notify_all();
  return awake_;
}

rows_where stored_rows::where() {
  if (!can_rest_) return {.all = bytes_, .in_memory = bytes_, .stays = bytes_};
  const auto is_pool = [&](const auto& owner) { return owner.get() == store_->memory_.get(); };
  const std::lock_guard lock(store_->mutex_);
  rows_where found{.all = bytes_,
                   .in_memory = fragments_.empty() ? bytes_ : 0,
                   .text_stays = !std::ranges::all_of(owners_, is_pool)};
  for (const auto& one : fragments_) {
    if (one.what->in_memory()) found.in_memory += one.what->bytes;
    if (one.what->disk) found.on_disk += one.what->bytes;
  }
  return found;
}

std::string stored_rows::about() { return store_->about(where()); }

}  // namespace pappus::memory
