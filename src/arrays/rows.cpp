#include "arrays/rows.h"

#include <fmt/format.h>

#include "arrays/leases.h"
#include "regions/parts.h"

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

detail::rows_ptr rows_in(const image& array, const storage_ptr& elements,
                         const regions::box& where) {
  auto owner = kept_in_memory(array, elements, where, {.writes = false},
                              fmt::format("rows of {}", text(array)));
  auto rows = std::make_shared<detail::row_set>(array.element);
  const auto place = place_of(array, *elements, where);
  regions::each_row(relative(where, where), [&](const regions::box& row) {
    rows->append(address_in(place, row.low, row.rank, array.element.size), row.volume());
  });
  rows->keep(std::move(owner));
  return rows;
}

const graph::operator_entry& rows_operator() {
  static const rows_entry entry;
  return entry;
}

}  // namespace pappus::arrays
