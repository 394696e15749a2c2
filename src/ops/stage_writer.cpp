// Writes what a fused stage yields for a run of rows to memory.
//
// When every row yields one record, the place of each is known: workers write into one contiguous
// block. Otherwise the number of records is known only afterwards. Counting first would run the
// user's functions twice, and reserving for the worst case would refuse queries that fit; so each
// worker appends to a slab of its own, large enough for the worst case of the piece it is about to
// process, and the pieces are put in row order at the end. They stay where they are: the output is
// a list of chunks.
#include "ops/stage_writer.h"

#include <algorithm>
#include <vector>

#include "ops/blocks.h"
#include "ops/core/rows_in.h"
#include "pappus/detail/core/stream.h"

namespace pappus::ops {
namespace {

/// What to write: rows of the window, and the loop that does it.
struct span {
  detail::write_loop loop;
  std::int64_t begin, end;
  std::int64_t count() const { return end - begin; }
};

constexpr std::size_t slab_bytes = std::size_t{4} << 20;

/// One worker's place to write; output that isn't aligned.
struct slab_writer : detail::out_rows {
  struct piece {
    const std::byte* data;
    std::int64_t rows;
  };
  run_context* context = nullptr;
  std::size_t first_slab = 0;  // bytes; small inputs get small slabs
  std::vector<detail::block> slabs;
  std::byte* piece_begin = nullptr;
  std::vector<piece>* pieces = nullptr;  // of the item being processed

  void close_piece() {
    const auto bytes = static_cast<std::size_t>(cursor - piece_begin);
    if (bytes != 0)
      pieces->push_back({piece_begin, static_cast<std::int64_t>(bytes / context->node.out.size)});
    piece_begin = cursor;
  }
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(end - cursor) >= bytes && cursor != nullptr) return;
    if (piece_begin != nullptr) close_piece();
    slabs.emplace_back(context->memory, std::max(bytes, slabs.empty() ? first_slab : slab_bytes),
                       context->who);
    cursor = piece_begin = slabs.back().data();
    end = cursor + slabs.back().size();
  }
};

void write_aligned(run_context& context, const span& rows, detail::row_set& to) {
  const auto size = context.node.out.size;
  detail::block block(context.memory, static_cast<std::size_t>(rows.count()) * size, context.who);
  const std::int64_t per_item = std::max<std::int64_t>(context.chosen.chunk_rows, 4096);
  detail::parallel_chunks(context.team, static_cast<std::size_t>(pieces(rows.count(), per_item)),
                          [&](std::size_t item, unsigned) {
                            const auto begin = static_cast<std::int64_t>(item) * per_item;
                            detail::out_rows out{
                                .cursor = block.data() + static_cast<std::size_t>(begin) * size,
                                .past_caches = block.size() > detail::streamed_beyond_bytes};
                            for_each_block(context, rows.begin + begin,
                                           std::min(rows.begin + begin + per_item, rows.end),
                                           [&](const detail::block_args& args) {
                                             rows.loop(context.node.stage.element.get(), args, out);
                                           });
                          });
  append_block(to, std::move(block), rows.count());
}

void write_any(run_context& context, const span& rows, detail::row_set& to) {
  const auto size = context.node.out.size;
  const bool many = context.node.stage.form == detail::shape::many;
  const std::int64_t per_item = context.chosen.chunk_rows;
  const auto items = static_cast<std::size_t>(pieces(rows.count(), per_item));
  std::vector<slab_writer> writers(context.team.count());
  std::vector<std::vector<slab_writer::piece>> found(items);

  detail::parallel_chunks(context.team, items, [&](std::size_t item, unsigned worker) {
    auto& out = writers[worker];
    out.context = &context;
    out.first_slab = std::min(slab_bytes, static_cast<std::size_t>(rows.count()) * size);
    out.grow = [](detail::out_rows& self) {
      auto& slab = static_cast<slab_writer&>(self);
      slab.make_room(std::max<std::size_t>(slab.context->node.out.size, 4096));
    };
    out.pieces = &found[item];
    out.piece_begin = out.cursor;
    const auto begin = static_cast<std::int64_t>(item) * per_item;
    for_each_block(context, rows.begin + begin, std::min(rows.begin + begin + per_item, rows.end),
                   [&](const detail::block_args& args) {
                     if (!many) out.make_room(static_cast<std::size_t>(args.rows) * size);
                     rows.loop(context.node.stage.element.get(), args, out);
                   });
    if (out.piece_begin != nullptr) out.close_piece();
  });

  for (const auto& item : found)
    for (const auto& piece : item) to.append(piece.data, piece.rows);
  for (auto& writer : writers)
    for (auto& slab : writer.slabs) to.own(std::move(slab));
}

}  // namespace

void write_stage(run_context& context, detail::write_loop loop, std::int64_t begin,
                 std::int64_t end, detail::row_set& to) {
  for (const auto& input : context.inputs) to.keep_owners_of(*input);
  if (begin >= end) return;
  if (context.node.stage.form == detail::shape::aligned)
    write_aligned(context, {loop, begin, end}, to);
  else
    write_any(context, {loop, begin, end}, to);
}

}  // namespace pappus::ops
