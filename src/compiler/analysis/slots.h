// The slots of a translation unit: which functions of the user may run on a device.
#pragma once

#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// A device_slot that this module defines.
struct slot {
  llvm::GlobalVariable* variable;
  llvm::Function* thunk;
  std::vector<parameter> parameters;
  std::string function;  ///< the type of the user's function, as the compiler spells it
};

/// A slot made by headers of another detail::compiler_version; nothing else is known of it.
struct foreign_slot {
  llvm::GlobalVariable* variable;
  std::int64_t version;  ///< 0: before there were versions
};

struct found_slots {
  std::vector<slot> own;
  std::vector<foreign_slot> foreign;
};

/// All slots of a module, in the order of their annotations. Costs nothing where there are none.
found_slots find_slots(const llvm::Module& module);

/// Set if the translation unit was compiled with pappus_enable(target FLOATS fast): to y if its
/// headers are those of glibc 2.y, 0 for another C library.
std::optional<unsigned> fast_floats_in(const llvm::Module& module);

/// Whether the source says [[clang::annotate("pappus.device")]] of this function: it must run on a
/// device, or it is an error.
bool must_run_on_device(const llvm::Module& module, const llvm::Function& function);

/// The place that the type of a lambda names: k.cpp:12:5 for "(lambda at k.cpp:12:5)". Other types
/// name none: path is empty.
struct written_at {
  std::string path;
  unsigned line = 0, column = 0;
  std::string text() const;
};
written_at place_of(llvm::StringRef function);

/// A C identifier for a function of this type.
std::string name_of(llvm::StringRef function);

}  // namespace pappus::compiler
