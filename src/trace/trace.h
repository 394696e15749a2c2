// Spans and counters of a run.
//
// Not here yet: writing them as a file that Perfetto opens.
#pragma once

namespace pappus::trace {
class sink;
}
