// Items of a launch on a device whose kernels are host functions: what an item touches is copied
// there, the launch's loop runs on the copies, and what it wrote is copied back.
//
// Only what the launch is known to touch is copied. Nothing of an item comes to its arrays before
// all of it is done, so that indices at which the device fails can run on the CPU. Of several
// threads one at a time has the device.
//
// Not here: copies that outlive an item, and kernels in a device's own language.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "arrays/launch.h"
#include "chunk_loop/device_session.h"
#include "graph/node.h"
#include "ops/answer.h"
#include "plan/plan.h"
#include "regions/box.h"

namespace pappus::run {

/// What a batch needs to run launches on devices.
struct launch_devices {
  std::vector<chunk_loop::device_session*> all;  ///< by their numbers in the plan
  /// Is told what goes wrong, and what is done about it. May be null.
  std::function<void(const std::string&)> on_fault;
};

class launch_on_device {
 public:
  /// Runs some indices of an item, on elements that lie there.
  using item_loop =
      std::function<void(const regions::box& indices, std::span<const detail::view_place> places)>;

  /// \param stage  whose place is a device of these. It, `of` and `devices` outlive the object.
  launch_on_device(const arrays::launch& of, const plan::stage& stage,
                   const launch_devices& devices);

  /// Runs indices of an item. Returns those that it couldn't run, because the device failed or
  /// because their function threw: the last ones in the first dimension along which the launch is
  /// cut. Of these nothing has changed.
  /// \param places  of the arguments on the host
  regions::box run(const regions::box& indices, std::span<const detail::view_place> places,
                   const item_loop& loop);

 private:
  void leave_out(const devices::device_error& why);

  const arrays::launch& launch_;
  const plan::stage& stage_;
  const launch_devices& devices_;
  chunk_loop::device_session& on_;
  bool left_out_ = false;    // guarded by the device's lock
  std::int64_t extent_max_;  // of a part that fits the device's memory; the same
};

/// Whether a device can run launches.
ops::answer can_run_launches(chunk_loop::device_session& device);

}  // namespace pappus::run
