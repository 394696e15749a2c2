// What is known of addresses' alignment beyond what each access says.
#pragma once

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Sets the alignment of accesses to records and local variables to what follows from their types
/// and offsets. Copies of records often claim less, and would become copies of bytes; members of
/// packed records that are passed by reference claim more, which no x86 minds and a GPU does.
void derive_alignments(const kernel_function& kernel);

}  // namespace pappus::compiler
