#include "run/dry.h"

#include <algorithm>

namespace pappus::run {

prediction dry_run(const plan::plan& p, const tasks::dag& work) {
  prediction result;
  result.how = p.how();
  double held = 0;
  std::vector<double> scratch(p.stages.size(), 0);
  std::vector<bool> timed(p.stages.size(), false);
  for (std::size_t i = 0; i < work.list.size(); ++i) {
    const auto& t = work.list[i];
    const auto stage = plan::index(t.stage);
    const auto& s = p.stages[stage];
    result.exact = result.exact && t.exact;
    switch (t.kind) {
      case tasks::task_kind::alloc:
        held += t.bytes;
        scratch[stage] = s.bytes.scratch;
        break;
      case tasks::task_kind::read:
        if (!t.each_window) held += t.bytes;
        result.seconds += s.seconds;
        if (s.resting) result.moved_bytes += t.bytes;
        break;
      case tasks::task_kind::free:
        held -= t.bytes;
        break;
      case tasks::task_kind::for_each:
        result.seconds += s.seconds;
        result.moved_bytes += t.bytes;
        break;
      default:
        break;
    }
    result.peak_bytes = std::max(result.peak_bytes, held);
    if (t.on_device && t.kind != tasks::task_kind::for_each) {
      if (!timed[stage]) result.seconds += s.seconds;
      timed[stage] = true;
      if (t.kind == tasks::task_kind::launch && !s.where.stays) held += s.bytes.output;
      result.moved_bytes += t.bytes;
    }
    const bool slices = t.each_window && t.kind == tasks::task_kind::view;
    if (slices) result.moved_bytes += t.bytes;
    if (t.step != nullptr || slices) {
      if (!timed[stage]) result.seconds += s.seconds;
      timed[stage] = true;
      const bool last = i + 1 == work.list.size() || work.list[i + 1].stage != t.stage;
      if (last) held -= scratch[stage];
      if (t.kind == tasks::task_kind::launch) result.moved_bytes += t.bytes;
    }
  }
  return result;
}

}  // namespace pappus::run
