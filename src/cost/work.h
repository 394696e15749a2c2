// What stages compute, beside the memory they stream through, and how long that takes a core.
//
// Work is counted in the instructions of a sequential program; one number a place turns them into
// time. That is coarse: it is meant to tell a millisecond from a second, and a function worth a
// device from one that isn't.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace pappus::cost {

/// Instructions, by what they cost.
struct work {
  double simple = 0;        ///< arithmetic, comparisons, branches, accesses to memory
  double wide = 0;          ///< the same in code that compilers make vectors of
  double divisions = 0;     ///< and square roots
  double maths = 0;         ///< calls of exp, log, sin, ... one at a time
  double vector_maths = 0;  ///< the same by vector functions (fast floats)

  /// The number of simple instructions that would take as long.
  double total() const noexcept;
  work& operator+=(const work& other) noexcept;
  friend work operator*(work w, double times) noexcept {
    return {w.simple * times, w.wide * times, w.divisions * times, w.maths * times,
            w.vector_maths * times};
  }
};

/// How far a prediction can be believed, the best first.
enum class trust : std::uint8_t {
  measured,  ///< this stage ran before
  counted,
  guessed,   ///< rounds of loops or numbers of rows are assumed
  at_least,  ///< it calls functions of which nothing is known
};
constexpr trust worse(trust a, trust b) { return a > b ? a : b; }

/// What the functions of a stage compute for each row that goes in.
struct row_work {
  /// Work that is done once per row of the stage for each row of these sides: {} once, {0} for each
  /// row of side 0, {0, 1} for each row of side 1 within each of side 0.
  struct term {
    std::vector<std::size_t> sides{};
    work each{};
  };
  std::vector<term> terms{};
  trust how = trust::counted;
  /// Functions of <cmath> that are called one at a time but would be vectors with fast floats, and
  /// the number of all these calls a row.
  std::set<std::string> scalar_maths{};
  double scalar_maths_calls = 0;

  /// The work of one row of the stage. \param side_rows  rows of each side.
  work of_row(const std::vector<double>& side_rows) const;
};

}  // namespace pappus::cost
