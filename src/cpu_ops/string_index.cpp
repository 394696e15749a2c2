#include "cpu_ops/string_index.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "algorithms/stretches.h"
#include "pappus/detail/base/hash_string.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::uint64_t hashed_rows = 65536;
constexpr std::uint64_t probe_rows = detail::join_batch::rows_max;

/// Whether each row's string is that of the first row with the same hash.
bool hashes_tell_strings_apart(const run_context& context, const join_index& index,
                               const std::uint64_t* hashes, const std::string_view* strings) {
  std::atomic<bool> holds{true};
  for_each_item(context.team, index.rows, hashed_rows, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t first[probe_rows], count[probe_rows];
    for (std::uint64_t at = begin; at < end && holds.load(std::memory_order_relaxed);
         at += probe_rows) {
      const auto n = static_cast<std::size_t>(std::min(probe_rows, end - at));
      index.table->probe(reinterpret_cast<const std::byte*>(hashes + at), n, first, count);
      for (std::size_t i = 0; i < n; ++i)
        if (count[i] > 1 && strings[index.table->row(first[i])] != strings[at + i])
          holds.store(false, std::memory_order_relaxed);
    }
  });
  return holds;
}

}  // namespace

void index_strings(const run_context& context, detail::buffer strings, join_index& index) {
  const auto* const from = strings.as<std::string_view>();
  detail::buffer hashes(context.memory, index.rows * sizeof(std::uint64_t), context.owner);
  for (;; ++index.seed) {
    auto* to = hashes.as<std::uint64_t>();
    for_each_item(context.team, index.rows, hashed_rows,
                  [&](std::uint64_t begin, std::uint64_t end) {
                    for (std::uint64_t i = begin; i < end; ++i)
                      to[i] = detail::hash_string(from[i], index.seed);
                  });
    index.table.reset();
    index.table.emplace(context.team, context.memory, hashes.data(), index.rows, sizeof(*to),
                        join_domain{}, context.owner);
    if (index.table->unique() || hashes_tell_strings_apart(context, index, to, from)) break;
  }
  index.strings = std::move(strings);
}

}  // namespace pappus::cpu_ops
