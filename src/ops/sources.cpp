// Nodes that hand on rows which exist already: memory, files (their rows are read by run/), slices
// and concatenations of other nodes' rows.
#include <algorithm>

#include "ops/operator.h"
#include "ops/registry.h"
#include "pappus/error.h"

namespace pappus::ops {
namespace {

using detail::row_set;
using detail::rows_ptr;

/// No work of its own.
class view_entry : public operator_entry {
 public:
  footprint size(const graph::node&, double, double) const override { return {}; }
  std::span<const phase> phases(const graph::node&) const override { return {}; }
};

class memory_entry final : public view_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound&) const override {
    return graph::bound::exactly(n.as<detail::memory_params>().rows->rows());
  }
  rows_ptr rows_of(const graph::node& n, std::span<const rows_ptr>) const override {
    return n.as<detail::memory_params>().rows;
  }
};

class slice_entry final : public view_entry {
 public:
  bool streams(const graph::node&) const override { return true; }
  bool may_stop_early(const graph::node& n) const override {
    return n.as<detail::slice_params>().take != INT64_MAX;
  }
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    const auto& params = n.as<detail::slice_params>();
    if (input.known == graph::bound::certainty::unknown)
      return params.take == INT64_MAX ? input : graph::bound::at_most(params.take);
    return {std::min(std::max<std::int64_t>(input.rows - params.skip, 0), params.take),
            input.known};
  }
  rows_ptr rows_of(const graph::node& n, std::span<const rows_ptr> inputs) const override {
    const auto& params = n.as<detail::slice_params>();
    if (params.skip == 0 && params.take >= inputs.front()->rows()) return inputs.front();
    return slice_of(params, inputs.front(), 0);
  }
};

class concat_entry final : public view_entry {
 public:
  // The planner adds up the inputs of a concatenation; see plan/bounds.cpp.
  graph::bound output_rows(const graph::node&, const graph::bound& input) const override {
    return input;
  }
  rows_ptr rows_of(const graph::node& n, std::span<const rows_ptr> inputs) const override {
    auto rows = std::make_shared<row_set>(n.out);
    for (const auto& input : inputs) {
      for (const auto& chunk : input->chunks()) rows->append(chunk.data, chunk.rows);
      rows->hold(input);
      rows->keep_owners_of(*input);
    }
    return rows;
  }
};

class file_entry final : public view_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound&) const override {
    const auto rows = n.as<detail::file_params>().rows;
    return rows < 0 ? graph::bound::unknown() : graph::bound::exactly(rows);
  }
  footprint size(const graph::node& n, double, double rows_out) const override {
    const double bytes = rows_out * static_cast<double>(n.out.size);
    return {.read = n.as<detail::file_params>().bytes, .written = bytes, .output = bytes};
  }
};

/// Has rows only while its loop runs: they are bound to it.
class placeholder_entry final : public view_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::unknown();
  }
  rows_ptr rows_of(const graph::node&, std::span<const rows_ptr>) const override {
    throw usage_error(
        "do_while: the state was used outside the loop's body; return what is needed from the "
        "body, or use the result of do_while");
  }
};

}  // namespace

rows_ptr slice_of(const detail::slice_params& params, const rows_ptr& from,
                  std::int64_t first_row) {
  auto rows = std::make_shared<row_set>(from->layout());
  const std::int64_t begin = std::clamp<std::int64_t>(params.skip - first_row, 0, from->rows());
  const std::int64_t end =
      begin + std::min(rows_wanted(params, first_row + begin), from->rows() - begin);
  for (std::size_t i = from->find(begin); begin < end && i < from->chunks().size(); ++i) {
    const auto& chunk = from->chunks()[i];
    const std::int64_t low = std::max(begin, chunk.first),
                       high = std::min(end, chunk.first + chunk.rows);
    if (low >= high) break;
    rows->append(chunk.data + static_cast<std::size_t>(low - chunk.first) * from->layout().size,
                 high - low);
  }
  rows->hold(from);
  rows->keep_owners_of(*from);
  return rows;
}

std::int64_t rows_wanted(const detail::slice_params& params, std::int64_t first_row) {
  if (params.take > INT64_MAX - params.skip) return INT64_MAX;
  return std::max<std::int64_t>(params.skip + params.take - first_row, 0);
}

const operator_entry& file_operator() {
  static const file_entry entry;
  return entry;
}
const operator_entry& placeholder_operator() {
  static const placeholder_entry entry;
  return entry;
}
const operator_entry& memory_operator() {
  static const memory_entry entry;
  return entry;
}
const operator_entry& slice_operator() {
  static const slice_entry entry;
  return entry;
}
const operator_entry& concat_operator() {
  static const concat_entry entry;
  return entry;
}

}  // namespace pappus::ops
