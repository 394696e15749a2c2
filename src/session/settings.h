// What a session is made with, where its options leave that open.
#pragma once

#include "memory/spill_file.h"
#include "pappus/session.h"

namespace pappus::detail {

/// More threads than this are taken for a mistake.
inline constexpr unsigned threads_max = 1024;

/// Fills unset options from PAPPUS_* and the machine. Throws usage_error naming the one that can't
/// be right.
options resolved(options settings);

/// Of a session's spill file. \param settings  what resolved() returned.
memory::spill_settings spill_settings_of(const options& settings);

}  // namespace pappus::detail
