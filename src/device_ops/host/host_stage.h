// A stage's element function for kernels that run on the host.
//
// Operators' texts call element(), accumulate_row() and their like. On devices that compile, these
// are generated (element.h) after stage.cl; here they call the typed loops of the user's program,
// one row at a time. That is slow and meant for devices that tests use.
//
// Include it after devices/host/prelude.h and before an operator's text.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "devices/host/prelude.h"
#include "graph/node.h"

namespace pappus::detail {
struct top_params;
}

namespace pappus::device_ops::on_host {

/// Memory for a record or a state whose size is known only at run time.
class host_bytes {
 public:
  host_bytes() = default;
  host_bytes(const host_bytes&) = delete;  // a copy would be aligned elsewhere
  host_bytes& operator=(const host_bytes&) = delete;

  std::byte* resize(std::size_t n) {
    size_ = n;
    if (n > sizeof few_) many_.resize(n + align);
    return data();
  }
  std::byte* data() {
    if (size_ <= sizeof few_) return few_;
    const auto address = reinterpret_cast<std::uintptr_t>(many_.data());
    return many_.data() + (align - address % align) % align;
  }
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t align = 64;
  alignas(align) std::byte few_[512];
  std::size_t size_ = 0;
  std::vector<std::byte> many_;
};

/// The element function and the arguments that ELEMENT_PARAMS stand for: inputs, sides with their
/// rows, the first row.
class host_stage {
 public:
  /// \param context  the graph::node.
  host_stage(const void* context, void* const* arguments, std::size_t count);

  /// Sets *out to the record of a row and returns 1; returns 0 where the row has none.
  int record(long row, host_bytes* out);
  /// Sets `out` to all records of a row, one after another, and returns how many there are.
  long records(long row, std::vector<std::byte>& out);
  void accumulate(long row, std::byte* state);
  /// The bits of one part of a sort's or top's key; part 0 is the least significant.
  std::uint64_t sort_key(long row, int part);

  const graph::node& node;
  std::size_t out_bytes;

 protected:
  detail::block_args block_of(long row);

 private:
  int sorted_record(long row, host_bytes* out);

  std::vector<const std::byte*> inputs_, at_row_;
  std::vector<detail::side> sides_;
  std::int64_t first_row_ = 0;
  const detail::top_params* top_;  // null: the operator isn't top
  bool is_sorted_;                 // the operator is sort or top
};

// What operators' texts call.
using element_out = host_bytes;

inline int element(host_stage& stage, long row, host_bytes* out) { return stage.record(row, out); }
inline long element_count(host_stage& stage, long row) {
  std::vector<std::byte> records;
  return stage.records(row, records);
}
inline long write_records(host_stage& stage, long row, std::byte* out, long at) {
  std::vector<std::byte> records;
  const long n = stage.records(row, records);
  if (n > 0)
    std::memcpy(out + static_cast<std::size_t>(at) * stage.out_bytes, records.data(),
                static_cast<std::size_t>(n) * stage.out_bytes);
  return n;
}
inline void store_record(std::byte* rows, long at, host_bytes& value) {
  std::memcpy(rows + static_cast<std::size_t>(at) * value.size(), value.data(), value.size());
}

}  // namespace pappus::device_ops::on_host

#define LIKE_HOST 1
#define ELEMENT_MANY 0
#define ELEMENT_PARAMS ::pappus::device_ops::on_host::host_stage& stage_
#define ELEMENT_ARGS stage_
#define OUT_ROWS std::byte*
#define STORE(rows, at, value) ::pappus::device_ops::on_host::store_record(rows, at, value)
#define WRITE_ROW(args, row, out, at) \
  ::pappus::device_ops::on_host::write_records(args, row, out, at)

// One lane: the typed loop finds a row's lane by itself.
#define LANES 1
#define LEAF_STATE(state) ::pappus::device_ops::on_host::host_bytes state
#define ACCUMULATE(args, row, state, lane) ((void)(lane), (args).accumulate(row, (state).data()))
#define LOAD_STATE(state, from, bytes)                               \
  std::memcpy((state).resize(static_cast<std::size_t>(bytes)), from, \
              static_cast<std::size_t>(bytes))
#define STORE_STATE(state, to, bytes) \
  std::memcpy(to, (state).data(), static_cast<std::size_t>(bytes))
