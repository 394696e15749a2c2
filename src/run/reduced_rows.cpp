#include "run/reduced_rows.h"

#include <algorithm>
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

/// One launch's loop over some indices.
class registers {
 public:
  registers(const arrays::launch& of, const plan::reduced_rows& how,
            std::span<const detail::view_place> places)
      : launch_(of),
        how_(how),
        access_(of.accesses[how.access]),
        reduced_(of.arguments[access_.argument]),
        elements_(arrays::relative(reduced_.part, reduced_.part)),
        all_(arrays::numbers_of(of.indices)),
        place_(places[access_.argument]),
        places_(places),
        own_(places.begin(), places.end()) {
    others_ = arrays::reducing_arguments(of);
    std::erase(others_, access_.argument);
  }

  void run(const regions::box& indices) {
    if (how_.steps) return run_steps(indices);
    detail::shared_elements shared{.any = true, .along = *how_.along};
    if (!std::ranges::all_of(others_, [&](std::size_t a) { return lies_alike(a); }))
      return call(indices, {}, {});
    regions::point first{};
    for (std::size_t d = 0; d < elements_.rank; ++d) {
      const auto& formula = access_.linear->low[d];
      const auto touched = regions::over(formula, indices);
      if (touched.low < elements_.low[d] || touched.high >= elements_.high[d])
        return call(indices, {}, {});
      first[d] = regions::over(formula, regions::first_place(indices)).low;
      for (std::size_t index = 0; index < indices.rank; ++index)
        shared.strides[index] += formula.factors[index] * place_.strides[d];
    }
    shared.narrow = how_.narrow && are_narrow(indices);
    if (how_.narrow && !shared.narrow) return call(indices, {}, {});
    own_[access_.argument].elements = address(first);
    for (const auto a : others_)
      own_[a].elements = arrays::address_in(places_[a], first, elements_.rank,
                                            launch_.arguments[a].array->element.size);
    call(indices, {}, shared);
  }

 private:
  /// Whether elements of another argument that is reduced into lie as those of the first do.
  bool lies_alike(std::size_t argument) const {
    const auto& part = launch_.arguments[argument].part;
    const auto& place = places_[argument];
    return part.rank == reduced_.part.rank && arrays::relative(part, part) == elements_ &&
           std::equal(place.strides.begin(), place.strides.begin() + part.rank,
                      place_.strides.begin());
  }
  /// Whether rows of a few indices are one: what they touch goes on from one to the next.
  bool are_narrow(const regions::box& indices) const {
    const auto last = indices.rank - 1;
    const auto width = indices.extent(last);
    if (width < 2) return false;
    const auto goes_on = [&](const arrays::access& one) {
      const auto& place = own_[one.argument];
      const auto rank = launch_.arguments[one.argument].part.rank;
      if (!one.linear || (!one.reduces() && rank > 1 && place.strides[rank - 2] != width))
        return false;
      std::int64_t of_last = 0, of_narrow = 0;
      for (std::size_t d = 0; d < rank; ++d) {
        of_last += one.linear->low[d].factors[last] * place.strides[d];
        of_narrow += one.linear->low[d].factors[last - 1] * place.strides[d];
      }
      return of_narrow == width * of_last;
    };
    return std::ranges::all_of(launch_.accesses, goes_on);
  }
  /// Along the last dimension of the index only the stepping one of the array's changes, which rows
  /// have in common.
  void run_steps(const regions::box& indices) {
    auto others = access_.formulas;  // with a number in the place of the stepping one
    const auto stepping = how_.steps->array_dimension;
    if (const auto first = only_element(others, regions::first_place(indices), {}))
      others.slices[stepping] = {(*first)[stepping], (*first)[stepping]};
    regions::point extents;
    extents.fill(1);
    extents[indices.rank - 1] = 0;
    if (how_.along) extents[*how_.along] = 0;
    regions::each_part(indices, extents, [&](const regions::box& rows) {
      if (!how_.along_steps) return run_block(rows, others);
      const auto d = *how_.along;
      auto block = rows;
      for (; block.low[d] < rows.high[d]; block.low[d] = block.high[d]) {
        block.high[d] = std::min(rows.high[d], next_step(*how_.along_steps, block.low[d]));
        run_block(block, others);
      }
    });
  }

  /// Rows that share their elements, or one.
  void run_block(const regions::box& rows, const regions::access& others) {
    const auto first = only_element(others, regions::first_place(rows), {});
    auto final = first;
    if (final) (*final)[how_.steps->array_dimension] += steps_in(rows, *how_.steps);
    if (!are_there(first, final)) return call(rows, {}, {});
    own_[access_.argument].elements = address(*first);
    const detail::element_steps steps{next_step(*how_.steps, rows.low[rows.rank - 1]),
                                      how_.steps->length,
                                      place_.strides[how_.steps->array_dimension]};
    detail::shared_elements shared;
    if (how_.along && rows.extent(*how_.along) > 1) shared = {.any = true, .along = *how_.along};
    call(rows, steps, shared);
  }

  /// Elements that aren't there the function leaves out: their states aren't to be copied.
  bool are_there(const std::optional<regions::point>& first,
                 const std::optional<regions::point>& final) const {
    return first && final && contains(elements_, *first) && contains(elements_, *final);
  }
  std::byte* address(const regions::point& element) const {
    return arrays::address_in(place_, element, elements_.rank, reduced_.array->element.size);
  }
  void call(const regions::box& indices, const detail::element_steps& steps,
            const detail::shared_elements& shared) {
    if (steps.length == 0 && !shared.any) {
      own_[access_.argument] = place_;
      for (const auto a : others_) own_[a] = places_[a];
    }
    const auto box = arrays::numbers_of(indices);
    launch_.loop(launch_.function.get(), {.indices = box,
                                          .all = all_,
                                          .views = own_.data(),
                                          .independent = !how_.steps,
                                          .steps = steps,
                                          .shared = shared});
  }

  const arrays::launch& launch_;
  const plan::reduced_rows& how_;
  const arrays::access& access_;
  const arrays::argument& reduced_;
  const regions::box elements_;
  const detail::array_box all_;
  const detail::view_place place_;
  const std::span<const detail::view_place> places_;
  std::vector<std::size_t> others_;  // arguments that are reduced into, too
  std::vector<detail::view_place> own_;
};

}  // namespace

void run_in_registers(const arrays::launch& of, const plan::stage& stage,
                      const regions::box& indices, std::span<const detail::view_place> places) {
  registers(of, *stage.in_registers, places).run(indices);
}

}  // namespace pappus::run
