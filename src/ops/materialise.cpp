// Writes the output of a fused stage to memory.
//
// When every row yields one record, the place of each is known: workers write into one contiguous
// block. Otherwise the number of records is known only afterwards. Counting first would run the
// user's functions twice, and reserving for the worst case would refuse queries that fit; so each
// worker appends to a slab of its own, large enough for the worst case of the piece it is about to
// process, and the pieces are put in row order at the end. They stay where they are: the output is
// a list of chunks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/blocks.h"
#include "ops/operator.h"
#include "ops/registry.h"

namespace pappus::ops {
namespace {

using detail::write_params;

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
                       context->node.name);
    cursor = piece_begin = slabs.back().data();
    end = cursor + slabs.back().size();
  }
};

void write_aligned(run_context& context) {
  const auto size = context.node.out.size;
  const auto loop = context.node.as<write_params>().loop;
  detail::block block(context.memory, static_cast<std::size_t>(context.rows) * size,
                      context.node.name);
  const std::int64_t per_item = std::max<std::int64_t>(context.chosen.chunk_rows, 4096);
  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(pieces(context.rows, per_item)),
      [&](std::size_t item, unsigned) {
        const auto begin = static_cast<std::int64_t>(item) * per_item;
        detail::out_rows out{.cursor = block.data() + static_cast<std::size_t>(begin) * size};
        for_each_block(context, begin, std::min(begin + per_item, context.rows),
                       [&](const detail::block_args& args) {
                         loop(context.node.stage.element.get(), args, out);
                       });
      });
  context.output->append(block.data(), context.rows);
  context.output->own(std::move(block));
}

void write_any(run_context& context) {
  const auto size = context.node.out.size;
  const auto loop = context.node.as<write_params>().loop;
  const bool many = context.node.stage.form == detail::shape::many;
  const std::int64_t per_item = context.chosen.chunk_rows;
  const auto items = static_cast<std::size_t>(pieces(context.rows, per_item));
  std::vector<slab_writer> writers(context.team.count());
  std::vector<std::vector<slab_writer::piece>> found(items);

  detail::parallel_chunks(context.team, items, [&](std::size_t item, unsigned worker) {
    auto& out = writers[worker];
    out.context = &context;
    out.first_slab = std::min(slab_bytes, static_cast<std::size_t>(context.rows) * size);
    out.grow = [](detail::out_rows& self) {
      auto& slab = static_cast<slab_writer&>(self);
      slab.make_room(std::max<std::size_t>(slab.context->node.out.size, 4096));
    };
    out.pieces = &found[item];
    out.piece_begin = out.cursor;
    const auto begin = static_cast<std::int64_t>(item) * per_item;
    for_each_block(context, begin, std::min(begin + per_item, context.rows),
                   [&](const detail::block_args& args) {
                     if (!many) out.make_room(static_cast<std::size_t>(args.rows) * size);
                     loop(context.node.stage.element.get(), args, out);
                   });
    if (out.piece_begin != nullptr) out.close_piece();
  });

  for (const auto& item : found)
    for (const auto& piece : item) context.output->append(piece.data, piece.rows);
  for (auto& writer : writers)
    for (auto& slab : writer.slabs) context.output->own(std::move(slab));
}

void write(run_context& context) {
  for (const auto& input : context.inputs) context.output->keep_owners_of(*input);
  if (context.rows == 0) return;
  if (context.node.stage.form == detail::shape::aligned)
    write_aligned(context);
  else
    write_any(context);
}

constexpr phase write_phases[] = {
    {"write", phase::kind::launch, phase::when::each_window, write},
};

class materialise_entry final : public operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    switch (n.stage.form) {
      case detail::shape::aligned:
        return input;
      case detail::shape::masked:
        return input.loosened();
      case detail::shape::many:
        break;
    }
    return graph::bound::unknown();
  }
  footprint size(const graph::node& n, double rows_in, double rows_out) const override {
    const double written = rows_out * static_cast<double>(n.out.size);
    return {
        .read = rows_in * input_row_bytes(n), .written = written, .output = written, .scratch = 0};
  }
  std::span<const phase> phases(const graph::node&) const override { return write_phases; }
  bool streams(const graph::node&) const override { return true; }
};

}  // namespace

const operator_entry& materialise_operator() {
  static const materialise_entry entry;
  return entry;
}

}  // namespace pappus::ops
