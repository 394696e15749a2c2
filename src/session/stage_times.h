// What stages took when they ran, for predictions of the same stages later in the session.
//
// A stage is known by the types of its functions, its operator and the size (to a factor of two) of
// the data it shares: queries made again have new nodes, and what lambdas captured isn't looked at.
// A do_while is known by its condition's type and the stages of its body, wherever these run.
// One run may be an outlier (the first touches memory, others wait for a core): of the last few,
// the median counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

#include "plan/plan.h"

namespace pappus::detail {

/// Thread-safe.
class stage_times {
 public:
  /// What takes less tells of overheads, and no prediction of it matters.
  static constexpr double seconds_min = 100e-6;

  /// \param rows     that went in; of a do_while, as in plan::stage::expected_in
  /// \param seconds  without copies
  void remember(const plan::stage& s, double rows, double seconds, plan::past_loop past = {});
  /// Seconds a row.
  std::optional<double> find(const plan::stage& s, std::span<const unsigned> devices) const;
  /// How a do_while ran the last time.
  plan::past_loop past(const plan::stage& s) const;

 private:
  struct entry {
    static constexpr std::size_t kept = 5;
    std::array<double, kept> seconds_per_row{};
    std::size_t count = 0;  ///< so far
    plan::past_loop past{};
  };
  static std::uint64_t key(const plan::stage& s, std::span<const unsigned> devices);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, entry> known_;
  std::atomic<bool> any_{false};  // most sessions with small queries know nothing
};

}  // namespace pappus::detail
