// The untyped half of a join's probe: from keys to pairs of rows.
//
// A look-up yields, for each record of the batch, how many rows match and where they are. Pairs are
// then listed without a branch per record where that is possible: when all match once, when none
// matches more than once; else run by run.
#include <algorithm>
#include <array>

#include "algorithms/join_index.h"
#include "cpu_ops/text_index.h"
#include "levels/kernels.h"

namespace pappus::cpu_ops {
namespace {

using namespace algorithms;

using detail::join_batch;
using detail::join_kind;

constexpr auto every_row = [] {
  std::array<std::uint32_t, join_batch::rows_max> rows{};
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
  return rows;
}();

template <typename Key>
void find_consecutive(const join_index& index, const Key* keys, join_batch& batch) {
  bool beyond = false;
  for (std::size_t i = 0; i < batch.rows; ++i) {
    batch.first[i] = keys[i] - index.base;  // wraps for keys below the base
    beyond |= batch.first[i] >= index.rows;
  }
  batch.all_once = !beyond;
  if (batch.all_once) return;
  for (std::size_t i = 0; i < batch.rows; ++i) batch.count[i] = batch.first[i] < index.rows ? 1 : 0;
}

void find_rows(const join_index& index, const void* keys, join_batch& batch) {
  if (index.rows == 0) {
    std::fill_n(batch.count, batch.rows, 0);
  } else if (index.keys.strings) {
    find_texts(index, static_cast<const detail::text_key*>(keys), batch);
  } else if (!index.consecutive) {
    index.table->probe(static_cast<const std::byte*>(keys), batch.rows, batch.first, batch.count);
  } else if (index.keys.bytes == 4) {
    find_consecutive(index, static_cast<const std::uint32_t*>(keys), batch);
  } else {
    find_consecutive(index, static_cast<const std::uint64_t*>(keys), batch);
  }
}

/// One pair per record.
std::size_t all_pairs(join_batch& batch) {
  batch.left = every_row.data();
  batch.right = batch.first;
  batch.next_row = batch.rows;
  return batch.rows;
}

/// At most one pair per record: all at once.
std::size_t single_pairs(join_batch& batch, bool when_found) {
  std::uint8_t keep[join_batch::rows_max];
  for (std::size_t i = 0; i < batch.rows; ++i) keep[i] = (batch.count[i] != 0) == when_found;
  const auto n = static_cast<std::int64_t>(batch.rows);
  const levels::kernels& kernels = levels::own();
  kernels.compress_64(batch.first, keep, n, batch.right_rows);
  const std::int64_t pairs = kernels.compress_32(every_row.data(), keep, n, batch.left_rows);
  batch.left = batch.left_rows;
  batch.right = batch.right_rows;
  batch.next_row = batch.rows;
  return static_cast<std::size_t>(pairs);
}

/// One pair per record, whether it has a match or not.
std::size_t outer_pairs(join_batch& batch) {
  static_assert(join_batch::no_row == ~std::uint64_t{0});
  for (std::size_t i = 0; i < batch.rows; ++i)  // nobody can guess which have one
    batch.right_rows[i] = batch.first[i] | -std::uint64_t{batch.count[i] == 0};
  batch.left = every_row.data();
  batch.right = batch.right_rows;
  batch.next_row = batch.rows;
  return batch.rows;
}

/// Pairs of records with any number of matches, as many as there is room for.
std::size_t many_pairs(const join_index& index, join_batch& batch) {
  std::size_t pairs = 0;
  batch.left = batch.left_rows;
  batch.right = batch.right_rows;
  while (batch.next_row < batch.rows && pairs < join_batch::rows_max) {
    const std::size_t i = batch.next_row;
    const std::uint64_t count = batch.count[i];
    const std::uint64_t n =
        std::min<std::uint64_t>(count - batch.next_match, join_batch::rows_max - pairs);
    for (std::uint64_t k = 0; k < n; ++k) {
      batch.left_rows[pairs + k] = static_cast<std::uint32_t>(i);
      batch.right_rows[pairs + k] =
          count == 1 ? batch.first[i] : index.table->row(batch.first[i] + batch.next_match + k);
    }
    pairs += n;
    batch.next_match += n;
    if (count == 0 && batch.kind == join_kind::outer) {
      batch.left_rows[pairs] = static_cast<std::uint32_t>(i);
      batch.right_rows[pairs++] = join_batch::no_row;
    }
    if (batch.next_match == count) {
      ++batch.next_row;
      batch.next_match = 0;
    }
  }
  return pairs;
}

}  // namespace
}  // namespace pappus::cpu_ops

namespace pappus::detail {

void join_probe(const join_side& side, join_kind kind, const void* keys, std::size_t n,
                join_batch& batch) {
  batch.index = side.index;
  batch.kind = kind;
  batch.rows = n;
  batch.next_row = 0;
  batch.next_match = 0;
  batch.all_once = false;
  const auto& index = *static_cast<const algorithms::join_index*>(side.index);
  if (index.listener == nullptr) return cpu_ops::find_rows(index, keys, batch);
  index.listener->hear(keys, n);
  batch.rows = 0;
}

std::size_t join_next(join_batch& batch) {
  if (batch.next_row == batch.rows) return 0;
  const auto& index = *static_cast<const algorithms::join_index*>(batch.index);
  const bool at_most_one = !index.table || index.table->unique();
  switch (batch.kind) {
    case join_kind::semi:
      if (batch.all_once) return cpu_ops::all_pairs(batch);
      return cpu_ops::single_pairs(batch, true);
    case join_kind::anti:
      if (batch.all_once) return 0;
      return cpu_ops::single_pairs(batch, false);
    case join_kind::inner:
      if (batch.all_once) return cpu_ops::all_pairs(batch);
      if (at_most_one) return cpu_ops::single_pairs(batch, true);
      break;
    case join_kind::outer:
      if (batch.all_once) return cpu_ops::all_pairs(batch);
      if (at_most_one) return cpu_ops::outer_pairs(batch);
      break;
  }
  return cpu_ops::many_pairs(index, batch);
}

}  // namespace pappus::detail
