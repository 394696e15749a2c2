#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

detail::buffer room_for_text(const run_context& context, std::span<graph::row_store::copy> copies) {
  std::size_t bytes = 0;
  for (const auto& one : copies) bytes += one.of->text_bytes(one.first, one.rows);
  detail::buffer text(context.memory, bytes, context.owner);
  std::byte* to = text.data();
  for (auto& one : copies) {
    one.text_to = to;
    to += one.of->text_bytes(one.first, one.rows);
  }
  return text;
}

}  // namespace pappus::cpu_ops
