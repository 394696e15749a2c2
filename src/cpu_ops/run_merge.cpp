#include "cpu_ops/run_merge.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/text_heap.h"
#include "cpu_ops/sort_keys.h"
#include "cpu_ops/sort_rows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::sort_params;
using detail::sort_pass;

std::size_t key_at(const sort_pass& pass, std::int64_t i) {
  return static_cast<std::size_t>(i) * stored_key_bytes(pass);
}

const std::byte* key_of(const sort_params& sort, const sorted_run& run, std::size_t pass,
                        std::int64_t sample) {
  return run.keys[pass].data() + key_at(sort.passes[pass], sample);
}

/// Of two samples.
std::strong_ordering compared(const sort_params& sort, const sorted_run& a, std::int64_t i,
                              const sorted_run& b, std::int64_t j) {
  return compare_keys(
      sort, [&](std::size_t k) { return key_of(sort, a, k, i); },
      [&](std::size_t k) { return key_of(sort, b, k, j); });
}

/// A record against a sample.
std::strong_ordering compared(const run_context& context, const std::byte* record,
                              const sorted_run& of, std::int64_t sample) {
  const auto& sort = context.node.as<sort_params>();
  return compare_keys(context.node, record,
                      [&](std::size_t k) { return key_of(sort, of, k, sample); });
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
    : runs_(std::move(runs)), step_(step), limit_(limit), seen_(runs_.size(), 0) {
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

/// Whether the next sample, and the records behind it, are of a range that has `taken` samples and
/// `text` bytes of text.
bool run_merge::takes_next_sample(std::int64_t taken, std::size_t& text) const {
  if (taken == limit_.samples || done_ == count_) return false;
  const auto& [run, number] = samples()[done_];
  const auto first = number * step_;
  text += runs_[run].text_bytes(first, std::min(first + step_, runs_[run].rows));
  return taken == 0 || text <= limit_.text_bytes;
}

/// Chooses where a range ends, and what must be read of each run to find the place there.
void run_merge::choose_end(reading& made) {
  std::size_t text = 0;
  for (std::int64_t taken = 0; takes_next_sample(taken, text); ++taken)
    ++seen_[samples()[done_++].run];
  made.last = done_ == count_;
  if (!made.last) made.cut = samples()[done_];
  for (std::size_t r = 0; r < runs_.size(); ++r)
    made.ends.push_back(std::min(seen_[r] * step_, runs_[r].rows));
}

/// Of each run, the first record that doesn't come before the cut of what was read last.
std::vector<std::int64_t> run_merge::places_of_cut(const run_context& context,
                                                   const reading& of) const {
  if (of.last) return of.ends;
  std::vector<std::int64_t> places;
  const std::size_t size = context.node.out.size;
  const std::byte* records = of.found.records.data();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const auto begin = of.begins[r], end = of.ends[r];
    // The last sample comes before it.
    auto low = std::clamp((seen_[r] - 1) * step_ + 1, begin, end), high = end;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto order =
          compared(context, records + static_cast<std::size_t>(middle - begin) * size,
                   runs_[of.cut.run], of.cut.number);
      const bool before = order < 0 || (order == 0 && r < of.cut.run);
      (before ? low : high) = before ? middle + 1 : middle;
    }
    places.push_back(low);
    records += static_cast<std::size_t>(end - begin) * size;
  }
  return places;
}

/// What was read and comes behind the cut, one run behind the other.
sorted_rows run_merge::behind(run_context& context, const reading& of,
                              const std::vector<std::int64_t>& cuts) const {
  sorted_rows rest;
  for (std::size_t r = 0; r < runs_.size(); ++r) rest.rows += of.ends[r] - cuts[r];
  if (rest.rows == 0) return rest;
  const std::size_t size = context.node.out.size;
  rest.records =
      detail::buffer(context.memory, static_cast<std::size_t>(rest.rows) * size, context.owner);
  const std::byte* from = of.found.records.data();
  std::byte* to = rest.records.data();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    from += static_cast<std::size_t>(cuts[r] - of.begins[r]) * size;
    const auto bytes = static_cast<std::size_t>(of.ends[r] - cuts[r]) * size;
    std::memcpy(to, from, bytes);
    from += bytes;
    to += bytes;
  }
  // Theirs is among that of the range, which goes sooner.
  if (!of.found.text.empty())
    rest.text.push_back(base::text_index(context.node.out)
                            .copy_text(rest.records.data(), rest.rows, context.memory, context.team,
                                       context.owner));
  return rest;
}

/// Has what was read be what comes before the cut. Returns how many runs that is of.
std::size_t run_merge::leave_out_behind(const run_context& context, reading& of,
                                        const std::vector<std::int64_t>& cuts) const {
  const std::size_t size = context.node.out.size;
  std::byte *from = of.found.records.data(), *to = from;
  std::size_t runs = 0;
  of.found.rows = 0;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const auto rows = cuts[r] - of.begins[r];
    const auto bytes = static_cast<std::size_t>(rows) * size;
    if (to != from) std::memmove(to, from, bytes);
    to += bytes;
    from += static_cast<std::size_t>(of.ends[r] - of.begins[r]) * size;
    of.found.rows += rows;
    runs += rows > 0 ? 1 : 0;
  }
  return runs;
}

/// Begins to read the next range: what was read before comes with it from the cuts on.
run_merge::reading run_merge::read_next(run_context& context, const reading& before,
                                        const std::vector<std::int64_t>& cuts) {
  const std::size_t size = context.node.out.size;
  auto rest = behind(context, before, cuts);
  reading made{.begins = cuts};
  choose_end(made);
  auto& [rows, text, records] = made.found;
  for (std::size_t r = 0; r < runs_.size(); ++r) rows += made.ends[r] - made.begins[r];
  records = detail::buffer(context.memory, static_cast<std::size_t>(rows) * size, context.owner);
  std::vector<graph::row_store::copy> copies;
  const std::byte* from = rest.records.data();
  std::byte* to = records.data();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (const auto known = static_cast<std::size_t>(before.ends[r] - cuts[r]) * size; known > 0) {
      std::memcpy(to, from, known);
      from += known;
      to += known;
    }
    for (const auto& [kept, first] : runs_[r].pieces) {
      const auto low = std::max(before.ends[r], first),
                 high = std::min(made.ends[r], first + kept->rows());
      if (low >= high) continue;
      copies.push_back({kept, low - first, high - low, to});
      to += static_cast<std::size_t>(high - low) * size;
    }
  }
  text = std::move(rest.text);
  if (auto room = room_for_text(copies, context.memory, context.owner); room.data() != nullptr)
    text.push_back(std::move(room));
  made.there = context.store->read_beside(std::move(copies), context.team, context.owner);
  return made;
}

bool run_merge::next(run_context& context, sorted_rows& found) {
  if (next_.found.rows == 0) {
    if (done_ == count_) return false;
    const std::vector<std::int64_t> none(runs_.size(), 0);
    next_ = read_next(context, {.begins = none, .ends = none}, none);
  }
  next_.there.get();
  auto now = std::exchange(next_, {});
  const auto cuts = places_of_cut(context, now);
  if (!now.last) next_ = read_next(context, now, cuts);
  const auto runs = leave_out_behind(context, now, cuts);
  found = std::move(now.found);
  if (runs > 1) found.records = sort_records(context, std::move(found.records), found.rows);
  return true;
}

}  // namespace pappus::cpu_ops
