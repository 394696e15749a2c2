// Parts and wholes: take, skip, concat. No row is copied: each is a view of rows that are in
// memory, or of a file's that are read when needed.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "pappus/query.h"

namespace pappus {

template <typename E>
PAPPUS_GLUE collection<typename query<E>::value_type> query<E>::slice(const char* name,
                                                                      std::int64_t skip,
                                                                      std::int64_t take) const {
  auto params = std::make_shared<detail::slice_params>();
  params->skip = skip < 0 ? 0 : skip;
  params->take = take < 0 ? 0 : take;
  const auto rows = materialise();
  return {session_, detail::make_node(session_, {detail::slice_operator(), name,
                                                 detail::record_type_of<value_type>(),
                                                 detail::access::stage(rows), std::move(params)})};
}

template <typename E>
template <typename... Others>
collection<typename query<E>::value_type> query<E>::concat(const query<Others>&... others) const {
  static_assert((std::same_as<detail::value_of<Others>, value_type> && ...),
                "concat: all collections must hold the same record type");
  detail::stage_spec stage;
  stage.inputs = {detail::access::node(materialise()),
                  detail::access::node(others.materialise())...};
  return {session_, detail::make_node(session_, {detail::concat_operator(), "concat",
                                                 detail::record_type_of<value_type>(),
                                                 std::move(stage), nullptr})};
}

}  // namespace pappus
