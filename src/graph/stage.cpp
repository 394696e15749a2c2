// Copying, moving, dropping and comparing stages: compiled here once instead of wherever a program
// makes a query.
#include "pappus/detail/base/stage.h"

#include <algorithm>

namespace pappus::detail {

stage_spec::stage_spec() = default;
stage_spec::stage_spec(const stage_spec&) = default;
stage_spec::stage_spec(stage_spec&&) noexcept = default;
stage_spec& stage_spec::operator=(const stage_spec&) = default;
stage_spec& stage_spec::operator=(stage_spec&&) noexcept = default;
stage_spec::~stage_spec() = default;

bool are_one_chain(const stage_spec& a, const stage_spec& b) noexcept {
  return a.inputs == b.inputs && a.sides == b.sides && a.devices == b.devices &&
         std::ranges::equal(a.ops, b.ops, {}, &op_label::id, &op_label::id);
}

}  // namespace pappus::detail
