// A launch: a function that is called for each index of a box, and what it touches of its arrays.
//
// It is a node of the graph like any operator's, without edges: what it needs of others follows
// from what both touch, and only planning them together (plan/batch.h) tells. Nothing is noted per
// index: what a box of indices touches is computed from formulas when asked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/image.h"
#include "graph/node.h"
#include "pappus/detail/base/array.h"
#include "regions/footprint.h"
#include "regions/linear_access.h"

namespace pappus::arrays {

/// An argument of a launch.
struct argument {
  image_ptr array;
  storage_ptr elements;  ///< of the array, when the launch was called; null until it is noted
  regions::box part;     ///< in the array's numbers; views number its elements from 0
  detail::view_access view = detail::view_access::read;
  std::string name;  ///< of the parameter: "in"
  detail::array_reduction reduction{};
};

/// An access of a launch, ready to be asked.
struct access {
  std::size_t argument = 0;
  regions::access formulas;  ///< of the index alone, relative to the argument's part
  /// The same where it is linear.
  std::optional<regions::linear_access> linear;
  bool writes() const noexcept { return formulas.mode != regions::access_mode::read; }
  bool reads() const noexcept { return formulas.mode != regions::access_mode::write; }
  /// Several indices may do so with the same element.
  bool reduces() const noexcept { return formulas.mode == regions::access_mode::reduce; }
};

struct launch : detail::op_params {
  launch_number number = 0;
  regions::box indices;
  std::vector<argument> arguments;
  std::vector<access> accesses;
  std::string footprint;  ///< "read in[i-1:i+1], write out[i]", for people
  /// How it is known what it touches. `assumed`: it isn't, so its arrays count as a whole, and
  /// nothing proves that indices are independent but the user's word.
  enum class knowledge : std::uint8_t { inferred, annotated, assumed } known = knowledge::assumed;
  std::string inferred;  ///< what the plugin found, if that is more than what is said; else empty
  std::shared_ptr<const void> function;
  detail::launch_loop loop = nullptr;
  bool checks_access = false;        ///< the loop is to ask at each access (access_checks.h)
  bool takes_steps = false;          ///< the loop heeds launch_args::steps, shared
  const char* function_type = "";    ///< of the library's own: "fill", "copy", "move"
  const char* descriptor = nullptr;  ///< what the compiler plugin left; null: nothing
  std::string place;                 ///< "heat.cpp:12"; of the library's own: none
  std::uint64_t cancels = 0;  ///< the session's count at the call: when it moves, it is cancelled
  /// The library owes it to what was there before: a first value, elements that moved. It isn't
  /// cancelled with the launch that wants them.
  bool owed = false;
  /// Launches that write what it reads and whose outcome isn't known.
  std::vector<launch_number> needs;
};

const graph::operator_entry& launch_operator();
/// \param node  of a launch
inline const launch& launch_of(const graph::node& node) { return node.as<launch>(); }

/// Arguments that it reduces into.
std::vector<std::size_t> reducing_arguments(const launch& by);
/// The elements that indices touch, in the array's numbers; never too few.
regions::box touched(const launch& by, const access& one, const regions::box& indices);
/// Those that they touch of an argument, by any access.
regions::box touched(const launch& by, std::size_t argument, const regions::box& indices);
/// Bytes of these.
double bytes_touched(const launch& by, std::size_t argument, const regions::box& indices);
/// Of all arguments together.
double bytes_touched(const launch& by, const regions::box& indices);
/// A box that holds all indices that touch one of these elements.
regions::box touching(const launch& by, const access& one, const regions::box& elements);
/// Whether no two indices touch the same element through it, and all together those of a box.
regions::spread spread_of(const launch& by, const access& one);
/// Dimensions of the index, as bits, of which no two values touch the same element of an argument.
unsigned dimensions_apart(const launch& by, std::size_t argument);
/// Whether each element of the box that it touches is written, whatever it held before. Where not,
/// what was written before counts as read: some of it stays.
bool overwrites(const launch& by, const access& one);

/// How far indices that touch the same elements of an array are apart: those of `later` minus those
/// of `before`, in each dimension. Everything where an access isn't linear; nothing where none do.
std::array<regions::interval, regions::rank_max> distances(const launch& before,
                                                           const access& theirs,
                                                           const launch& later, const access& own);

/// "for_each at heat.cpp:12", "fill".
std::string text(const launch& of);
/// "[3,5]": index `number` of the launch, those along the last dimension first.
std::string index_text(const launch& of, std::int64_t number);

}  // namespace pappus::arrays
