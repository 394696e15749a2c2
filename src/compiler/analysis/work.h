// What a call of a function computes: a count of its instructions, for the planner.
//
// Counted is the analysed copy, before anything is vectorised or unrolled, so the numbers are the
// same at all levels of optimisation. Blocks weigh as often as LLVM's branch heuristics think they
// run; a loop's rounds are its own where they are constant or follow from the rows of shared data,
// which the runtime knows, and else assumed.
//
// Not here: what an instruction costs (cost/work.h).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/analyses.h"
#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Instructions, by what they cost.
struct instruction_counts {
  double simple = 0;     ///< arithmetic, comparisons, branches, accesses to memory
  double wide = 0;       ///< the same in code that LLVM may make vectors of: without branches
  double divisions = 0;  ///< and square roots
  double maths = 0;      ///< calls of exp, log, sin, ...; one of pow counts as two
};

struct call_work {
  /// By the sides whose rows the instructions run for: {} once a call, {0} for each row of side 0,
  /// {0, 0} for each row of side 0 within each row of side 0.
  std::map<std::vector<unsigned>, instruction_counts> counts;
  bool assumed = false;                ///< loops run an assumed number of rounds
  bool unseen = false;                 ///< it calls code that isn't here: the counts are minima
  std::set<std::string> vector_maths;  ///< functions of <cmath> called that have vector versions
};

/// \param function  after cleaner::finish().
call_work work_of(const kernel_function& function, analyses& with);

}  // namespace pappus::compiler
