// Runs random programs over arrays, step by step: each step is done by Pappus, and to shadows by
// sequential code, which also predicts whether Pappus has to refuse or to fail.
//
// A step is a number. What it does is drawn from that number and from the arrays that there are, so
// a program from which steps are dropped is a program.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "grid_functions.h"

namespace pappus::testing {

struct program {
  unsigned threads = 1;
  bool eager = false;
  std::string devices = "cpu";
  std::int64_t item_indices = 0;  ///< 0: as planned
  bool in_turns = false;          ///< wherever that is allowed
  bool in_bins = false;           ///< the same of values that are put aside
  bool on_disk = false;           ///< arrays lie there whenever nobody needs them
  std::vector<std::uint64_t> steps;
};

/// Thrown where Pappus did what the shadows don't.
class difference : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : engine_(seed) {}
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool once_in(std::int64_t n) { return from(1, n) == 1; }
  std::uint64_t seed() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// What must happen to a call.
struct prediction {
  bool left_out = false;  ///< its results would have no certain values
  bool refused = false;
  std::uint8_t marks = 0;  ///< of what it writes
  struct written {
    std::shared_ptr<shadow> image;
    regions::box where;
  };
  std::vector<written> writes{};
};

prediction predict(const menu_entry& what, const regions::box& indices, bool annotate,
                   const numbers& captured, const std::vector<handle>& on);

class interpreter {
 public:
  /// \param large  arrays have several thousand elements
  explicit interpreter(session& on, bool large = false) : session_(on), large_(large) {}

  /// Throws difference.
  void step(std::uint64_t seed);
  /// Compares all elements.
  void finish();
  /// Takes note of failures, which would be printed at the session's end.
  void be_told();
  const std::vector<std::string>& log() const { return log_; }

 private:
  struct rows {
    collection<number> real;
    std::vector<number> values;
    std::uint8_t marks;
    std::string name;
  };

  void make_array(random_numbers& random, std::size_t at);
  void launch(random_numbers& random);
  void fill(random_numbers& random);
  void copy(random_numbers& random);
  void look(const handle& at);
  void write(random_numbers& random);
  void make_rows(random_numbers& random);
  void look_at_rows(random_numbers& random);
  void rows_to_array(random_numbers& random);
  void explain();
  void cancel();
  void wait();
  void two_threads(random_numbers& random);
  void basic_step(random_numbers& random);

  handle any_part(random_numbers& random, std::size_t rank);
  std::string new_name() { return fmt::format("{}{}", prefix_, ++names_); }
  template <typename F>
  void expect(std::uint8_t marks, bool refused, F&& call);

  session& session_;
  const bool large_;
  std::string prefix_ = "a";
  std::vector<handle> arrays_;
  std::vector<rows> rows_;
  std::vector<std::string> log_;
  int names_ = 0;
  bool disturbed_ = false;  // something failed or was cancelled, which wait() may tell
};

inline regions::box random_part(random_numbers& random, const regions::box& of) {
  regions::box result = of;
  for (std::size_t d = 0; d < of.rank; ++d) {
    if (random.once_in(2) || of.high[d] == 0) continue;
    result.low[d] = random.from(0, of.high[d] - 1);
    result.high[d] = random.from(result.low[d] + (random.once_in(20) ? 0 : 1), of.high[d]);
  }
  return result;
}

/// The elements that indices name, clipped to the array; none, where they name none of it.
struct hull {
  regions::box where;
  bool outside = false;
};
inline hull clipped(const regions::box& all, const handle& array) {
  const auto inside = regions::intersect(all, array.extents());
  return {inside.empty() ? regions::box(array.rank()) : array.absolute(inside),
          !all.empty() && inside.empty()};
}
inline hull hull_of(const named_access& one, const regions::box& indices, const numbers& captured,
                    const handle& array) {
  if (!one.of) return {array.part, false};
  regions::box all(array.rank());
  each_place(indices, [&](const regions::point& at) {
    const auto some = one.of(at, captured);
    if (some.empty()) return;
    all = all.empty() ? some : regions::hull(all, some);
  });
  return clipped(all, array);
}

/// What an argument's access is taken to be.
struct effective_access {
  bool reads, writes, checked, covers, whole;
  hull elements;
};
inline effective_access effective(const menu_entry& what, const named_access& one,
                                  const regions::box& indices, bool annotate,
                                  const numbers& captured, const std::vector<handle>& on) {
  const auto& array = on[one.argument];
  const auto view = what.views[one.argument];
  const bool inferred = !annotate && infers;
  const bool by_box = inferred && one.inferred;
  const bool whole = !(annotate || inferred) || (!one.of && !by_box);
  effective_access result{
      // Whether all elements are written isn't inferred: what is outside is left out.
      .reads = annotate ? one.how != kind::write : true,
      .writes = annotate || inferred ? one.how != kind::read : view != detail::view_access::read,
      .checked = false,
      .covers =
          annotate && one.of && one.how == kind::write && (one.covers || indices.volume() == 1),
      .whole = whole,
      .elements = whole    ? hull{array.part, false}
                  : by_box ? clipped(one.inferred(indices, captured), array)
                           : hull_of(one, indices, captured, array)};
  result.checked = result.reads && view != detail::view_access::write;
  return result;
}

inline prediction predict(const menu_entry& what, const regions::box& indices, bool annotate,
                          const numbers& captured, const std::vector<handle>& on) {
  prediction result;
  if (indices.empty()) return result;
  std::vector<effective_access> accesses;
  for (const auto& one : what.accesses)
    accesses.push_back(effective(what, one, indices, annotate, captured, on));
  const bool fails = captured.fails && regions::contains(indices, [&] {
                       regions::point at{};
                       for (std::size_t d = 0; d < indices.rank; ++d) at[d] = captured.odd[d];
                       return at;
                     }());
  if (fails) result.marks |= failed;
  if (what.apart && indices.volume() > 1 && !what.apart(indices, captured)) {
    result.refused = annotate || infers;
    result.left_out = !result.refused;
  }
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    const auto& one = accesses[a];
    const auto& array = on[what.accesses[a].argument];
    const auto& image = *array.image;
    const auto& where = one.elements.where;
    if (array.part.empty()) return {.left_out = true};
    result.refused |= one.elements.outside || (one.writes && image.in_file);
    if (one.checked && !where.empty()) {
      if (one.whole)
        result.refused |= all_marked(image, where, unwritten);
      else
        result.refused |= (any_marks(image, where) & unwritten) != 0;
    }
    if ((one.reads && one.whole && one.checked) || (one.writes && !one.covers)) {
      const auto all_written = hull_of(what.accesses[a], indices, captured, array).where;
      const bool known = one.writes && what.accesses[a].covers && all_written == where;
      result.left_out |= !known && (any_marks(image, where) & unwritten) != 0;
    }
    if (!one.covers) result.marks |= any_marks(image, where) & (failed | cancelled);
    if (one.writes) result.writes.push_back({array.image, where});
    for (std::size_t b = 0; b < a; ++b) {
      const auto& other = on[what.accesses[b].argument];
      if (what.accesses[b].argument != what.accesses[a].argument && other.image == array.image &&
          (one.writes || accesses[b].writes))
        result.refused |= regions::overlap(where, accesses[b].elements.where);
    }
  }
  if (result.refused) result.left_out = false;
  return result;
}

/// \param marks  of what is looked at
template <typename F>
void interpreter::expect(std::uint8_t marks, bool refused, F&& call) {
  const auto differs = [&](const std::string& got) {
    throw difference(
        fmt::format("expected {}, got {}",
                    refused ? "a refusal"
                            : fmt::format("{}{}", (marks & failed) != 0 ? "a failure" : "success",
                                          (marks & cancelled) != 0 ? " or cancellation" : ""),
                    got));
  };
  try {
    call();
    if (refused || (marks & failed) != 0) differs("success");
  } catch (const usage_error& e) {
    if (!refused) differs(fmt::format("the refusal {}", e.what()));
    log_.back() += ": refused";
  } catch (const launch_error& e) {
    if (refused || (marks & failed) == 0) differs(fmt::format("the failure {}", e.what()));
    log_.back() += ": failed";
  } catch (const pappus::cancelled& e) {
    if (refused || (marks & pappus::testing::cancelled) == 0) differs("a cancellation");
    log_.back() += ": cancelled";
  }
}

/// Compares what Pappus and the shadow have.
inline void compare(const std::string& name, std::span<const number> expected,
                    std::span<const number> got) {
  if (expected.size() != got.size())
    throw difference(
        fmt::format("{}: expected {} elements, got {}", name, expected.size(), got.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != got[i])
      throw difference(
          fmt::format("{}: element {}: expected {}, got {}", name, i, expected[i], got[i]));
}

inline std::vector<number> values_of(const handle& of) {
  std::vector<number> result;
  each_place(of.part,
             [&](const auto& at) { result.push_back(of.image->values[of.image->offset(at)]); });
  return result;
}

}  // namespace pappus::testing
