#include "front/array/captures.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "codegen/element/captured.h"
#include "front/array/stack.h"

namespace pappus::detail {
namespace {

/// More than that takes longer to copy than launches may take, and fills memory where many wait.
constexpr std::size_t copied_max = std::size_t{64} << 10;

/// Code may assume an object's alignment, and read all of the aligned places around what it looks
/// at. So copies lie as their originals do in lines of this size, and the lines are theirs alone.
constexpr std::size_t line = 64;

struct target {
  std::size_t offset = 0;    ///< of the pointer in the captures
  std::size_t bytes = 0;     ///< to be copied
  std::size_t align = line;  ///< at least that of the original
  const void* place = nullptr;

  std::size_t within_line() const { return reinterpret_cast<std::uintptr_t>(place) % align; }
  std::size_t room() const { return (within_line() + bytes + align - 1) / align * align; }
};

/// A function and what its captures refer to.
struct function_with_targets {
  std::shared_ptr<const void> function;
  std::vector<std::byte> targets;
};

/// Copies the targets into `values` and notes their new places. False: they can't be read.
bool copy_targets(std::span<target> targets, const std::byte* captures,
                  std::vector<std::byte>& values) {
  std::size_t bytes = 0;
  for (const auto& one : targets) bytes += one.align + one.room();
  values.resize(bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
  std::vector<codegen::captured_reference> left;
  std::uintptr_t end = begin;
  for (auto& one : targets) {
    const auto address = (end + one.align - 1) / one.align * one.align + one.within_line();
    const auto to = address - begin;
    end = address - one.within_line() + one.room();
    // The system's copying, which is safe for any memory, takes longer than the rest of a launch.
    auto* copy = values.data() + to;
    if (!copy_from_stack(one.place, one.bytes, copy))
      left.push_back({captures + one.offset, to, one.bytes});
    one.place = copy;
  }
  return codegen::copy_references(left, values);
}

}  // namespace

bool copy_referenced(std::shared_ptr<const void>& function, std::size_t function_bytes,
                     std::span<const codegen::compiled_function::reference> references) {
  auto* captures = static_cast<std::byte*>(const_cast<void*>(function.get()));
  std::vector<target> targets;
  std::size_t bytes = 0;
  for (const auto& one : references) {
    if (one.offset > function_bytes || function_bytes - one.offset < sizeof(void*)) return false;
    const void* pointer = nullptr;
    std::memcpy(&pointer, captures + one.offset, sizeof pointer);
    if (!is_on_stack(pointer)) continue;
    targets.push_back({one.offset, one.bytes, std::max(line, one.align), pointer});
    if (one.bytes > copied_max || (bytes += targets.back().room()) > copied_max) return false;
  }
  if (targets.empty()) return true;
  auto made = std::make_shared<function_with_targets>(function_with_targets{function, {}});
  if (!copy_targets(targets, captures, made->targets)) return false;
  for (const auto& one : targets) std::memcpy(captures + one.offset, &one.place, sizeof one.place);
  function = {made, captures};
  return true;
}

}  // namespace pappus::detail
