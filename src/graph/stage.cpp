// Copying, moving and dropping a stage: compiled here once instead of wherever a program makes a
// query.
#include "pappus/detail/base/stage.h"

namespace pappus::detail {

stage_spec::stage_spec() = default;
stage_spec::stage_spec(const stage_spec&) = default;
stage_spec::stage_spec(stage_spec&&) noexcept = default;
stage_spec& stage_spec::operator=(const stage_spec&) = default;
stage_spec& stage_spec::operator=(stage_spec&&) noexcept = default;
stage_spec::~stage_spec() = default;

}  // namespace pappus::detail
