// A fused stage without its types.
//
// The public templates fuse operators into one element function and compile the loops over it in
// the user's translation unit. All the engine sees are the structs below: which nodes feed the
// stage, how many records come out per record, and function pointers that run a block of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/detail/base/device.h"
#include "pappus/detail/base/glue.h"
#include "pappus/detail/base/layout.h"

namespace pappus::detail {

struct node;  // defined in src/graph/
using node_ptr = std::shared_ptr<const node>;
class workers;  // parallel.h

/// Data that a stage sees whole: `count` shared records, or a join's index (`data` is a join_side).
struct side {
  const void* data = nullptr;
  std::int64_t count = 0;
};

/// A block of consecutive rows. Input pointers are already at the block's first row.
struct block_args {
  const std::byte* const* inputs = nullptr;
  const side* sides = nullptr;
  std::int64_t row = 0;           ///< number of the first row, counted over the whole stage
  std::int64_t rows = 0;          ///< at most block_rows_max
  const workers* team = nullptr;  ///< to poll stopping(), where a row may yield very many records
};

/// The most rows of a block. Loops are called once per block, so that a query can be cancelled
/// between blocks and loops' buffers stay in L1.
inline constexpr std::int64_t block_rows_max = 4096;

/// Records that come out per record that goes in.
enum class cardinality : std::uint8_t {
  one,          ///< a map: rows keep their places
  at_most_one,  ///< a filter
  any,          ///< a flat_map, a join
};

constexpr cardinality combine(cardinality a, cardinality b) { return a > b ? a : b; }

/// One operator inside a fused stage. Equal ids mean the same call in the user's program.
struct op_label {
  std::string_view name;
  std::uint64_t id = 0;
  cardinality yields = cardinality::one;  ///< its own, whatever comes before it
};

/// Adds a block's rows to counts[0], and to counts[k] the records that the k-th operator yields for
/// them, of those whose cardinality isn't `one`.
using count_loop = void (*)(const void* element, const block_args& args, std::int64_t* counts);

/// Who counts the records between a stage's operators, for explain_analyze, and who asks its joins
/// for the rows of a block without doing anything else.
struct operator_counts {
  count_loop loop = nullptr;   ///< null: nobody
  int operators = 0;           ///< that it counts; a further one yields the stage's rows
  count_loop joins = nullptr;  ///< ends with the last join; null: there is none
  int up_to_joins = 0;         ///< operators that this one counts
};

/// A fused element function and what feeds it. Programs copy and destroy it wherever they build a
/// query, so copying and destroying are compiled in the library, not in each of these places.
struct stage_spec {
  stage_spec();
  stage_spec(const stage_spec&);
  stage_spec(stage_spec&&) noexcept;
  stage_spec& operator=(const stage_spec&);
  stage_spec& operator=(stage_spec&&) noexcept;
  ~stage_spec();

  std::vector<node_ptr> inputs;  ///< read in step: row i of each together
  std::vector<node_ptr> sides;   ///< each call sees all of their rows
  std::int64_t rows = -1;        ///< of session::range(); -1: the stage has none
  cardinality yields = cardinality::one;
  bool batched = false;  ///< some function of it takes blocks of records
  std::vector<op_label> ops;
  std::string devices{};  ///< where the user wants it to run: "cpu", "opencl:0"; empty: anywhere
  std::shared_ptr<const void> element;  ///< the expression: captured lambdas by value
  describe_element describe = nullptr;  ///< of `element`, for devices; null: they can't run it
  operator_counts counts{};
};

/// Whether two stages with elements of one type are made by the same calls: their elements are
/// copies of each other.
bool are_one_chain(const stage_spec& a, const stage_spec& b) noexcept;

/// Where a loop puts records when their number isn't known beforehand.
struct out_rows {
  std::byte* cursor = nullptr;
  std::byte* end = nullptr;
  void (*grow)(out_rows& self) = nullptr;  ///< makes room for at least one more record at `cursor`
  bool past_caches = false;                ///< write past the caches; if each row yields one record
};

/// Writes the records of a block. `out` has room for args.rows records, unless a row may yield any
/// number of them.
using write_loop = void (*)(const void* element, const block_args& args, out_rows& out);

/// A reducer without its types. States are trivially copyable.
struct reduce_kernel {
  std::string_view name;
  std::size_t state_size = 0, state_align = 1;
  bool states_may_point = true;  ///< to text of records
  record_type result;
  void (*init)(const void* context, std::byte* state) = nullptr;
  void (*merge)(const void* context, std::byte* into, const std::byte* from) = nullptr;
  void (*finish)(const void* context, const std::byte* state, std::byte* result) = nullptr;
  /// True when no further row can change the state (any, all, first); null when that never happens.
  bool (*saturated)(const std::byte* state) = nullptr;
  std::shared_ptr<const void> context;  ///< the reducer's prototype
  bool commutative = false;             ///< records, and states, may come in any order
  int lanes = 1;                        ///< reducers in a state, one behind the other
  std::size_t lane_bytes = 0;           ///< of each of these
  int row_lanes = 1;  ///< behind a filter row r takes lane r mod row_lanes; 1: it doesn't matter
};

/// Accumulates a block into a state.
using fold_loop = void (*)(const void* element, const block_args& args, std::byte* state);

}  // namespace pappus::detail
