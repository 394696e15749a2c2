#include "cpu_ops/asked_join.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "algorithms/text_copies.h"
#include "base/memory_scale.h"
#include "base/owned.h"
#include "base/text.h"
#include "cpu_ops/heard_keys.h"
#include "cpu_ops/text_index.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {
namespace {

using detail::join_batch;
using detail::join_build_params;

constexpr auto table_bytes = algorithms::join_table::building_bytes;

}  // namespace

/// Right rows, and their index.
struct asked_join::found_rows {
  std::shared_ptr<const void> text;
  std::size_t text_bytes = 0;
  detail::buffer records;
  algorithms::join_index index;
  detail::join_side row;
};

asked_join::asked_join(const graph::node& build)
    : build_(build),
      strings_(build.as<join_build_params>().keys.strings),
      key_bytes_(strings_ ? sizeof(std::uint64_t) : build.as<join_build_params>().keys.bytes),
      right_bytes_(build.stage.inputs.front()->out.size),
      right_(build.stage.inputs.front()->out, partitions) {}
asked_join::~asked_join() = default;

std::size_t asked_join::index_bytes() const noexcept {
  return key_bytes_ + table_bytes(key_bytes_) + (strings_ ? sizeof(detail::text_key) : 0);
}

void asked_join::take_right(run_context& context, const std::byte* keys) {
  const auto n = static_cast<std::size_t>(context.rows);
  detail::buffer hashes;
  if (strings_) {
    hashes = asked_hashes(context, reinterpret_cast<const detail::text_key*>(keys), n);
    keys = hashes.data();
  }
  const auto& rows = *context.inputs.front();
  const auto visit = [&](std::size_t item, auto&& put) {
    const std::size_t end = std::min((item + 1) * rows_an_item(), n);
    std::size_t chunk = rows.find(static_cast<std::int64_t>(item * rows_an_item()));
    for (std::size_t row = item * rows_an_item(); row < end;) {
      const auto& piece = rows.chunks()[chunk++];
      const std::size_t first = static_cast<std::size_t>(piece.first);
      const std::size_t until = std::min(first + static_cast<std::size_t>(piece.rows), end);
      const std::byte* const record = piece.data + (row - first) * right_bytes_;
      for_each_bucket(keys + row * key_bytes_, until - row, [&](std::size_t i, std::size_t bucket) {
        put(record + i * right_bytes_, bucket);
      });
      row = until;
    }
  };
  right_.add(context, detail::ceil_div(n, rows_an_item()), buffer_bytes_max, visit);
  if (right_.layout().text != detail::text_in::views) context.output->keep_text_of(rows);
}

void asked_join::end_right(run_context& context) {
  const std::size_t all = right_.rows() * (right_.row_bytes() + index_bytes());
  if (2 * all <= context.store->available())
    all_ = read_all(context, right_, {0, partitions}, false);
}

void asked_join::join_as(std::size_t side, bool gathers) noexcept {
  side_ = side;
  gathers_ = gathers;
}

std::int64_t asked_join::window_rows(std::size_t available, std::size_t left_bytes) const noexcept {
  const std::size_t row =
      left_bytes + right_.row_bytes() + 2 * key_bytes_ + index_bytes() + behind_bytes_;
  return static_cast<std::int64_t>(std::max<std::size_t>(available / 2 / row, 1));
}

/// Calls f(records, n) for the right rows of some partitions, those of each in order; the next ones
/// are read meanwhile.
template <typename F>
void asked_join::for_each_piece(run_context& context, const scattered_rows& from,
                                bucket_range which, F&& f) const {
  constexpr std::size_t least = std::size_t{256} << 10, most = std::size_t{32} << 20;
  const std::size_t rows = std::max<std::size_t>(
      base::scaled_clamp(context.store->available() / 12, least, most) / from.row_bytes(), 1);
  struct piece {
    detail::buffer text, records;
    std::size_t n = 0;
    std::future<void> there;  // waits for the reading, and goes before its memory
  };
  scattered_rows::place at;
  const auto read = [&] {
    piece made;
    std::vector<graph::row_store::copy> copies;
    made.records = detail::buffer(context.memory, rows * from.record_bytes(), context.owner);
    made.n = from.next(which, at, rows, made.records.data(), copies);
    made.text = room_for_text(copies, context.memory, context.owner);
    if (made.n > 0)
      made.there = context.store->read_beside(std::move(copies), context.team, context.owner);
    return made;
  };
  piece now = read();
  while (now.n > 0) {
    piece next = read();
    now.there.get();
    f(now.records.data(), now.n);
    stop_if_cancelled(context.team);
    now = std::move(next);
  }
}

/// Calls f(i, key) for the keys, by number, that are the key of record i, of records
/// [begin, end).
template <typename F>
void for_each_match(const algorithms::join_table& table, const std::byte* keys,
                    std::size_t key_bytes, std::size_t begin, std::size_t end, F&& f) {
  std::uint64_t first[join_batch::rows_max], count[join_batch::rows_max];
  for (std::size_t at = begin; at < end; at += join_batch::rows_max) {
    const std::size_t n = std::min(end - at, join_batch::rows_max);
    table.probe(keys + at * key_bytes, n, first, count);
    for (std::size_t i = 0; i < n; ++i)
      for (std::uint64_t k = 0; k < count[i]; ++k)
        if (!f(at + i, count[i] == 1 ? first[i] : table.row(first[i] + k))) break;
  }
}

std::unique_ptr<asked_join::found_rows> asked_join::indexed(const run_context& context,
                                                            rows_with_text rows,
                                                            bool are_keys) const {
  auto& [text, records, n] = rows;
  auto made = std::make_unique<found_rows>();
  for (const auto& one : text) made->text_bytes += one.size();
  if (!text.empty()) made->text = base::owned(std::move(text), context.memory_owner);
  made->index.keys = build_.as<join_build_params>().keys;
  made->index.rows = n;
  made->row.index = &made->index;
  if (n > 0 && strings_) {
    index_texts(context, whole_keys_of(context, records.data(), n), made->index);
  } else if (n > 0) {
    detail::buffer keys;
    if (!are_keys) keys = keys_of(context, records.data(), n);
    made->index.table.emplace(context.team, context.memory, are_keys ? records.data() : keys.data(),
                              n, key_bytes_, join_domain{}, context.owner);
  }
  if (!are_keys) made->records = std::move(records);
  return made;
}

std::unique_ptr<asked_join::found_rows> asked_join::read_all(run_context& context,
                                                             const scattered_rows& from,
                                                             bucket_range which,
                                                             bool are_keys) const {
  std::vector<graph::row_store::copy> copies;
  auto rows = room_for(context, from, which, copies);
  context.store->read(copies, context.team, context.owner);
  return indexed(context, std::move(rows), are_keys);
}

/// Room for all records of some buckets.
asked_join::rows_with_text asked_join::room_for(const run_context& context,
                                                const scattered_rows& from, bucket_range which,
                                                std::vector<graph::row_store::copy>& copies) const {
  rows_with_text made;
  made.n = from.rows(which);
  made.records = detail::buffer(context.memory, made.n * from.record_bytes(), context.owner);
  scattered_rows::place at;
  from.next(which, at, made.n, made.records.data(), copies);
  if (auto text = room_for_text(copies, context.memory, context.owner); text.data() != nullptr)
    made.text.push_back(std::move(text));
  return made;
}

std::unique_ptr<asked_join::found_rows> asked_join::read_some(run_context& context,
                                                              std::int64_t rows,
                                                              std::size_t most) const {
  const algorithms::join_table wanted = [&] {
    heard_keys heard(context, key_bytes_, strings_);
    hear(context, rows, heard);
    detail::buffer keys(context.memory, heard.count() * key_bytes_, context.owner);
    std::byte* to = keys.data();
    for (std::size_t block = 0; block < heard.blocks(); ++block) {
      std::memcpy(to, heard.block(block), heard.keys_in(block) * key_bytes_);
      to += heard.keys_in(block) * key_bytes_;
    }
    return algorithms::join_table(context.team, context.memory, keys.data(), heard.count(),
                                  key_bytes_, {}, context.owner);
  }();
  const std::size_t bytes = answers_->record_bytes();
  rows_with_text rows_found;
  auto& [text, records, n] = rows_found;
  records = detail::buffer(context.memory, most * bytes, context.owner);
  algorithms::text_copies texts(answers_->layout(), context.memory, context.owner);
  bool fits = true;
  for_each_piece(context, *answers_, {window_, window_ + 1},
                 [&](const std::byte* from, std::size_t count) {
                   detail::buffer keys;
                   if (sends_rows()) keys = keys_of(context, from, count);
                   for_each_match(wanted, sends_rows() ? keys.data() : from, key_bytes_, 0, count,
                                  [&](std::size_t i, std::uint64_t) {
                                    fits = fits && n < most;
                                    if (!fits) return false;
                                    std::byte* const to = records.data() + n++ * bytes;
                                    std::memcpy(to, from + i * bytes, bytes);
                                    texts.copy(to);
                                    return false;
                                  });
                 });
  if (!fits) return nullptr;
  text = texts.take();
  return indexed(context, std::move(rows_found), !sends_rows());
}

void asked_join::read_ahead(run_context& context) {
  const std::size_t next = window_ + 1;
  if (next >= windows_.size()) return;
  const bucket_range which{next, next + 1};
  const std::size_t n = answers_->rows(which), bytes = n * answers_->row_bytes();
  if (n == 0 || bytes > context.store->available() / 4) return;
  std::vector<graph::row_store::copy> copies;
  next_ = {next, room_for(context, *answers_, which, copies), {}};
  next_.there = context.store->read_beside(std::move(copies), context.team, context.owner);
}

std::unique_ptr<asked_join::found_rows> asked_join::read_window(run_context& context,
                                                                std::int64_t& rows) {
  const bucket_range own{window_, window_ + 1};
  const std::size_t n = answers_->rows(own);
  const std::size_t pair = gathers_ ? behind_bytes_ : 0;
  const std::size_t row = answers_->row_bytes() + index_bytes() + pair;
  const std::size_t most = std::max<std::size_t>(context.store->available() / 2 / row, 1);
  const bool read_before = next_.there.valid() && next_.window == window_;
  if (next_.there.valid()) next_.there.get();
  if (n > most) {
    next_.rows = {};
    if (rows_of_window_ == 0) rows_of_window_ = rows;
    const auto more = static_cast<std::int64_t>(4 * n / (3 * most) + 1);  // some parts need more
    rows = std::clamp<std::int64_t>(rows_of_window_ / more, 1, rows);
    return read_part(context, rows, most);
  }
  auto found = read_before ? indexed(context, std::move(next_.rows), !sends_rows())
                           : read_all(context, *answers_, own, !sends_rows());
  read_ahead(context);
  return found;
}

std::unique_ptr<asked_join::found_rows> asked_join::read_part(run_context& context,
                                                              std::int64_t& rows,
                                                              std::size_t most) const {
  for (;; rows /= 2) {
    if (auto found = read_some(context, rows, most)) return found;
    if (rows == 1)
      throw memory_error(fmt::format(
          "{}: one left record has more right records than memory has room for: expected {} at "
          "most, which are {}; raise the limit (PAPPUS_HOST_MEMORY or options::host_memory) or "
          "swap the sides",
          context.owner, base::count_text(static_cast<std::int64_t>(most)),
          base::bytes_text(static_cast<double>(most * answers_->row_bytes()))));
  }
}

void asked_join::fetch(run_context& context) {
  joined_ = context.rows;
  now_.reset();
  if (!all_) now_ = read_window(context, joined_);
  const auto& with = all_ ? *all_ : *now_;
  context.sides[side_] = {&with.row, 1};
  if (gathers_)
    context.sides[side_ + 1] = {with.records.data(), static_cast<std::int64_t>(with.index.rows)};
}

std::shared_ptr<const void> asked_join::text() const noexcept {
  const auto& with = all_ ? all_ : now_;
  return with ? with->text : nullptr;
}

std::size_t asked_join::text_bytes() const noexcept { return !all_ && now_ ? now_->text_bytes : 0; }

const asking_steps& steps_that_ask() {
  static constexpr asking_steps made{
      {"hear which keys are looked up", phase::kind::launch, phase::when::each_window,
       [](run_context& context) { context.asked->ask(context); }},
      {"find their right rows", phase::kind::launch, phase::when::at_end,
       [](run_context& context) { context.asked->answer(context); }},
      {"take right rows", phase::kind::launch, phase::when::each_window,
       [](run_context& context) { context.asked->fetch(context); }}};
  return made;
}

}  // namespace pappus::cpu_ops
