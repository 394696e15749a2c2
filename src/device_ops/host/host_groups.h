// What device_ops/text/group.cl calls where kernels run on the host: see host_stage.h. Keys have
// one of two widths in the text (group_key); the sizes of values and states are known only at run
// time.
#pragma once

#include "device_ops/host/host_stage.h"
#include "pappus/detail/loops/group.h"

namespace pappus::device_ops::on_host {

/// The address of a row's value, valid until the next row's is asked for.
struct host_value {
  const std::byte* at = nullptr;
};
using group_value = host_value;

/// Turns rows into keys and values by the typed loops of the user's program.
class host_groups : public host_stage, detail::group_batch {
 public:
  host_groups(const void* context, void* const* arguments, std::size_t count)
      : host_stage(context, arguments, count), params_(node.as<detail::group_params>()) {
    keys = key_;
    payload = params_.payload_bytes != 0 && !params_.in_place
                  ? payload_.resize(params_.payload_bytes)
                  : nullptr;
    capacity = 1;
    flush = [](detail::group_batch& self, const std::byte* values, std::size_t) {
      static_cast<host_groups&>(self).found_ = {values};
      static_cast<host_groups&>(self).any_ = true;
    };
  }

  /// Returns 1 if the row has a key and a value, 0 if it was filtered out, 2 if a user's function
  /// threw, as it will again when the CPU computes the row.
  template <typename Key>
  int row(long row, Key* key, host_value* value) {
    any_ = false;
    try {
      params_.extract(node.stage.element.get(), block_of(row), *this);
    } catch (...) {
      return 2;
    }
    std::memcpy(key, key_, sizeof *key);
    *value = found_;
    return any_ ? 1 : 0;
  }
  void add(host_value value, std::byte* state) const { params_.accumulate(value.at, &state, 1); }

 private:
  const detail::group_params& params_;
  alignas(64) std::byte key_[16];
  host_bytes payload_;
  host_value found_;
  bool any_ = false;
};

template <typename Key>
int group_row(host_groups& groups, long row, Key* key, host_value* value) {
  return groups.row(row, key, value);
}
inline void store_value(std::byte* values, long at, host_value value, long bytes) {
  if (bytes > 0)
    std::memcpy(values + static_cast<std::size_t>(at * bytes), value.at,
                static_cast<std::size_t>(bytes));
}

}  // namespace pappus::device_ops::on_host

#undef ELEMENT_PARAMS
#define ELEMENT_PARAMS ::pappus::device_ops::on_host::host_groups& stage_
#define GROUP_VALUES std::byte*
#define STORE_VALUE(values, at, value, bytes) \
  ::pappus::device_ops::on_host::store_value(values, at, value, bytes)
#define VALUE_AT(values, at, bytes) \
  ::pappus::device_ops::on_host::host_value { (values) + (at) * (bytes) }
#define ADD_VALUE(args, state, value) (args).add(value, (state).data())
