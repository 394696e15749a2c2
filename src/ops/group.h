// What the files of group_by share: group.cpp (the operator), group_dense.cpp (known domains) and
// group_hash.cpp (unknown ones).
#pragma once

#include <memory>
#include <vector>

#include "ops/blocks.h"
#include "ops/core/group_table.h"
#include "ops/core/partition.h"
#include "ops/core/strings.h"
#include "ops/operator.h"
#include "pappus/detail/loops/group.h"

namespace pappus::ops {

using detail::group_params;

/// Rows are partitioned this many bytes at a time and folded before the next come: what is moved
/// stays moderate, and its memory is used again and again. Where it ends can't change a result.
inline constexpr std::size_t group_store_bytes = std::size_t{128} << 20;

/// Rows extracted by one worker, a batch at a time. Keys arrive as bits, strings as their ids.
class group_feeder : detail::group_batch {
 public:
  /// \param strings  numbers the keys where they are strings, else null.
  group_feeder(const run_context& context, const group_params& params, string_ids* strings);

  /// Calls f(keys, values, n) for rows [begin, end) of the window, in order, n <= 512.
  template <typename F>
  void feed(std::int64_t begin, std::int64_t end, F&& f) {
    consumer_ = &f;
    consume_ = [](void* consumer, const std::byte* bits, const std::byte* values, std::size_t n) {
      (*static_cast<std::remove_reference_t<F>*>(consumer))(bits, values, n);
    };
    for_each_block(context_, begin, end, [&](const detail::block_args& args) {
      params_.extract(context_.node.stage.element.get(), args, *this);
    });
  }

 private:
  void hand_on(const std::byte* values, std::size_t n);

  const run_context& context_;
  const group_params& params_;
  string_ids* strings_;
  detail::block memory_;
  std::vector<std::uint32_t> ids_;
  void* consumer_ = nullptr;
  void (*consume_)(void*, const std::byte*, const std::byte*, std::size_t) = nullptr;
};

/// Bytes of a key as bits.
inline std::size_t bits_bytes(const group_params& params) {
  return params.strings ? sizeof(std::uint32_t) : params.key_bytes;
}

/// How rows of a window are shared out for partitioning: ranges of a few items a worker.
struct group_ranges {
  unsigned count;
  std::int64_t rows_each;
  group_ranges(const run_context& context, std::int64_t rows);
};

/// Partitions rows [begin, end) of the window: each worker's rows go to `into`, whose number of
/// ranges is `ranges.count`.
void partition_rows(const run_context& context, const group_params& params, string_ids* strings,
                    std::int64_t begin, std::int64_t end, const group_ranges& ranges,
                    const partition_function& function, block_partition& into);

/// A grouped reduction under way. Takes the rows window by window.
class group_run {
 public:
  virtual ~group_run() = default;
  virtual void take(run_context& context) = 0;
  /// Writes all groups to the output.
  virtual void finish(run_context& context) = 0;
};

std::unique_ptr<group_run> make_dense_group_run(run_context& context);
std::unique_ptr<group_run> make_hash_group_run(run_context& context);

/// What these need beside the output, bytes.
double dense_group_scratch(const group_params& params, double rows);
double hash_group_scratch(const group_params& params, double rows, double groups);

}  // namespace pappus::ops
