#include "system/floats.h"

namespace pappus::bench::floats {

template query price_all<strict>(session&, std::span<const quote>);
template query measure_all<strict>(session&, std::span<const trip>);
template query assign_all<strict>(session&, std::span<const place>, std::span<const place>);

}  // namespace pappus::bench::floats
