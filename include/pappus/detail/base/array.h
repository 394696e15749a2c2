// How the public templates of arrays ask the library: arrays without their element types, launches
// as typed loops behind pointers.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <source_location>
#include <string>
#include <vector>

#include "pappus/detail/base/access_check.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/base/view.h"

namespace pappus::arrays {
struct image;  // an array's elements and what is known of them; defined in src/arrays/
}

namespace pappus {
struct array_file_options;
}

namespace pappus::detail {

inline constexpr std::size_t array_rank_max = 4;

/// Elements in any strides: std::mdspan, or what looks like one.
template <typename M>
concept mdspan_like = requires(const M& m, std::size_t d) {
  requires static_cast<std::size_t>(M::rank()) >= 1;
  m.extent(d);
  m.stride(d);
  *m.data_handle();
};

/// Names of files, as texts or std::filesystem::paths; a path itself is a range, of its folders.
template <typename Paths>
concept list_of_paths =
    std::ranges::input_range<const Paths&> && !std::convertible_to<const Paths&, std::string> &&
    std::convertible_to<std::ranges::range_reference_t<const Paths&>, std::string>;

/// Dimensions of each array in a stack of N; files of one dimension are no stack, but there mustn't
/// be index types without any to refuse them.
template <std::size_t N>
inline constexpr std::size_t rank_in_stack = N > 1 ? N - 1 : 1;

using array_numbers = std::array<std::int64_t, array_rank_max>;

/// Places p with low[d] <= p[d] < high[d].
struct array_box {
  std::size_t rank = 0;
  array_numbers low{}, high{};
};

/// What a handle refers to: all of an array or a box of it.
struct array_part {
  session_ptr session;
  std::shared_ptr<arrays::image> image;
  array_box box;
};

/// Where a view's elements lie, in memory of the machine that runs the launch.
struct view_place {
  std::byte* elements;  ///< of index 0 in each dimension
  array_numbers extents, strides;
  value_bins* bins = nullptr;  ///< where what is reduced is put aside; null: it isn't
};

/// Elements in the host's memory, and what keeps them there.
struct host_elements {
  view_place place;
  std::shared_ptr<const void> owner;
};

/// Throws usage_error: a formula's numbers don't fit into 64 bits.
[[noreturn]] void refuse_formula(std::int64_t sum, std::int64_t number, std::int64_t times);

/// Elements that a row of indices reduces into one after another: the view that reduces stands for
/// the first one.
struct element_steps {
  std::int64_t next = 0;    ///< the index at which the second one's turn comes
  std::int64_t length = 0;  ///< indices of each further one; 0: the view is like others
  std::int64_t stride = 0;  ///< to the next one, in elements
};

/// Rows of indices that all reduce into the same elements: a view that reduces stands for the one
/// of the first index. Indices that differ behind the dimension that rows share elements along have
/// elements of their own.
struct shared_elements {
  bool any = false;
  std::size_t along = 0;    ///< the dimension of the index in which the rows differ, not the last
  array_numbers strides{};  ///< from an element to that of the next index along each dimension
  /// Rows have 2 to narrow_rows_max indices, and rows that follow each other along the dimension
  /// before the last are one: what they touch follows each other, too. Views of several dimensions
  /// but the reduced one have strides of as many there. `along` is another dimension.
  bool narrow = false;
};
inline constexpr std::int64_t narrow_rows_max = 4;

/// What a launch's loop is called with: a box of its indices, all of which it runs.
struct launch_args {
  const array_box& indices;
  const array_box& all;     ///< of the launch: what an index's number refers to
  const view_place* views;  ///< one for each parameter
  bool independent = true;  ///< along the last dimension no two indices change the same element
  /// Views, as bits, of which an element has reduction_lanes states; then `indices` are one row, or
  /// rows that share no such element.
  std::uint32_t lanes = 0;
  access_checker* checks = nullptr;  ///< null: accesses aren't checked
  /// What is written but not read goes past the caches, where the loop is compiled for that; who
  /// calls it then orders what it stores (algorithms::stream_fence) before what follows.
  bool past_caches = false;
  /// Of a launch whose only view that reduces changes its element along a row now and then; then
  /// `indices` are one row, or rows that share their elements.
  element_steps steps{};
  /// Of a launch whose views that reduce have other elements for each index of a row, but where
  /// there are steps, one after another. Several views have the same elements of arrays of the same
  /// strides, and no steps.
  shared_elements shared{};
};
using launch_loop = void (*)(const void* function, const launch_args& args);

/// How partial results of a launch become one; without functions: nothing is reduced.
struct array_reduction {
  /// Makes n states that stand for no values.
  void (*start)(std::byte* states, std::int64_t n) = nullptr;
  void (*merge)(std::byte* into, const std::byte* from, std::int64_t n) = nullptr;
  const char* name = "";  ///< "+", "min", "max", as in annotations; of others empty
  /// Merges the sum of an element's lanes; null: the view has none.
  void (*merge_lanes)(std::byte* into, const std::byte* lanes, std::int64_t n) = nullptr;
  bool commutative = false;  ///< values and states may come in any order
  /// Merges n states into those at these places behind one.
  void (*merge_at)(std::byte* into, const std::uint32_t* places, const std::byte* from,
                   std::int64_t n) = nullptr;
};

/// constant + Σ factors[d]·index[d].
struct array_formula {
  std::int64_t constant = 0;
  array_numbers factors{};
};
/// Elements along one dimension, both ends inclusive.
struct array_slice {
  array_formula low, high;
  bool whole = false;  ///< all of them
};

/// A parameter of a launched function, with its argument.
struct view_argument {
  array_part array;
  view_access access = view_access::read;
  record_type element;
  std::vector<array_slice> slices;  ///< that the user says are touched; none: the user doesn't say
  array_reduction reduction;
};

/// An annotation of the user's (launch.h).
struct given_footprint {
  struct value {
    std::string name;
    std::int64_t is;
  };
  std::string text;  ///< empty: none was given
  std::vector<value> values;
};

struct launch_request {
  array_box indices;
  std::shared_ptr<const void> function;  ///< a copy of the user's
  std::size_t function_bytes = 0;        ///< 0: it captures nothing
  const char* function_type = "";
  const char* descriptor = nullptr;  ///< what the compiler plugin left; null: nothing
  given_footprint annotation;
  launch_loop loop = nullptr;
  bool checks_access = false;  ///< the loop can
  std::vector<view_argument> views;
  std::source_location where;
};

/// An array nobody has written to. Throws usage_error, memory_error.
array_part make_array(const session_ptr& session, record_type element, const array_box& extents);
/// An array whose elements have this value, one record; null: bytes of 0. They are written when
/// somebody reads them.
array_part make_filled_array(const session_ptr& session, record_type element,
                             const array_box& extents, const void* value);
/// The elements of a part; afterwards they are written. Throws usage_error.
void fill_array(const array_part& part, const void* value);
/// Throws usage_error unless there are as many elements as the extents say.
void check_array_elements(std::int64_t elements, const array_box& extents);
/// A new array with the part's elements.
array_part copy_array(const array_part& part);
/// `array`, where low and high are relative to its first element. Throws usage_error where it
/// isn't within the array.
array_part slice_array(const array_part& array, const array_box& where);

/// Notes the launch, which runs later, at the latest when somebody waits for what it writes. Throws
/// usage_error for what can't be right.
void launch(const session_ptr& session, launch_request request);

/// Blocks until all launches so far have written the part's elements. Returns where they lie.
/// Throws launch_error if one of them failed, usage_error if nobody wrote them.
host_elements read_array(const array_part& part);
/// Calls run(first, end) for parts of n elements of an array: by all workers, if there are many.
/// Throws what it throws, and cancelled.
void in_parts(const array_part& array, std::int64_t n, std::size_t element_bytes,
              const std::function<void(std::int64_t first, std::int64_t end)>& run);
/// Blocks until no launch so far reads or writes them; from now on they are written.
host_elements write_array(const array_part& part);
/// A collection's node over the elements of a part, as they are after the launches so far.
node_ptr rows_of_array(const array_part& part);
/// Makes a node that hands the rows on, a window at a time.
using deliver_maker = std::function<node_request(std::shared_ptr<deliver_params>)>;
/// An array of the rows, which stay where they are if nobody else has them and memory has room for
/// them; else they are copied to it. Throws memory_error, spill_error and what the query throws.
array_part array_of_rows(const session_ptr& session, const node_ptr& rows,
                         const deliver_maker& make_reader);

/// What is written of elements: they themselves, or what becomes of them.
struct written_elements {
  record_layout layout;
  /// Of so many; null: they are written as they are.
  void (*finalise)(const std::byte* elements, std::byte* results, std::int64_t n) = nullptr;
};
/// An array in a file, of which no element is read. Throws format_error, usage_error.
/// \param wanted  its rank, and its extents where they are `told`
array_part open_array(const session_ptr& session, record_type element, const record_layout& layout,
                      const std::string& path, const array_box& wanted, bool told);
/// Arrays in files of equal extents, stacked along a new slowest dimension. Throws as open_array().
/// \param wanted  of one file
array_part open_stack(const session_ptr& session, record_type element, const record_layout& layout,
                      const std::vector<std::string>& paths, const array_box& wanted, bool told);
/// Writes a part to a file. Blocks. Throws as read_array() does, and format_error, usage_error.
void write_array_file(const array_part& part, const written_elements& what, const std::string& path,
                      const array_file_options& how);

/// What the launches that haven't run will do.
std::string explain_launches(const session_ptr& session, explain_format format);
/// Blocks until all launches so far have run. Throws the first failure that nobody was told.
void wait_for_launches(const session_ptr& session);

}  // namespace pappus::detail
