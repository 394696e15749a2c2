// Records that begin with their keys: how sort_rows.h and sorted_runs.h see those that an operator
// makes of its rows, to have them in the order of these.
#pragma once

#include <cstddef>
#include <memory>

#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

class key_sort {
 public:
  /// \param key_bytes  of keys that are bits: 4, 8 or 16; 0: they are strings
  /// \param record     which may lie anywhere
  key_sort(const run_context& context, std::size_t key_bytes, const detail::record_type& record);

  const detail::record_type& record() const { return node_->out; }
  /// Bytes that sorting takes for each record, twice the record included, without text.
  std::size_t sorting_bytes() const;
  /// What the records point into; a set without rows.
  detail::row_set& owners() const { return *owners_; }
  /// What sorting sees of the stage. It must not outlive the stage's context.
  run_context context_of(const run_context& context) const;

 private:
  std::unique_ptr<const graph::node> node_;  // "sort by the key", which is in no graph
  std::shared_ptr<detail::row_set> owners_;
};

}  // namespace pappus::cpu_ops
