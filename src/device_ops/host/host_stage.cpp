#include "device_ops/host/host_stage.h"

#include <stdexcept>

#include "pappus/detail/loops/sort.h"
#include "pappus/detail/loops/top.h"

namespace pappus::device_ops::on_host {
namespace {

/// Grows by doubling; records follow each other in `memory`.
struct growing_rows : detail::out_rows {
  std::vector<std::byte>& memory;
  std::size_t row_bytes;

  growing_rows(std::vector<std::byte>& bytes, std::size_t row) : memory(bytes), row_bytes(row) {
    memory.resize(16 * row_bytes);
    cursor = memory.data();
    end = cursor + memory.size();
    grow = [](detail::out_rows& self) { static_cast<growing_rows&>(self).more(); };
  }
  std::size_t used() const { return static_cast<std::size_t>(cursor - memory.data()); }

 private:
  void more() {
    const std::size_t before = used();
    memory.resize(memory.size() * 2);
    cursor = memory.data() + before;
    end = memory.data() + memory.size();
  }
};

detail::write_loop write_loop_of(const graph::node& n) {
  if (n.op != &detail::materialise_operator())
    throw std::logic_error("host_stage: " + graph::label(n) + " writes no rows");
  return n.as<detail::write_params>().loop;
}

}  // namespace

host_stage::host_stage(const void* context, void* const* arguments, std::size_t count)
    : node(*static_cast<const graph::node*>(context)),
      out_bytes(node.out.size),
      top_(node.op == &detail::top_operator() ? &node.as<detail::top_params>() : nullptr),
      is_sorted_(top_ != nullptr || node.op == &detail::sort_operator()) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < node.stage.inputs.size(); ++i)
    inputs_.push_back(static_cast<const std::byte*>(arguments[next++]));
  for (std::size_t i = 0; i < node.stage.sides.size(); ++i, next += 2)
    sides_.push_back({arguments[next], *static_cast<const std::int64_t*>(arguments[next + 1])});
  if (next + 1 != count)
    throw std::logic_error("host_stage: " + graph::label(node) + ": wrong number of arguments");
  first_row_ = *static_cast<const std::int64_t*>(arguments[next]);
  at_row_.resize(inputs_.size());
}

detail::block_args host_stage::block_of(long row) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    at_row_[i] = inputs_[i] + static_cast<std::size_t>(row) * node.stage.inputs[i]->out.size;
  return {at_row_.data(), sides_.data(), first_row_ + row, 1, nullptr};
}

namespace {

std::uint64_t load_bits(const std::byte* from, std::size_t bytes) {
  std::uint64_t bits = 0;  // little-endian, as everywhere here
  std::memcpy(&bits, from, bytes);
  return bits;
}

}  // namespace

std::uint64_t host_stage::sort_key(long row, int part) {
  alignas(64) std::byte key[64];
  host_bytes beside;
  if (top_ != nullptr) {
    const auto& params = *top_;
    detail::top_buffer one{beside.resize(params.candidate.size), 0, 1, 1, false};
    params.consider(node.stage.element.get(), block_of(row), one);
    const auto bits = load_bits(one.candidates, params.key_bytes);  // a candidate begins with it
    const auto all = ~std::uint64_t{0} >> (64 - 8 * params.key_bytes);
    return params.greatest ? bits ^ all : bits;
  }
  const auto& params = node.as<detail::sort_params>();
  const auto& pass = params.passes[static_cast<std::size_t>(part)];
  if (part == 0) {
    params.start(node.stage.element.get(), block_of(row), key,
                 beside.resize(params.payload_bytes + 16));
    const auto bits = load_bits(key, pass.key_bytes);
    return params.integers ? bits ^ params.flip : bits;
  }
  const std::byte* const address = block_of(row).inputs[0];  // such records lie in memory
  pass.keys(node.stage.element.get(), &address, 1, key);
  return load_bits(key, pass.key_bytes);
}

/// Sorts and tops of rows in memory are gathered from there; others yield what moves with the key.
int host_stage::sorted_record(long row, host_bytes* out) {
  alignas(64) std::byte key[64];
  host_bytes beside;
  if (top_ != nullptr) {
    const auto& params = *top_;
    detail::top_buffer one{beside.resize(params.candidate.size), 0, 1, 1, false};
    params.consider(node.stage.element.get(), block_of(row), one);
    params.finish(node.stage.element.get(), one.candidates, 1, 1, out->resize(out_bytes));
    return 1;
  }
  const auto& params = node.as<detail::sort_params>();
  params.start(node.stage.element.get(), block_of(row), key,
               beside.resize(params.payload_bytes + 16));
  std::byte* const room = out->resize(out_bytes);
  if (params.moves == detail::sort_moves::records)
    std::memcpy(room, beside.data(), out_bytes);
  else if (params.moves == detail::sort_moves::addresses)
    std::memcpy(room, reinterpret_cast<const std::byte*>(load_bits(beside.data(), 8)), out_bytes);
  else if (params.integers)
    std::memcpy(room, key, out_bytes);
  else
    params.decode(key, room, 1);
  return 1;
}

int host_stage::record(long row, host_bytes* out) {
  if (is_sorted_) return sorted_record(row, out);
  std::byte* const room = out->resize(out_bytes);
  detail::out_rows to;
  to.cursor = room;
  to.end = room + out_bytes;
  write_loop_of(node)(node.stage.element.get(), block_of(row), to);
  return to.cursor != room ? 1 : 0;
}

long host_stage::records(long row, std::vector<std::byte>& out) {
  growing_rows to(out, out_bytes);
  write_loop_of(node)(node.stage.element.get(), block_of(row), to);
  return static_cast<long>(to.used() / out_bytes);
}

void host_stage::accumulate(long row, std::byte* state) {
  node.as<detail::fold_params>().loop(node.stage.element.get(), block_of(row), state);
}

}  // namespace pappus::device_ops::on_host
