#include "run/lanes.h"

#include <cstddef>
#include <vector>

#include "regions/parts.h"

namespace pappus::run {
namespace {

using detail::reduction_lanes;

/// Of one argument.
class lanes {
 public:
  lanes(const arrays::launch& of, std::size_t argument, const detail::view_place& sums)
      : launch_(of), argument_(argument), sums_(sums) {}

  std::size_t argument() const noexcept { return argument_; }

  /// Where the view finds them while rows run.
  detail::view_place start(const regions::box& rows) {
    const auto& of = launch_.arguments[argument_];
    elements_ = arrays::relative(touched(launch_, argument_, rows), of.part);
    const auto states = elements_.volume() * reduction_lanes;
    const auto size = of.array->element.size;
    memory_.resize(static_cast<std::size_t>(states) * size / sizeof(std::max_align_t) + 1);
    of.reduction.start(data(), states);
    auto place = sums_;
    std::int64_t stride = reduction_lanes, first = 0;
    for (std::size_t d = elements_.rank; d-- > 0;) {
      place.strides[d] = stride;
      first += elements_.low[d] * stride;
      stride *= elements_.extent(d);
    }
    place.elements = data() - first * static_cast<std::int64_t>(size);
    return place;
  }

  void add_up() {
    const auto& of = launch_.arguments[argument_];
    const auto size = of.array->element.size;
    const auto* from = data();
    regions::each_place(elements_, [&](const regions::point& at) {
      auto* const to = arrays::address_in(sums_, at, elements_.rank, size);
      of.reduction.merge_lanes(to, from, reduction_lanes);
      from += reduction_lanes * static_cast<std::int64_t>(size);
    });
  }

 private:
  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(memory_.data()); }

  const arrays::launch& launch_;
  std::size_t argument_;
  detail::view_place sums_;
  regions::box elements_;  // as the view numbers them
  std::vector<std::max_align_t> memory_;
};

}  // namespace

void run_rows_in_lanes(const arrays::launch& of, const plan::stage& stage,
                       const regions::box& indices, std::span<const detail::view_place> places,
                       detail::access_checker* checks) {
  std::vector<detail::view_place> own(places.begin(), places.end());
  std::vector<lanes> all;
  for (std::size_t a = 0; a < places.size(); ++a)
    if ((stage.lanes >> a & 1U) != 0) all.emplace_back(of, a, places[a]);
  const auto everything = arrays::numbers_of(of.indices);
  const auto last = indices.rank - 1;
  regions::point extents;
  extents.fill(1);
  extents[last] = 0;
  if (last > 0) extents[last - 1] = stage.lane_rows;
  regions::each_part(indices, extents, [&](const regions::box& rows) {
    for (auto& one : all) own[one.argument()] = one.start(rows);
    of.loop(of.function.get(), {arrays::numbers_of(rows), everything, own.data(), stage.independent,
                                stage.lanes, checks});
    for (auto& one : all) one.add_up();
  });
}

}  // namespace pappus::run
