#include "formats/json/json_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "formats/bad_rows.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::size_t lines_per_item = 512;

std::size_t lines_at_once() { return base::scaled(std::size_t{64} << 10); }

}  // namespace

json_reader::json_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                         detail::memory_source& memory, std::size_t slab_bytes,
                         std::size_t piece_bytes)
    : name_(source->name()),
      memory_(memory),
      plan_(plan_keys(name_, deciding(layout))),
      bad_rows_(layout.text.bad_rows),
      string_buffer_bytes_(
          base::scaled_clamp(slab_bytes / 8, std::size_t{16} << 10, std::size_t{1} << 20)),
      lines_(std::move(source), memory, slab_bytes, piece_bytes, json_row_parser::slack_bytes),
      missing_(layout) {
  lines_.limit_strings(1);  // what is read at a time lies in one slab
}

void json_reader::rewind() {
  lines_.rewind();
  missing_.take();
  strings_.reset();
  views_.reset();
  count_ = 0;
  lines_before_ = 0;
}

std::size_t json_reader::scratch_bytes() const noexcept {
  return lines_.scratch_bytes() + lines_at_once() * sizeof(std::string_view);
}

std::shared_ptr<void> json_reader::take_strings() noexcept {
  if (strings_)
    for (auto& one : *strings_) one.drop_caches();
  return std::exchange(strings_, nullptr);
}

std::size_t json_reader::string_bytes() const noexcept {
  std::size_t bytes = 0;
  if (strings_)
    for (const auto& one : *strings_) bytes += one.bytes();
  return bytes;
}

// Workers have a parser and an arena each before they start, so that they share none.
void json_reader::prepare(std::size_t workers) {
  while (parsers_.size() < workers) parsers_.push_back(std::make_unique<json_row_parser>(plan_));
  if (!strings_) strings_ = std::make_shared<std::vector<string_arena>>();
  while (strings_->size() < workers)
    strings_->emplace_back(memory_, plan_.string_columns, string_buffer_bytes_,
                           name_ + ": strings");
}

/// The next lines, `most` at most; false if there are none.
bool json_reader::next_lines(detail::workers& team, std::int64_t most) {
  lines_before_ += static_cast<std::int64_t>(count_);
  lines_.forget_lines();
  const auto wanted = std::min(most, static_cast<std::int64_t>(lines_at_once()));
  const auto bytes = static_cast<std::size_t>(wanted) * sizeof(std::string_view);
  if (views_.size() < bytes) {
    views_.reset();
    views_ = detail::buffer(memory_, bytes, name_ + ": lines");
  }
  count_ = static_cast<std::size_t>(lines_.read(team, views_.data(), wanted));
  return count_ > 0;
}

std::size_t json_reader::items() const noexcept { return detail::ceil_div(count_, lines_per_item); }

/// A line at hand; the file's first without a byte order mark.
std::string_view json_reader::line_at(std::size_t number) const noexcept {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  auto line = views_.as<const std::string_view>()[number];
  if (number == 0 && lines_before_ == 0 && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  return line;
}

std::int64_t json_reader::count(detail::workers& team) {
  if (bad_rows_) return count_read(*this, team, memory_);
  rewind();
  std::int64_t rows = 0;
  while (next_lines(team, INT64_MAX)) {
    std::vector<std::int64_t> counts(items());
    detail::parallel_chunks(team, counts.size(), [&](std::size_t item, unsigned) {
      const auto end = std::min((item + 1) * lines_per_item, count_);
      for (auto i = item * lines_per_item; i < end; ++i) counts[item] += !is_blank(line_at(i));
    });
    for (const auto one : counts) rows += one;
  }
  rewind();
  return rows;
}

std::int64_t json_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  prepare(team.count());
  std::int64_t done = 0;
  while (done < capacity && next_lines(team, capacity - done)) {
    done += parse(team, out + static_cast<std::size_t>(done) * plan_.record_bytes);
    if (plan_.string_columns > 0 && done > 0 && string_bytes() >= string_bytes_max_) break;
  }
  return done;
}

/// Parses the lines at hand; returns how many records they are.
std::int64_t json_reader::parse(detail::workers& team, std::byte* out) {
  std::vector<item_result> results(items());
  detail::parallel_chunks(team, results.size(), [&](std::size_t item, unsigned worker) {
    const auto begin = item * lines_per_item;
    parse_item(begin, std::min(begin + lines_per_item, count_), out + begin * plan_.record_bytes,
               worker, results[item]);
  });
  std::size_t done = 0;
  for (std::size_t item = 0; item < results.size(); ++item) {
    const auto begin = item * lines_per_item;
    const auto own = static_cast<std::size_t>(results[item].records);
    if (done != begin)
      std::memmove(out + done * plan_.record_bytes, out + begin * plan_.record_bytes,
                   own * plan_.record_bytes);
    done += own;
  }
  if (bad_rows_) tell(results);
  return static_cast<std::int64_t>(done);
}

void json_reader::parse_item(std::size_t begin, std::size_t end, std::byte* out, unsigned worker,
                             item_result& result) {
  auto& parser = *parsers_[worker];
  auto& strings = (*strings_)[worker];
  for (auto i = begin; i < end; ++i) {
    const auto line = line_at(i);
    if (is_blank(line)) continue;
    try {
      parser.parse(line, out, strings);
    } catch (json_problem& problem) {
      if (!bad_rows_) fail(problem, i);
      result.bad.push_back({i, std::move(problem)});
      continue;
    }
    out += plan_.record_bytes;
    ++result.records;
  }
  const auto records = static_cast<std::size_t>(result.records);
  missing_.add(out - records * plan_.record_bytes, result.records);
}

/// Of the lines that are left out.
void json_reader::tell(std::vector<item_result>& results) {
  std::vector<detail::bad_row_source::found> all;
  for (auto& result : results)
    for (auto& [number, problem] : result.bad) {
      const auto line = lines_before_ + static_cast<std::int64_t>(number) + 1;
      all.push_back({line, {name_, line, std::move(problem.key), std::move(problem.text)}});
    }
  bad_rows_->add(name_, lines_before_ + static_cast<std::int64_t>(count_), std::move(all));
}

void json_reader::fail(const json_problem& problem, std::size_t number) const {
  const auto line = lines_before_ + static_cast<std::int64_t>(number) + 1;
  const auto key = problem.key.empty() ? "" : fmt::format(", key \"{}\"", problem.key);
  throw format_error(fmt::format("{}: line {}{}: {}", name_, line, key, problem.text));
}

}  // namespace pappus::formats
