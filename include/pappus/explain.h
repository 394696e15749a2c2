// What a query would do, and what it did: explain, explain_passes, explain_dot, explain_analyze.
#pragma once

#include <string>

#include "pappus/query.h"

namespace pappus {

template <typename E>
std::string query<E>::explain() const {
  return detail::explain(session_, detail::access::node(materialise()),
                         detail::explain_format::text);
}
template <typename E>
std::string query<E>::explain_passes() const {
  return detail::explain(session_, detail::access::node(materialise()),
                         detail::explain_format::passes);
}
template <typename E>
std::string query<E>::explain_dot() const {
  return detail::explain(session_, detail::access::node(materialise()),
                         detail::explain_format::dot);
}
template <typename E>
std::string query<E>::explain_analyze() const {
  return detail::explain_analyze(session_, detail::access::node(materialise()));
}

}  // namespace pappus
