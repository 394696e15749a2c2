// Address spaces: which memory each pointer of a function points to.
//
// OpenCL C 1.2 has no generic address space, so a pointer's C type must name its space, and LLVM's
// code doesn't say it. But every pointer comes from somewhere: a parameter of the function, a local
// array, a constant table, or a reference that was captured. Its space follows from these roots
// through offsets, phis and selects. A pointer loaded from anywhere else belongs to the host; it
// can be copied and compared like a number, but not followed.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

struct space {
  enum class kind {
    none,        ///< null or undefined: goes with any
    number,      ///< the host's address
    local,       ///< private memory: local variables, results, reducers
    global,      ///< shared rows
    constant,    ///< tables of the program
    parameter,   ///< what the runtime decides for parameter `number`
    referenced,  ///< behind captured references
    mixed,       ///< of several of these
  };
  kind what = kind::none;
  unsigned parameter = 0;

  bool operator==(const space&) const = default;
  /// Before `uchar*`, with a blank after it.
  std::string qualifiers() const;
  bool writable() const { return what == kind::local; }
};

class spaces {
 public:
  explicit spaces(const kernel_function& kernel);

  space of(const llvm::Value* pointer) const;
  /// The byte of the captures at which the pointer lies that `value` loads, if that is one and it
  /// is followed somewhere.
  std::optional<std::int64_t> captured_at(const llvm::Value* value) const;
  /// Whether the pointers never are equal: one of them points to memory of this call alone.
  bool are_apart(const llvm::Value* p, const llvm::Value* q) const;
  /// Whether comparisons and differences of the pointers are what they are on the host: each space,
  /// and each object referred to, is moved as a whole.
  bool keep_distance(const llvm::Value* p, const llvm::Value* q) const;
  /// Whether loads through the pointer give the same wherever they stand: nothing writes there.
  bool is_unchanging(const llvm::Value* pointer) const;
  const std::vector<const llvm::LoadInst*>& captured() const { return captured_; }

 private:
  space of_root(const llvm::Value* root) const;
  bool is_of_this_call(const space& s) const;

  const kernel_function& kernel_;
  llvm::DenseMap<const llvm::Value*, std::int64_t> captured_at_;
  std::vector<const llvm::LoadInst*> captured_;  // in the order of the code
  mutable llvm::DenseMap<const llvm::Value*, space> known_;
};

/// The pointer and all that it is computed from, by way of offsets, phis and selects.
llvm::SmallPtrSet<const llvm::Value*, 8> origins_of(const llvm::Value* pointer);

/// The byte of the captures, the function's first parameter, at which the pointer lies that `value`
/// loads, if it is such a load.
std::optional<std::int64_t> captured_offset(const llvm::Value* value, const llvm::Function& code);

/// What a pointer is computed from: past offsets, phis and selects.
llvm::SmallPtrSet<const llvm::Value*, 8> roots_of(const llvm::Value* pointer);

/// Calls visit(use) for each use of the pointer and of those computed from it that isn't such a
/// computation itself, or is and reads the memory, too (memchr).
void for_uses_of_memory(const llvm::Value* pointer,
                        llvm::function_ref<void(const llvm::Use& use)> visit);

}  // namespace pappus::compiler
