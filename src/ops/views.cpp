// Operators that nobody runs: memory, files (whose rows run/ reads), slices and concatenations of
// other nodes' rows, the state of a loop.
#include <algorithm>
#include <utility>

#include "graph/operator_entry.h"
#include "ops/rows.h"
#include "ops/slice.h"
#include "pappus/error.h"

namespace pappus::ops {
namespace {

using detail::row_set;
using detail::rows_ptr;

/// Some of the records that others make.
class part_of_made final : public detail::record_maker {
 public:
  part_of_made(rows_ptr of, std::int64_t first) : of_(std::move(of)), first_(first) {}
  void make(std::int64_t first, std::int64_t rows, std::byte* out) const override {
    of_->maker()->make(first_ + first, rows, out);
  }
  stretch next(std::int64_t first, std::int64_t end) const override {
    const auto found = of_->maker()->next(first_ + first, first_ + end);
    return {found.end - first_, found.left_out};
  }

 private:
  const rows_ptr of_;
  const std::int64_t first_;
};

/// No work of its own.
class view_entry : public graph::operator_entry {
 public:
  graph::traffic bytes(const graph::node&, double, double) const override { return {}; }
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
  bool takes_windows(const graph::node&) const override { return true; }
  bool passes_windows_on(const graph::node&) const override { return true; }
  const detail::slice_params* slice_of(const graph::node& n) const override {
    return &n.as<detail::slice_params>();
  }
  bool may_stop_early(const graph::node& n) const override {
    return n.as<detail::slice_params>().take != INT64_MAX;
  }
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    const auto& params = n.as<detail::slice_params>();
    return graph::bound{std::max<std::int64_t>(input.rows - params.skip, 0), input.known}.limited(
        params.take);
  }
  rows_ptr rows_of(const graph::node& n, std::span<const rows_ptr> inputs) const override {
    const auto& params = n.as<detail::slice_params>();
    if (params.skip == 0 && params.take >= inputs.front()->rows()) return inputs.front();
    return sliced(params, inputs.front(), 0);
  }
};

class concat_entry final : public view_entry {
 public:
  bool adds_its_inputs() const override { return true; }
  graph::bound output_rows(const graph::node&, const graph::bound& input) const override {
    return input;
  }
  rows_ptr rows_of(const graph::node& n, std::span<const rows_ptr> inputs) const override {
    auto rows = std::make_shared<row_set>(n.out);
    for (const auto& input : inputs) rows->append(input);
    return rows;
  }
};

class file_entry final : public view_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound&) const override {
    const auto rows = n.as<detail::file_params>().rows;
    return rows < 0 ? graph::bound::unknown() : graph::bound::exactly(rows);
  }
  graph::traffic bytes(const graph::node& n, double, double rows_out) const override {
    const double output = output_bytes(n, rows_out);
    return {.read = n.as<detail::file_params>().bytes, .written = output, .output = output};
  }
  bool passes_windows_on(const graph::node&) const override { return true; }
  const detail::file_params* file_of(const graph::node& n) const override {
    return &n.as<detail::file_params>();
  }
};

/// Has rows only while its loop runs: they are bound to it.
class loop_state_entry final : public view_entry {
 public:
  bool is_loop_state() const override { return true; }
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

rows_ptr part_of(const rows_ptr& rows, std::int64_t first, std::int64_t count) {
  detail::slice_params part;
  part.skip = first;
  part.take = count;
  return sliced(part, rows, 0);
}

rows_ptr sliced(const detail::slice_params& params, const rows_ptr& window,
                std::int64_t first_row) {
  const std::int64_t begin = std::clamp<std::int64_t>(params.skip - first_row, 0, window->rows());
  const std::int64_t end =
      begin + std::min(rows_wanted(params, first_row + begin), window->rows() - begin);
  auto rows =
      window->maker() == nullptr
          ? std::make_shared<row_set>(window->layout())
          : std::make_shared<row_set>(window->layout(),
                                      std::make_shared<part_of_made>(window, begin), end - begin);
  for (std::size_t i = window->find(begin); begin < end && i < window->chunks().size(); ++i) {
    const auto& chunk = window->chunks()[i];
    const std::int64_t low = std::max(begin, chunk.first),
                       high = std::min(end, chunk.first + chunk.rows);
    if (low >= high) break;
    rows->append(chunk.data + static_cast<std::size_t>(low - chunk.first) * window->layout().size,
                 high - low);
  }
  if (rows->rows() == window->rows()) rows->know_missing_of(*window);
  rows->hold(window);
  rows->keep_owners_of(*window);
  return rows;
}

std::int64_t rows_wanted(const detail::slice_params& params, std::int64_t first_row) {
  if (params.take > INT64_MAX - params.skip) return INT64_MAX;
  return std::max<std::int64_t>(params.skip + params.take - first_row, 0);
}

}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& file_operator() {
  static const ops::file_entry entry;
  return entry;
}
const graph::operator_entry& loop_state_operator() {
  static const ops::loop_state_entry entry;
  return entry;
}
const graph::operator_entry& memory_operator() {
  static const ops::memory_entry entry;
  return entry;
}
const graph::operator_entry& slice_operator() {
  static const ops::slice_entry entry;
  return entry;
}
const graph::operator_entry& concat_operator() {
  static const ops::concat_entry entry;
  return entry;
}

}  // namespace pappus::detail
