#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

detail::buffer room_for_text(std::span<graph::row_store::copy> copies,
                             detail::memory_source& memory, std::string_view owner) {
  std::size_t bytes = 0;
  for (const auto& one : copies) bytes += one.of->text_bytes(one.first, one.rows);
  detail::buffer text(memory, bytes, owner);
  std::byte* to = text.data();
  for (auto& one : copies) {
    one.text_to = to;
    to += one.of->text_bytes(one.first, one.rows);
  }
  return text;
}

}  // namespace pappus::cpu_ops
