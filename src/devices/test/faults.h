// Counts the calls of a test device and decides which of them fail, and how.
//
// What strikes call N depends on the seed, on N and on the kind of call, and on nothing else: so a
// run can be repeated, and a fault-free run tells the calls at which to try a fault next time.
#pragma once

#include <optional>
#include <vector>

#include "devices/test/random.h"
#include "devices/test/settings.h"

namespace pappus::devices::test {

struct call_made {
  call_kind kind;
  std::optional<fault> injected;
  friend bool operator==(const call_made&, const call_made&) = default;
};

class fault_source {
 public:
  explicit fault_source(const settings& how) : how_(how) {}

  /// Records the next call and returns the fault that strikes it, if any.
  std::optional<fault> next_call(call_kind kind);
  void plan(planned_fault more) { how_.at.push_back(more); }
  const std::vector<call_made>& calls() const noexcept { return calls_; }
  /// Number of the latest call.
  std::uint64_t number() const noexcept { return calls_.size() - 1; }
  /// Random numbers of the latest call.
  random numbers() const { return {how_.seed, number()}; }

 private:
  std::optional<fault> planned(call_kind kind);
  std::optional<fault> drawn(call_kind kind) const;

  settings how_;
  std::vector<call_made> calls_;
};

}  // namespace pappus::devices::test
