// What a predicate asks of single fields of its record: comparisons that are all true wherever it
// returns true. Readers of files leave out rows by them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

struct comparison {
  unsigned parameter = 0;              ///< the record's
  std::int64_t offset = 0, bytes = 0;  ///< of the field
  bool floating = false;
  /// Of integers: the field is extended to so many bits, and this is added, dropping what is above.
  unsigned bits = 0;
  bool sign_extended = false;
  std::int64_t addend = 0;
  bool signed_order = true;  ///< in which both are compared
  std::string is;            ///< "<", "<=", "==", "!=", ">=", ">"
  std::int64_t value = 0;    ///< bits of what it is compared with; of a float a double's
  /// What a captured integer goes through before it is compared.
  struct step {
    const char* what;  ///< "sign", "zeros": extended to `by` bits; "add", "multiply"
    std::int64_t by;
    unsigned bits;  ///< of what comes out
  };
  struct captured_value {
    std::int64_t offset, bytes;
    std::vector<step> steps;
  };
  std::optional<captured_value> captured;  ///< in place of the value
  /// The field is the pointer of a view, or the code of a category, and the text "begins with"
  /// `text`, or "==" it. If that is empty: the one whose pointer is the captured value, and whose
  /// length lies in the captures at `captured_size`.
  bool is_text = false;
  std::string text;
  std::optional<std::int64_t> captured_size;
};

/// \param function  after cleaner::finish()
std::vector<comparison> comparisons_of(const kernel_function& function);

/// Whether calling the function does nothing but return a result.
bool is_pure(const kernel_function& function);

}  // namespace pappus::compiler
