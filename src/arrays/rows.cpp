#include "arrays/rows.h"

namespace pappus::arrays {
namespace {

class rows_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound&) const override {
    return graph::bound::exactly(n.as<rows_params>().rows);
  }
  graph::traffic bytes(const graph::node&, double, double) const override { return {}; }
  detail::rows_ptr rows_of(const graph::node& n, std::span<const detail::rows_ptr>) const override {
    return n.as<rows_params>().get();
  }
};

}  // namespace

const graph::operator_entry& rows_operator() {
  static const rows_entry entry;
  return entry;
}

}  // namespace pappus::arrays
