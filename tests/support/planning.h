// Plans queries for a made-up machine, so that tests can ask questions without running anything.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/pappus.h"
#include "plan/plan.h"
#include "tasks/tasks.h"

namespace pappus::testing {

/// Four threads, 1 GiB, 1 MiB of cache, 10 GB/s.
inline cost::machine made_up_machine() {
  return {.threads = 4,
          .host_memory = std::size_t{1} << 30,
          .cache_bytes = std::size_t{1} << 20,
          .memory_gb_per_s = 10,
          .launch_us = 5};
}

/// n rows that planning never looks at: there is one.
template <typename T>
collection<T> rows_of(session& s, std::size_t n) {
  static const T one{};
  return s.borrow(std::span<const T>(&one, n));
}

/// A plan that keeps its graph alive.
struct planned : plan::plan {
  std::vector<detail::node_ptr> kept;
};

/// \param roots  values and collections.
template <typename... Roots>
planned plan_for(const cost::machine& machine, const Roots&... roots) {
  const std::vector<detail::node_ptr> nodes{detail::access::node(roots)...};
  planned p{plan::make_plan({.roots = nodes, .machine = machine}), nodes};
  p.verify();
  return p;
}
template <typename... Roots>
planned plan_of(const Roots&... roots) {
  return plan_for(made_up_machine(), roots...);
}

inline tasks::dag tasks_of(const plan::plan& p) {
  auto work = tasks::lower(p, 0, p.stages.size());
  work.verify(p);
  return work;
}

/// The number of the one stage with this label.
inline plan::stage_index find_stage(const plan::plan& p, std::string_view label) {
  std::size_t found = p.stages.size(), matches = 0;
  for (std::size_t i = 0; i < p.stages.size(); ++i)
    if (graph::label(*p.stages[i].node) == label) {
      found = i;
      ++matches;
    }
  if (matches != 1)
    throw std::runtime_error(std::to_string(matches) + " stages are labelled " +
                             std::string(label) + ":\n" + p.print());
  return static_cast<plan::stage_index>(found);
}
inline const plan::stage& stage_of(const plan::plan& p, std::string_view label) {
  return p.stages[plan::index(find_stage(p, label))];
}

}  // namespace pappus::testing
