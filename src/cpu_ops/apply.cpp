// Calls an opaque function on each partition of its input, or on even pieces of it.
//
// A function sees one contiguous span. Partitions are contiguous already; a piece that lies in
// several chunks is copied together, one piece a worker at a time. What comes back is copied to
// slabs, one a worker, and put in order at the end.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/memory_scale.h"
#include "cpu_ops/contract.h"
#include "ops/implementations.h"
#include "pappus/detail/base/apply.h"

namespace pappus::cpu_ops {
namespace {

using detail::apply_params;

constexpr std::size_t copied_slab_bytes = std::size_t{256} << 10;

/// One worker's results.
struct apply_slabs : detail::apply_output {
  struct piece {
    const std::byte* data = nullptr;
    std::int64_t rows = 0;
  };
  run_context* context = nullptr;
  std::vector<detail::buffer> slabs;
  std::byte* cursor = nullptr;
  std::size_t free_bytes = 0;
  piece* current = nullptr;

  std::byte* take(std::int64_t rows) {
    const auto bytes = static_cast<std::size_t>(rows) * context->node.out.size;
    if (bytes > free_bytes) {
      // A large result gets a slab of its own size.
      slabs.emplace_back(context->memory, std::max(bytes, base::scaled(copied_slab_bytes)),
                         context->owner);
      cursor = slabs.back().data();
      free_bytes = slabs.back().size();
    }
    *current = {cursor, rows};
    free_bytes -= bytes;
    return std::exchange(cursor, cursor + bytes);
  }
};

/// Rows [begin, end) as one span; copied to `scratch` where they lie in several chunks.
const std::byte* contiguous_rows(run_context& context, std::int64_t begin, std::int64_t end,
                                 detail::buffer& scratch) {
  const auto& set = *context.inputs[0];
  const std::size_t size = set.layout().size;
  std::size_t i = set.find(begin);
  const auto place = [&](const detail::chunk& chunk, std::int64_t row) {
    return chunk.data + static_cast<std::size_t>(row - chunk.first) * size;
  };
  const auto& first = set.chunks()[i];
  if (end <= first.first + first.rows) return place(first, begin);
  scratch =
      detail::buffer(context.memory, static_cast<std::size_t>(end - begin) * size, context.owner);
  for (std::byte* to = scratch.data(); begin < end; ++i) {
    const auto& chunk = set.chunks()[i];
    const std::int64_t n = std::min(end, chunk.first + chunk.rows) - begin;
    std::memcpy(to, place(chunk, begin), static_cast<std::size_t>(n) * size);
    to += static_cast<std::size_t>(n) * size;
    begin += n;
  }
  return scratch.data();
}

/// Row numbers at which pieces end.
std::vector<std::int64_t> piece_ends(const run_context& context) {
  const std::int64_t n = context.node.as<apply_params>().pieces;
  if (n == 0) return context.inputs[0]->partition_ends();
  std::vector<std::int64_t> ends;
  for (std::int64_t i = 1; i <= n; ++i)
    ends.push_back(static_cast<std::int64_t>(static_cast<__int128>(context.rows) * i / n));
  return ends;
}

void apply_pieces(run_context& context) {
  context.output->keep_owners_of(*context.inputs[0]);
  const auto loop = context.node.as<apply_params>().loop;
  const auto ends = piece_ends(context);
  std::vector<apply_slabs> outputs(context.team.count());
  std::vector<apply_slabs::piece> results(ends.size());
  detail::parallel_chunks(context.team, ends.size(), [&](std::size_t item, unsigned worker) {
    const std::int64_t begin = item == 0 ? 0 : ends[item - 1];
    if (begin == ends[item]) return;
    detail::buffer scratch;
    const std::byte* rows = contiguous_rows(context, begin, ends[item], scratch);
    auto& out = outputs[worker];
    out.context = &context;
    out.current = &results[item];
    out.room = [](detail::apply_output& self, std::int64_t n) {
      return static_cast<apply_slabs&>(self).take(n);
    };
    loop(context.node.stage.element.get(),
         {&rows, context.sides.data(), begin, ends[item] - begin, &context.team}, out);
  });
  for (const auto& result : results) context.output->append(result.data, result.rows);
  for (auto& out : outputs)
    for (auto& slab : out.slabs) context.output->own(std::move(slab));
}

constexpr phase apply_phases[] = {
    {"apply", phase::kind::launch, phase::when::each_window, apply_pieces},
};

}  // namespace

const cpu_operator& apply_on_cpu() {
  static constexpr cpu_operator made{apply_phases};
  return made;
}

}  // namespace pappus::cpu_ops
