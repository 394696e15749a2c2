#include "cpu_ops/key_sort.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "algorithms/key_bits.h"
#include "cpu_ops/sort_keys.h"
#include "cpu_ops/sort_rows.h"
#include "pappus/detail/loops/sort.h"

namespace pappus::cpu_ops {
namespace {

using detail::sort_moves;

/// Keys of records that begin with them.
template <typename Key>
void write_first_keys(const void*, const std::byte* const* records, std::int64_t n,
                      std::byte* keys) {
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(keys + static_cast<std::size_t>(i) * sizeof(Key), records[i], sizeof(Key));
}

detail::rekey_loop first_key_loop(std::size_t key_bytes) {
  if (key_bytes == 0) return write_first_keys<std::string_view>;
  return with_key_type(
      key_bytes, [](auto type) -> detail::rekey_loop { return write_first_keys<decltype(type)>; });
}

}  // namespace

key_sort::key_sort(const run_context& context, std::size_t key_bytes,
                   const detail::record_type& record) {
  auto made = std::make_unique<graph::node>(std::make_shared<graph::node_table>());
  made->name = context.node.name;
  made->out = record;
  auto sort = std::make_shared<detail::sort_params>();
  const std::size_t size = record.size;
  const bool small = key_bytes > 0 && (size == 4 || size == 8 || size == 16);
  sort->moves = small ? sort_moves::records : sort_moves::addresses;
  sort->payload_bytes = small ? size : sizeof(const std::byte*);
  sort->passes.push_back({key_bytes, false, first_key_loop(key_bytes)});
  made->params = std::move(sort);
  node_ = std::move(made);
  owners_ = std::make_shared<detail::row_set>(node_->out);
}

std::size_t key_sort::sorting_bytes() const {
  const auto& sort = node_->as<detail::sort_params>();
  const auto& pass = sort.passes.front();
  constexpr std::size_t string_words = 5 * sizeof(std::uint64_t);  // numbers, and their order
  return 2 * (node_->out.size + stored_key_bytes(pass) + sort.payload_bytes) +
         (pass.key_bytes == 0 ? string_words : 0);
}

run_context key_sort::context_of(const run_context& context) const {
  return {.node = *node_,
          .inputs = {},
          .sides = {},
          .team = context.team,
          .memory = context.memory,
          .output = owners_,
          .state = {},
          .evaluate = context.evaluate,
          .owner = context.owner,
          .note = {},
          .store = context.store,
          .memory_owner = context.memory_owner};
}

}  // namespace pappus::cpu_ops
