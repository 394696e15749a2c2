// Writes what a fused stage yields for a run of rows to memory.
//
// When every row yields one record, the place of each is known: workers write into one contiguous
// block. Otherwise the number of records is known only afterwards. Counting first would run the
// user's functions twice, and reserving for the worst case would refuse queries that fit; so rows
// are written to slabs, one a worker, large enough for the worst case of the block it is about to
// process, and what was written is put in row order at the end. It stays where it is: the output
// is a list of chunks. Only of a window, one of many, is it copied where slabs are far from full.
#include "cpu_ops/stage_writer.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/rows_in.h"
#include "base/memory_scale.h"
#include "cpu_ops/shared_rows.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/stream.h"

namespace pappus::cpu_ops {
namespace {

/// What to write: rows of the window, and the loop that does it.
struct span {
  detail::write_loop loop;
  std::int64_t begin, end;
  std::int64_t count() const { return end - begin; }
};

constexpr std::size_t slab_bytes_max = std::size_t{4} << 20;

/// Consecutive records, and the first row of which they come.
struct run {
  std::int64_t row;
  const std::byte* data;
  std::int64_t records;
};

/// A place to write, for one run of rows after another; output whose rows have no fixed places.
struct slab_writer : detail::out_rows {
  run_context* context = nullptr;
  std::size_t slab_bytes = 0;
  std::vector<detail::buffer> slabs;
  std::byte* run_begin = nullptr;
  std::int64_t row = 0;     // of the run that is being written
  std::vector<run> runs{};  // in the order in which they were written

  void begin_run(std::int64_t first_row) {
    row = first_row;
    run_begin = cursor;
  }
  void end_run() {
    const auto bytes = static_cast<std::size_t>(cursor - run_begin);
    if (bytes != 0)
      runs.push_back({row, run_begin, static_cast<std::int64_t>(bytes / context->node.out.size)});
    run_begin = cursor;
  }
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(end - cursor) >= bytes && cursor != nullptr) return;
    end_run();
    slabs.emplace_back(context->memory, std::max(bytes, slab_bytes), context->owner);
    cursor = run_begin = slabs.back().data();
    end = cursor + slabs.back().size();
  }
};

/// Writers that nobody uses at the moment, and all there are: no more than work at a time.
class slab_writers {
 public:
  slab_writers(run_context& context, std::size_t bytes_max)
      : context_(context),
        // small inputs get small slabs
        slab_bytes_(std::min(base::scaled(slab_bytes_max),
                             detail::ceil_div(bytes_max, context.team.count()))) {}

  slab_writer& take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      auto& made = *all_.emplace_back(std::make_unique<slab_writer>());
      made.context = &context_;
      made.slab_bytes = slab_bytes_;
      made.grow = [](detail::out_rows& self) {
        auto& slab = static_cast<slab_writer&>(self);
        slab.make_room(std::max<std::size_t>(slab.context->node.out.size, 4096));
      };
      return made;
    }
    auto& writer = *idle_.back();
    idle_.pop_back();
    return writer;
  }
  void give_back(slab_writer& writer) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(&writer);
  }

  /// All that was written, in row order.
  void move_to(detail::row_set& to) {
    std::vector<run> runs;
    for (const auto& writer : all_)
      runs.insert(runs.end(), writer->runs.begin(), writer->runs.end());
    // Runs of one row are of one writer, and stay in the order in which it wrote them.
    std::ranges::stable_sort(runs, {}, &run::row);
    if (context_.in_windows && wasteful(runs)) return copy_to(to, runs);
    for (const auto& r : runs) to.append(r.data, r.records);
    for (auto& writer : all_)
      for (auto& slab : writer->slabs) to.own(std::move(slab));
  }

 private:
  static std::size_t records_of(const std::vector<run>& runs) {
    std::size_t records = 0;
    for (const auto& r : runs) records += static_cast<std::size_t>(r.records);
    return records;
  }
  /// Whether a quarter more than the runs need is held for them.
  bool wasteful(const std::vector<run>& runs) const {
    std::size_t held = 0;
    for (const auto& writer : all_)
      for (const auto& slab : writer->slabs) held += slab.size();
    return held > records_of(runs) * context_.node.out.size / 4 * 5;
  }
  void copy_to(detail::row_set& to, const std::vector<run>& runs) const {
    const std::size_t size = context_.node.out.size, records = records_of(runs);
    if (records == 0) return;
    detail::buffer all(context_.memory, records * size, context_.owner);
    std::vector<std::byte*> places{all.data()};
    for (const auto& r : runs)
      places.push_back(places.back() + static_cast<std::size_t>(r.records) * size);
    detail::parallel_chunks(context_.team, runs.size(), [&](std::size_t i, unsigned) {
      std::memcpy(places[i], runs[i].data, static_cast<std::size_t>(runs[i].records) * size);
    });
    append_buffer(to, std::move(all), static_cast<std::int64_t>(records));
  }

  run_context& context_;
  const std::size_t slab_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<slab_writer>> all_;
  std::vector<slab_writer*> idle_;
};

/// f(begin, end) for items of the rows, on all workers.
template <typename F>
void for_items(run_context& context, const span& rows, std::int64_t per_item, F&& f) {
  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(detail::ceil_div(rows.count(), per_item)),
      [&](std::size_t item, unsigned) {
        const auto begin = rows.begin + static_cast<std::int64_t>(item) * per_item;
        spread_rows(context, begin, std::min(begin + per_item, rows.end), f);
      });
}

void write_aligned(run_context& context, const span& rows, detail::row_set& to) {
  const auto size = context.node.out.size;
  detail::buffer buffer(context.memory, static_cast<std::size_t>(rows.count()) * size,
                        context.owner);
  const std::int64_t per_item = std::max<std::int64_t>(context.morsel_rows, 4096);
  for_items(context, rows, per_item, [&](std::int64_t begin, std::int64_t end) {
    detail::out_rows out{
        .cursor = buffer.data() + static_cast<std::size_t>(begin - rows.begin) * size,
        .past_caches = buffer.size() > detail::streamed_beyond_bytes};
    return for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
      rows.loop(context.node.stage.element.get(), args, out);
    });
  });
  append_buffer(to, std::move(buffer), rows.count());
}

void write_any(run_context& context, const span& rows, detail::row_set& to) {
  const auto size = context.node.out.size;
  const bool many = context.node.stage.yields == detail::cardinality::any;
  slab_writers writers(context, static_cast<std::size_t>(rows.count()) * size);
  for_items(context, rows, context.morsel_rows, [&](std::int64_t begin, std::int64_t end) {
    auto& out = writers.take();
    out.begin_run(begin);
    const auto rest =
        for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
          if (!many) out.make_room(static_cast<std::size_t>(args.rows) * size);
          rows.loop(context.node.stage.element.get(), args, out);
        });
    out.end_run();
    writers.give_back(out);
    return rest;
  });
  writers.move_to(to);
}

}  // namespace

void write_stage(run_context& context, detail::write_loop loop, std::int64_t begin,
                 std::int64_t end, detail::row_set& to) {
  for (const auto& input : context.inputs) to.keep_text_of(*input);
  if (begin >= end) return;
  if (context.node.stage.yields == detail::cardinality::one)
    write_aligned(context, {loop, begin, end}, to);
  else
    write_any(context, {loop, begin, end}, to);
}

}  // namespace pappus::cpu_ops
