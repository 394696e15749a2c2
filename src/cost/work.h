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
  double wide = 0;          ///< the same where loops over it become loops over vectors
  double divisions = 0;     ///< and square roots
  double maths = 0;         ///< calls of exp, log, sin, ... one at a time
  double vector_maths = 0;  ///< the same by vector functions (fast floats)

  /// As so many simple instructions.
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
  /// Work that is done once for each row of these sides (one behind the other where loops are
  /// nested); for a row alone, where there is none.
  struct term {
    std::vector<std::size_t> sides{};
    work each{};
  };
  std::vector<term> terms{};
  trust how = trust::counted;
  /// Functions of <cmath> that fast floats would compute in vectors and that are called one at a
  /// time, and how often; together.
  std::set<std::string> scalar_maths{};
  double scalar_maths_calls = 0;

  /// \param side_rows  of each of the stage's sides.
  work of_row(const std::vector<double>& side_rows) const;
};

}  // namespace pappus::cost
