// What a predicate asks of texts: that one begins with another, or is it.
//
// Compilers make two comparisons of one: of lengths, and of the bytes behind the view's pointer, by
// bcmp, or by a load where they are few. The second is found here; it counts only where the first
// one was found, too, for bytes may lie behind a text's end.
#pragma once

#include <optional>
#include <vector>

#include "compiler/analysis/comparisons.h"

namespace llvm {
class CallBase;
class Value;
}  // namespace llvm

namespace pappus::compiler {

/// Of `value == other`: with which bytes the text begins, as far as has_all() says so later. They
/// are a constant's, or those of a view or string that was captured.
std::optional<comparison> text_comparison(const kernel_function& function, llvm::Value* value,
                                          llvm::Value* other);

/// Of a call that must be true: which text a category is.
std::optional<comparison> category_comparison(const kernel_function& function,
                                              const llvm::CallBase& call);

/// Whether the call asks a category for its text, which does nothing else:
/// pappus::detail::is_text_of_code(code, text).
bool asks_text_of_category(const llvm::CallBase& call);

/// Whether the text is known to have as many bytes as it is said to begin with, by what is found of
/// its length. If these are all, it is that text: `is` becomes "==".
bool has_all(comparison& text, const std::vector<comparison>& found);

}  // namespace pappus::compiler
