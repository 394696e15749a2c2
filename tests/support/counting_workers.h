// One worker that counts how often it was asked whether to stop, and says so from a given time on.
#pragma once

#include <cstdint>
#include <limits>

#include "pappus/detail/base/parallel.h"
#include "pappus/error.h"

namespace pappus::testing {

class counting_workers final : public detail::workers {
 public:
  /// \param team   what they say of their number: kernels cut their work by it.
  /// \param limit  looks that are told to go on.
  explicit counting_workers(unsigned team = 2,
                            std::int64_t limit = std::numeric_limits<std::int64_t>::max())
      : team_(team), limit_(limit) {}

  unsigned count() const noexcept override { return team_; }
  void run(std::size_t items, detail::parallel_body body, void* context) override {
    for (std::size_t item = 0; item < items && !stopping(); ++item) {
      if (looks_ > limit_) ++begun_too_late_;
      body(context, item, 0);
    }
    if (stopping()) throw cancelled();
  }
  bool stopping() const noexcept override { return ++looks_ > limit_; }

  std::int64_t looks() const noexcept { return looks_; }
  std::int64_t looks_after_limit() const noexcept { return looks_ - limit_; }
  int items_begun_too_late() const noexcept { return begun_too_late_; }

 private:
  const unsigned team_;
  const std::int64_t limit_;
  mutable std::int64_t looks_ = 0;
  int begun_too_late_ = 0;
};

}  // namespace pappus::testing
