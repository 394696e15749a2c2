// Whether a launch may run with copies of what its function captured by reference.
//
// A launch runs after its call has returned, when variables of the caller's may be gone. Copies
// stand for them if the function does nothing with its captured pointers but read a known number of
// bytes behind them: it neither writes there, nor stores the pointers, nor compares those of two
// objects. All memory that it accesses has to be known as well: what is behind a pointer that lies
// behind a reference (the elements of a std::vector) isn't copied, so a function that goes there is
// none of these, even if what it follows isn't the caller's. Neither is one that may throw: how it
// does so isn't part of the code here (extract.h).
#pragma once

#include <optional>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// All memory that a function without reasons against it (validate.h) reads behind its captured
/// pointers. None: copies may not do. To be called when all is inlined (cleaner::finish).
std::optional<std::vector<reference>> copyable_references(const kernel_function& kernel);

}  // namespace pappus::compiler
