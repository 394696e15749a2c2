#include "formats/files_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/memory_scale.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

/// One of a team, for whom files are read by several at once.
class one_of_team final : public detail::workers {
 public:
  explicit one_of_team(const detail::workers& all) : all_(all) {}
  unsigned count() const noexcept override { return 1; }
  bool stopping() const noexcept override { return all_.stopping(); }
  void run(std::size_t items, detail::parallel_body body, void* context) override {
    for (std::size_t item = 0; item < items; ++item) {
      if (stopping()) throw cancelled();
      body(context, item, 0);
    }
  }

 private:
  const detail::workers& all_;
};

/// Records that several files make, one after the other.
class made_in_turn final : public detail::record_maker {
 public:
  explicit made_in_turn(std::size_t record_bytes) : record_bytes_(record_bytes) {}
  /// \param first  of the maker's records that comes next
  void add(reader::columns next, std::int64_t first) {
    if (next.rows == 0) return;
    begins_.push_back(rows_ - first);
    rows_ += next.rows;
    ends_.push_back(rows_);
    makers_.push_back(std::move(next.of));
  }
  std::int64_t rows() const noexcept { return rows_; }

  stretch next(std::int64_t first, std::int64_t end) const override {
    const auto at = maker_of(first);
    const auto begin = begins_[at];
    const auto some = makers_[at]->next(first - begin, std::min(end, ends_[at]) - begin);
    return {some.end + begin, some.left_out};
  }

  void make(std::int64_t first, std::int64_t rows, std::byte* out) const override {
    auto at = maker_of(first);
    for (; rows > 0; ++at) {
      const auto n = std::min(rows, ends_[at] - first);
      makers_[at]->make(first - begins_[at], n, out);
      out += static_cast<std::size_t>(n) * record_bytes_;
      first += n;
      rows -= n;
    }
  }

 private:
  std::size_t maker_of(std::int64_t row) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(ends_, row) - ends_.begin());
  }

  const std::size_t record_bytes_;
  std::int64_t rows_ = 0;
  // Of each maker: where its first record is, or would be; behind the last that is taken.
  std::vector<std::int64_t> begins_, ends_;
  std::vector<std::shared_ptr<const detail::record_maker>> makers_;
};

}  // namespace

files_reader::files_reader(std::vector<file> files, std::optional<std::int64_t> rows,
                           text_length text, detail::memory_source& memory, by_column how)
    : files_(std::move(files)),
      rows_(rows),
      text_(text),
      memory_(memory),
      ahead_bytes_(base::scaled_clamp(memory.available() / 16, std::size_t{1} << 20,
                                      std::size_t{512} << 20)) {
  const auto first = files_.front().open();
  record_bytes_ = first->record_bytes();
  scratch_bytes_ = first->scratch_bytes();
  double bytes = 0;
  for (const auto& one : files_) bytes += one.bytes;
  const auto large = static_cast<double>(base::scaled(std::size_t{32} << 20));
  are_large_ = bytes >= large * static_cast<double>(files_.size());
  has_columns_ = first->has_columns() &&
                 (how == by_column::always || (are_large_ && how == by_column::where_large));
}

void files_reader::rewind() {
  now_.clear();
  held_.reset();
  next_ = 0;
  together_ = 1;
  bytes_before_ = 0;
  not_read_ = {};
  missing_ = {};
  bytes_read_.store(0, std::memory_order_relaxed);
}

std::int64_t files_reader::count(detail::workers& team) {
  if (rows_) return *rows_;
  std::int64_t rows = 0;
  for (const auto& one : files_) rows += one.open()->count(team);
  rewind();
  return rows;
}

std::size_t files_reader::scratch_bytes() const noexcept {
  return scratch_bytes_ + (files_.size() > 2 ? ahead_bytes_ : 0);
}

void files_reader::limit_strings(std::size_t bytes) noexcept { string_bytes_max_ = bytes; }

std::size_t files_reader::string_bytes() const noexcept { return held_ ? held_->bytes : 0; }

void files_reader::hold(std::shared_ptr<void> text, std::size_t bytes) {
  if (text == nullptr || (held_ && !held_->of_files.empty() && held_->of_files.back() == text))
    return;
  if (!held_) held_ = std::make_shared<strings>();
  held_->of_files.push_back(std::move(text));
  held_->bytes += bytes;
}

/// Files that are opened next, which are read ahead where there are several.
std::size_t files_reader::files_together(unsigned workers) const {
  if (workers == 1) return 1;
  const auto most = std::min({together_, std::size_t{4} * workers, files_.size() - next_});
  double bytes = 0;
  std::size_t count = 0;
  for (; count < most; ++count) {
    bytes += files_[next_ + count].bytes;
    if (bytes > static_cast<double>(ahead_bytes_)) break;
  }
  return std::max<std::size_t>(count, 1);
}

bool files_reader::open_next(detail::workers& team) {
  if (next_ == files_.size()) return false;
  const auto count = files_together(team.count());
  if (count > 1) {
    read_ahead(team, count);
  } else {
    now_.emplace_back().unread = &files_[next_];
  }
  next_ += count;
  together_ *= 2;
  return true;
}

void files_reader::read_ahead(detail::workers& team, std::size_t count) {
  std::deque<opened> ahead(count);
  std::atomic<std::size_t> used{0};
  detail::parallel_chunks(team, count, [&](std::size_t item, unsigned) {
    one_of_team alone(team);
    try {
      read_ahead(alone, files_[next_ + item], ahead[item], used);
    } catch (const cancelled&) {
      throw;
    } catch (const memory_error&) {  // it is read when there may be more
      ahead[item] = {};
      ahead[item].unread = &files_[next_ + item];
    } catch (...) {  // is told when the records before it were handed out
      ahead[item].failure = std::current_exception();
    }
  });
  now_ = std::move(ahead);
}

void files_reader::read_ahead(detail::workers& alone, const file& from, opened& to,
                              std::atomic<std::size_t>& used) {
  const auto rows = static_cast<std::int64_t>(
      base::scaled(std::size_t{256} << 10) / std::max<std::size_t>(record_bytes_, 1) + 1);
  auto by = from.open();
  bool ended = false;
  while (!ended && used.load(std::memory_order_relaxed) < ahead_bytes_) {
    block next;
    next.records = {memory_, static_cast<std::size_t>(rows) * record_bytes_, "files read ahead"};
    next.rows = by->read(alone, next.records.data(), rows);
    ended = next.rows < rows;
    next.string_bytes = by->string_bytes();
    next.strings = by->take_strings();
    next.missing = by->take_missing();
    used.fetch_add(next.records.size() + next.string_bytes, std::memory_order_relaxed);
    if (next.rows > 0) to.blocks.push_back(std::move(next));
  }
  to.bytes_read = by->bytes_read();
  if (!ended) to.by = std::move(by);
}

/// The file in front, which there was no memory for beside those that are behind it, if any: these
/// give back what was read ahead of them, and are read after it.
void files_reader::open_unread(opened& front) {
  const auto first = next_ - now_.size();
  for (std::size_t i = 1; i < now_.size(); ++i) {
    if (now_[i].failure) continue;
    now_[i] = {};
    now_[i].unread = &files_[first + i];
  }
  front.by = std::exchange(front.unread, nullptr)->open();
}

/// Records that were read ahead.
std::int64_t files_reader::take_ahead(opened& from, std::byte* out, std::int64_t capacity) {
  block& first = from.blocks.front();
  hold(first.strings, first.string_bytes);
  const auto n = std::min(capacity, first.rows - from.next_row);
  std::memcpy(out, first.records.data() + static_cast<std::size_t>(from.next_row) * record_bytes_,
              static_cast<std::size_t>(n) * record_bytes_);
  from.next_row += n;
  if (n == first.rows) missing_.add(first.missing);
  if (from.next_row == first.rows) {
    from.blocks.pop_front();
    from.next_row = 0;
  }
  return n;
}

/// Records that weren't; fewer than `capacity` at the end of the file, or where there is enough
/// text.
std::int64_t files_reader::read_on(detail::workers& team, opened& from, std::byte* out,
                                   std::int64_t capacity) {
  from.by->limit_strings(text_left());
  const auto n = from.by->read(team, out, capacity);
  note_read(from);
  missing_.add(from.by->take_missing());
  return n;
}

/// Keeps the text of what was read of a file.
void files_reader::note_read(opened& from) {
  const auto text = from.by->string_bytes();
  hold(from.by->take_strings(), text);
  from.bytes_read = from.by->bytes_read();
}

/// Goes on to the next file.
void files_reader::pass() {
  not_read_ = not_read();
  bytes_before_ += now_.front().bytes_read;
  now_.pop_front();
}

std::int64_t files_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  std::int64_t done = 0;
  while (done < capacity) {
    if (done > 0 && string_bytes() >= string_bytes_max_) break;
    if (now_.empty() && !open_next(team)) break;
    opened& from = now_.front();
    std::byte* const to = out + static_cast<std::size_t>(done) * record_bytes_;
    const auto wanted = capacity - done;
    if (!from.blocks.empty()) {
      done += take_ahead(from, to, wanted);
    } else if (from.failure) {
      std::rethrow_exception(from.failure);
    } else if (from.unread != nullptr) {
      open_unread(from);
    } else if (from.by) {
      const auto n = read_on(team, from, to, wanted);
      done += n;
      const bool enough_text = n > 0 && string_bytes() >= string_bytes_max_;
      if (n < wanted && !enough_text) pass();
    } else {
      pass();
    }
    note_bytes_read();
  }
  return done;
}

reader::left_out files_reader::not_read() const noexcept {
  auto all = not_read_;
  if (now_.empty() || !now_.front().by) return all;
  const auto more = now_.front().by->not_read();
  return {all.groups + more.groups, all.all_groups + more.all_groups, all.bytes + more.bytes};
}

void files_reader::note_bytes_read() {
  bytes_read_.store(bytes_before_ + (now_.empty() ? 0 : now_.front().bytes_read),
                    std::memory_order_relaxed);
}

/// Columns of small files, each by a worker.
void files_reader::decode_ahead(detail::workers& team, std::size_t count) {
  std::deque<opened> ahead(count);
  detail::parallel_chunks(team, count, [&](std::size_t item, unsigned) {
    one_of_team alone(team);
    auto& to = ahead[item];
    try {
      auto by = files_[next_ + item].open();
      to.decoded = by->read_columns(alone, std::numeric_limits<std::int64_t>::max());
      to.string_bytes = by->string_bytes();
      to.strings = by->take_strings();
      to.bytes_read = by->bytes_read();
      to.by = std::move(by);
    } catch (const cancelled&) {
      throw;
    } catch (const memory_error&) {  // it is read when there may be more
      to = {};
      to.unread = &files_[next_ + item];
    } catch (...) {  // is told when the records before it were handed out
      to.failure = std::current_exception();
    }
  });
  now_ = std::move(ahead);
}

/// Some of a file; fewer than `capacity` at its end, or where there is enough text.
reader::columns files_reader::next_columns(detail::workers& team, opened& from,
                                           std::int64_t capacity) {
  if (from.decoded.of != nullptr) {
    hold(from.strings, from.string_bytes);
    return {from.decoded.of, std::min(capacity, from.decoded.rows - from.next_row)};
  }
  if (from.failure) std::rethrow_exception(from.failure);
  if (from.unread != nullptr) open_unread(from);
  from.by->limit_strings(text_left());
  auto found = from.by->read_columns(team, capacity);
  note_read(from);
  return found;
}

reader::columns files_reader::read_columns(detail::workers& team, std::int64_t capacity) {
  const auto made = std::make_shared<made_in_turn>(record_bytes_);
  while (made->rows() < capacity) {
    if (made->rows() > 0 && string_bytes() >= string_bytes_max_) break;
    if (now_.empty()) {
      if (next_ == files_.size()) break;
      const auto count = are_large_ ? 1 : files_together(team.count());
      if (count > 1)
        decode_ahead(team, count);
      else
        now_.emplace_back().unread = &files_[next_];
      next_ += count;
      together_ *= 2;
    }
    opened& from = now_.front();
    const auto wanted = capacity - made->rows();
    auto found = next_columns(team, from, wanted);
    const auto n = found.rows;
    const bool all_at_once = from.decoded.of != nullptr;
    made->add(std::move(found), all_at_once ? from.next_row : 0);
    if (all_at_once) from.next_row += n;
    const bool enough_text = n > 0 && string_bytes() >= string_bytes_max_;
    if (all_at_once ? from.next_row == from.decoded.rows : n < wanted && !enough_text) pass();
    note_bytes_read();
  }
  return {made, made->rows()};
}

}  // namespace pappus::formats
