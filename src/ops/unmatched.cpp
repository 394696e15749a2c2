// The rows of a join's indexed side that no row of the other has a match in.
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/detail/base/join.h"

namespace pappus::ops {
namespace {

class unmatched_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::unknown();  // at most those of the indexed side
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    return once_through(n, rows_in, rows_out);
  }
  /// A mark for each row of the indexed side.
  double scratch_of_side_row(const graph::node&, std::size_t side) const override {
    return side == 1 ? 1 : 0;
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::unmatched_on_cpu()};
  }
  double row_work(const graph::node&) const override { return 25; }  // a look-up
  bool takes_windows(const graph::node&) const override { return true; }
  std::string_view user_name() const override { return "full_join"; }
  graph::node_ptr without_whole_sides(const graph::node& n) const override {
    return n.as<detail::unmatched_params>().by_anti_join;
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& unmatched_operator() {
  static const ops::unmatched_entry entry;
  return entry;
}

}  // namespace pappus::detail
