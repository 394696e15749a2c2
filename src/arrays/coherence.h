// Who wrote which elements: how launches depend on each other, and on what arrays hold before.
//
// Everything here is to be called with the mutex of the session's launches locked, in the order of
// the user's calls.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "arrays/launch.h"

namespace pappus::arrays {

/// Boxes of an array that have their first value as far as launches so far go, and need it now,
/// because the launch reads them or leaves some of them as they were.
std::vector<std::pair<image_ptr, regions::box>> wanting_first_value(const launch& of);

/// Notes in its arrays that the launch will have written to them, and in the launch which others
/// must have succeeded: those that wrote what it reads.
void note(launch& of);

/// Notes that the host writes elements after the launches up to `last`. What later ones have
/// written stays theirs.
void note_written_by_host(image& array, const regions::box& where, launch_number last);

/// Those who wrote elements, as far as it isn't known that they are done.
std::vector<launch_number> writers_of(const image& array, const regions::box& where);

/// Forgets launches that are done, which keeps lists of parts short.
/// \param is_done  whether a launch has run, and hasn't failed
void forget_done(image& array, const std::function<bool(launch_number)>& is_done);

}  // namespace pappus::arrays
