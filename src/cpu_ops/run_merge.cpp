#include "cpu_ops/run_merge.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "cpu_ops/sort_rows.h"
#include "pappus/detail/base/bits.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::sort_params;
using detail::sort_pass;

template <typename T>
T loaded(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Of two keys of a pass.
std::strong_ordering compared(const sort_pass& pass, const std::byte* a, const std::byte* b) {
  switch (pass.key_bytes) {
    case 0: {
      const auto order = loaded<std::string_view>(a) <=> loaded<std::string_view>(b);
      return pass.descending ? 0 <=> order : order;
    }
    case 4:
      return loaded<std::uint32_t>(a) <=> loaded<std::uint32_t>(b);
    case 8:
      return loaded<std::uint64_t>(a) <=> loaded<std::uint64_t>(b);
    default:
      return detail::to_wide(loaded<detail::bits128>(a)) <=>
             detail::to_wide(loaded<detail::bits128>(b));
  }
}

std::size_t key_at(const sort_pass& pass, std::int64_t i) {
  return static_cast<std::size_t>(i) * stored_key_bytes(pass);
}

/// Of two samples; the last pass has the most significant part of the keys.
std::strong_ordering compared(const sort_params& params, const sorted_run& a, std::int64_t i,
                              const sorted_run& b, std::int64_t j) {
  for (std::size_t k = params.passes.size(); k-- > 0;) {
    const auto& pass = params.passes[k];
    const auto order =
        compared(pass, a.keys[k].data() + key_at(pass, i), b.keys[k].data() + key_at(pass, j));
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

/// A record against a sample.
std::strong_ordering compared(const run_context& context, const std::byte* record,
                              const sorted_run& of, std::int64_t sample) {
  const auto& params = context.node.as<sort_params>();
  alignas(16) std::array<std::byte, 16> own;
  for (std::size_t k = params.passes.size(); k-- > 0;) {
    const auto& pass = params.passes[k];
    pass.keys(context.node.stage.element.get(), &record, 1, own.data());
    const auto order = compared(pass, own.data(), of.keys[k].data() + key_at(pass, sample));
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

/// Has strings lie in memory of the run: they may be parts of records, which go.
void keep_text(const run_context& context, sorted_run& of, std::span<std::string_view> strings) {
  std::size_t bytes = 0;
  for (const auto& one : strings) bytes += one.size();
  if (bytes == 0) return;
  auto* to = of.text.emplace_back(context.memory, bytes, context.owner).as<char>();
  for (auto& one : strings) {
    if (!one.empty()) std::memcpy(to, one.data(), one.size());
    one = {to, one.size()};
    to += one.size();
  }
}

}  // namespace

void take_samples(const run_context& context, sorted_run& of, const std::byte* records,
                  std::int64_t rows, std::int64_t step) {
  const auto& params = context.node.as<sort_params>();
  std::vector<const std::byte*> chosen;
  for (std::int64_t row = detail::round_up(of.rows, step); row < of.rows + rows; row += step)
    chosen.push_back(records + static_cast<std::size_t>(row - of.rows) * context.node.out.size);
  const auto n = static_cast<std::int64_t>(chosen.size());
  of.keys.resize(params.passes.size());
  for (std::size_t k = 0; k < params.passes.size(); ++k) {
    const auto& pass = params.passes[k];
    detail::buffer all(context.memory, key_at(pass, of.samples + n), context.owner);
    if (of.samples > 0) std::memcpy(all.data(), of.keys[k].data(), key_at(pass, of.samples));
    pass.keys(context.node.stage.element.get(), chosen.data(), n,
              all.data() + key_at(pass, of.samples));
    if (pass.key_bytes == 0)
      keep_text(context, of, {all.as<std::string_view>() + of.samples, chosen.size()});
    of.keys[k] = std::move(all);
  }
  of.samples += n;
}

void thin_samples(const run_context& context, sorted_run& of) {
  const auto& params = context.node.as<sort_params>();
  const auto before = std::exchange(of.text, {});
  const auto kept = detail::ceil_div(of.samples, std::int64_t{2});
  for (std::size_t k = 0; k < params.passes.size(); ++k) {
    const auto& pass = params.passes[k];
    detail::buffer all(context.memory, key_at(pass, kept), context.owner);
    for (std::int64_t i = 0; i < kept; ++i)
      std::memcpy(all.data() + key_at(pass, i), of.keys[k].data() + key_at(pass, 2 * i),
                  stored_key_bytes(pass));
    if (pass.key_bytes == 0)
      keep_text(context, of, {all.as<std::string_view>(), static_cast<std::size_t>(kept)});
    of.keys[k] = std::move(all);
  }
  of.samples = kept;
}

run_merge::run_merge(run_context& context, std::vector<sorted_run> runs, std::int64_t step,
                     range_limit limit)
    : runs_(std::move(runs)),
      step_(step),
      limit_(limit),
      seen_(runs_.size(), 0),
      begins_(runs_.size(), 0) {
  for (const auto& run : runs_) count_ += run.samples;
  sort_samples(context);
}

void run_merge::sort_samples(run_context& context) {
  order_ = detail::buffer(context.memory, static_cast<std::size_t>(count_) * sizeof(sample),
                          context.owner);
  auto* const all = order_.as<sample>();
  std::int64_t n = 0;
  for (std::uint32_t run = 0; run < runs_.size(); ++run)
    for (std::int64_t i = 0; i < runs_[run].samples; ++i) all[n++] = {run, i};
  const auto& params = context.node.as<sort_params>();
  std::sort(all, all + n, [&](const sample& a, const sample& b) {
    const auto order = compared(params, runs_[a.run], a.number, runs_[b.run], b.number);
    if (order != 0) return order < 0;
    return a.run != b.run ? a.run < b.run : a.number < b.number;
  });
}

/// Adds copies of parts of runs. The room that it returns is for their text.
detail::buffer run_merge::add_copies(const run_context& context, std::span<const wanted> parts,
                                     std::vector<graph::row_store::copy>& copies) const {
  const std::size_t before = copies.size();
  for (const auto& part : parts) {
    std::byte* to = part.to;
    for (const auto& [records, first] : runs_[part.run].pieces) {
      const auto low = std::max(part.begin, first),
                 high = std::min(part.end, first + records->rows());
      if (low >= high) continue;
      copies.push_back({records, low - first, high - low, to});
      to += static_cast<std::size_t>(high - low) * context.node.out.size;
    }
  }
  return room_for_text(std::span(copies).subspan(before), context.memory, context.owner);
}

/// Whether the next sample, and the records behind it, are of a range that has `taken` samples and
/// `text` bytes of text.
bool run_merge::takes_next_sample(std::int64_t taken, std::size_t& text) const {
  if (taken == limit_.samples || done_ == count_) return false;
  const auto& [run, number] = samples()[done_];
  const auto first = number * step_;
  text += runs_[run].text_bytes(first, std::min(first + step_, runs_[run].rows));
  return taken == 0 || text <= limit_.text_bytes;
}

void run_merge::choose_cut(run_context& context, std::vector<graph::row_store::copy>& copies) {
  std::size_t text = 0;
  for (std::int64_t taken = 0; takes_next_sample(taken, text); ++taken)
    ++seen_[samples()[done_++].run];
  cut made;
  made.at_end = done_ == count_;
  if (!made.at_end) {
    made.at = samples()[done_];
    const std::size_t size = context.node.out.size,
                      stretch_bytes = static_cast<std::size_t>(step_) * size;
    made.records = detail::buffer(context.memory, runs_.size() * stretch_bytes, context.owner);
    std::vector<wanted> stretches;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const bool own = r == made.at.run;
      const auto low = own             ? made.at.number * step_
                       : seen_[r] == 0 ? 0
                                       : (seen_[r] - 1) * step_ + 1;
      const auto high = own || seen_[r] == 0 ? low : std::min(seen_[r] * step_, runs_[r].rows);
      stretches.push_back({r, low, high, made.records.data() + r * stretch_bytes});
      made.low.push_back(low);
      made.high.push_back(high);
    }
    made.text = add_copies(context, stretches, copies);
  }
  cut_ = std::move(made);
}

/// How many records of each run come before the cut.
std::vector<std::int64_t> run_merge::ends_at_cut(const run_context& context) const {
  std::vector<std::int64_t> ends;
  const std::size_t size = context.node.out.size;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (cut_->at_end) {
      ends.push_back(runs_[r].rows);
      continue;
    }
    const auto& at = cut_->at;
    std::int64_t low = cut_->low[r], high = cut_->high[r];
    const std::byte* const first =
        cut_->records.data() + r * static_cast<std::size_t>(step_) * size;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto order =
          compared(context, first + static_cast<std::size_t>(middle - cut_->low[r]) * size,
                   runs_[at.run], at.number);
      const bool before = order < 0 || (order == 0 && r < at.run);
      (before ? low : high) = before ? middle + 1 : middle;
    }
    ends.push_back(low);
  }
  return ends;
}

/// Begins to read the next range, and what tells where the one after it ends.
run_merge::range run_merge::read_next(run_context& context) {
  const std::size_t size = context.node.out.size;
  std::vector<graph::row_store::copy> copies;
  if (!cut_) choose_cut(context, copies);
  while (true) {
    if (!copies.empty())
      context.store->read(std::exchange(copies, {}), context.team, context.owner);
    const auto ends = ends_at_cut(context);
    const bool last = cut_->at_end;
    range made;
    auto& [rows, text, records] = made.found;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      rows += ends[r] - begins_[r];
      made.runs += ends[r] > begins_[r] ? 1 : 0;
    }
    records = detail::buffer(context.memory, static_cast<std::size_t>(rows) * size, context.owner);
    std::vector<wanted> parts;
    std::byte* to = records.data();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      parts.push_back({r, begins_[r], ends[r], to});
      to += static_cast<std::size_t>(ends[r] - begins_[r]) * size;
    }
    text = add_copies(context, parts, copies);
    begins_ = ends;
    if (!last) choose_cut(context, copies);
    if (rows == 0 && !last) continue;
    if (rows > 0)
      made.there = context.store->read_beside(std::move(copies), context.team, context.owner);
    return made;
  }
}

bool run_merge::next(run_context& context, sorted_rows& found) {
  if (next_.found.rows == 0) next_ = read_next(context);
  if (next_.found.rows == 0) return false;
  next_.there.get();
  const std::size_t runs = next_.runs;
  found = std::move(next_.found);
  next_ = read_next(context);
  if (runs > 1) found.records = sort_records(context, std::move(found.records), found.rows);
  return true;
}

}  // namespace pappus::cpu_ops
