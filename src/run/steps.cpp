#include "run/steps.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "regions/parts.h"
#include "regions/steps.h"

namespace pappus::run {
namespace {

/// The index behind `at` at which the next element's turn comes.
std::int64_t next_step(const regions::steps& of, std::int64_t at) {
  const auto since = (at - of.first) % of.length;
  return at + of.length - (since < 0 ? since + of.length : since);
}

/// Elements from that of a row's first index to that of its last.
std::int64_t steps_in(const regions::box& row, const regions::steps& of) {
  const auto last = row.rank - 1;
  const auto next = next_step(of, row.low[last]);
  return row.high[last] <= next ? 0 : (row.high[last] - 1 - next) / of.length + 1;
}

/// Elements of the first indices of a box's rows. Along the last dimension of the index only the
/// stepping one of the array's changes, which rows have in common.
class first_elements {
 public:
  first_elements(const arrays::access& access, const regions::steps& steps,
                 const regions::box& rows)
      : others_(access.formulas), stepping_(steps.array_dimension) {
    auto start = rows;
    for (std::size_t d = 0; d < rows.rank; ++d) start.high[d] = rows.low[d] + 1;
    first_ = regions::only_element(access.formulas, start, {});
    if (first_) others_.slices[stepping_] = {(*first_)[stepping_], (*first_)[stepping_]};
  }

  /// None: it isn't known.
  std::optional<regions::point> of(regions::box row) const {
    if (!first_) return std::nullopt;
    row.high[row.rank - 1] = row.low[row.rank - 1] + 1;
    return regions::only_element(others_, row, {});
  }

 private:
  regions::access others_;  // with a number in the place of the stepping one's formula
  std::size_t stepping_;
  std::optional<regions::point> first_;
};

}  // namespace

void run_rows_in_steps(const arrays::launch& of, const plan::stage& stage,
                       const regions::box& indices, std::span<const detail::view_place> places) {
  const auto& access = of.accesses[*stage.stepping];
  const auto& reduced = of.arguments[access.argument];
  const auto elements = arrays::relative(reduced.part, reduced.part);
  const auto all = arrays::numbers_of(of.indices);
  const auto last = indices.rank - 1;
  std::vector<detail::view_place> own(places.begin(), places.end());
  const auto& place = places[access.argument];
  const first_elements firsts(access, stage.steps, indices);
  regions::each_row(indices, [&](const regions::box& row) {
    const auto first = firsts.of(row);
    auto final = first;
    if (final) (*final)[stage.steps.array_dimension] += steps_in(row, stage.steps);
    detail::element_steps steps;
    own[access.argument] = place;
    // Elements that aren't there the function leaves out: their states aren't to be copied.
    if (first && final && contains(elements, *first) && contains(elements, *final)) {
      own[access.argument].elements =
          arrays::address_in(place, *first, elements.rank, reduced.array->element.size);
      steps = {next_step(stage.steps, row.low[last]), stage.steps.length,
               place.strides[stage.steps.array_dimension]};
    }
    const auto box = arrays::numbers_of(row);
    of.loop(
        of.function.get(),
        {.indices = box, .all = all, .views = own.data(), .independent = false, .steps = steps});
  });
}

}  // namespace pappus::run
