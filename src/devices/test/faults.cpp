#include "devices/test/faults.h"

#include <algorithm>

namespace pappus::devices::test {

std::optional<fault> fault_source::next_call(call_kind kind) {
  calls_.push_back({kind, std::nullopt});
  auto strikes = planned(kind);
  if (!strikes) strikes = drawn(kind);
  return calls_.back().injected = strikes;
}

std::optional<fault> fault_source::planned(call_kind kind) {
  const auto possible = possible_faults(kind);
  const auto found = std::find_if(how_.at.begin(), how_.at.end(), [&](const planned_fault& p) {
    return p.call <= number() && std::ranges::find(possible, p.what) != possible.end();
  });
  if (found == how_.at.end()) return std::nullopt;
  const auto what = found->what;
  how_.at.erase(found);
  return what;
}

std::optional<fault> fault_source::drawn(call_kind kind) const {
  random numbers(~how_.seed, number());  // apart from what the call itself draws
  for (const auto what : possible_faults(kind))
    if (numbers.chance(how_.probability(what))) return what;
  return std::nullopt;
}

}  // namespace pappus::devices::test
