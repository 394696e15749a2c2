#include "cpu_ops/bits_sort.h"

#include <cstring>
#include <utility>

#include "algorithms/key_bits.h"
#include "pappus/detail/loops/sort.h"

namespace pappus::cpu_ops {
namespace {

using detail::sort_moves;

/// Keys of records that begin with them.
template <typename Key>
void write_first_bits(const void*, const std::byte* const* records, std::int64_t n,
                      std::byte* keys) {
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(keys + static_cast<std::size_t>(i) * sizeof(Key), records[i], sizeof(Key));
}

}  // namespace

bits_sort::bits_sort(const run_context& context, std::size_t key_bytes, std::size_t size,
                     std::string_view name) {
  auto made = std::make_unique<graph::node>(std::make_shared<graph::node_table>());
  made->name = context.node.name;
  made->out = {size, 1, name};
  auto sort = std::make_shared<detail::sort_params>();
  const bool small = size == 4 || size == 8 || size == 16;
  sort->moves = small ? sort_moves::records : sort_moves::addresses;
  sort->payload_bytes = small ? size : sizeof(const std::byte*);
  const auto keys = with_key_type(
      key_bytes, [](auto type) -> detail::rekey_loop { return write_first_bits<decltype(type)>; });
  sort->passes.push_back({key_bytes, false, keys});
  made->params = std::move(sort);
  node_ = std::move(made);
  owners_ = std::make_shared<detail::row_set>(node_->out);
}

std::size_t bits_sort::sorting_bytes() const {
  const auto& sort = node_->as<detail::sort_params>();
  return 2 * (node_->out.size + sort.passes.front().key_bytes + sort.payload_bytes);
}

run_context bits_sort::context_of(const run_context& context) const {
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
          .store = context.store};
}

}  // namespace pappus::cpu_ops
