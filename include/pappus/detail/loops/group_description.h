// What a group_by does with a record, described (detail/base/device.h).
#pragma once

#include <span>

#include "pappus/detail/fuse/describe.h"
#include "pappus/detail/fuse/device_reducers.h"
#include "pappus/detail/loops/group.h"

namespace pappus::detail {

/// Describes the key and the value of a record; returns the value's variable.
template <typename G>
device_variable describe_key_and_value(const G& self, device_writer& to) {
  using record = typename G::record;
  using key = typename decltype(G::keys)::key;
  device_variable row, own;
  if constexpr (is_left_call<decltype(G::key)>) {
    const auto pair = self.rows.describe_pair(to);
    to.begin();
    own = self.key.template describe<key, typename decltype(G::rows)::left_type>(to, pair.left);
    row = pair.combined;
  } else {
    row = self.rows.describe(to);
    to.begin();
    own = self.key.template describe<key, record>(to, row);
  }
  if constexpr (decltype(G::keys)::dense)
    to.domain_key(own);
  else if constexpr (packs_keys<decltype(G::keys)>)
    to.refuse("its key has text, or more than 16 bytes", own);
  else
    describe_key<key>(to, own, false);
  if constexpr (G::has_value)
    return describe_function<typename G::value, record>(self.project, to, std::span(&row, 1));
  else
    return device_writer::no_value;
}

template <typename G, typename R>
PAPPUS_GLUE void describe_group(const void* element, device_writer& to) {
  const auto value = describe_key_and_value(*static_cast<const G*>(element), to);
  describe_reducer<R, typename G::value>(to, value);
}

/// For groups whose records a function sees together, which is the CPU's.
template <typename G>
PAPPUS_GLUE void describe_whole_groups(const void* element, device_writer& to) {
  const auto value = describe_key_and_value(*static_cast<const G*>(element), to);
  if constexpr (G::has_value) to.call(compiled_call{}, {&value, 1});
}

}  // namespace pappus::detail
