// How the templates of queries make nodes, and have them evaluated and explained.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "pappus/error.h"
#include "session/session.h"

namespace pappus::detail {

node_ptr make_node(const session_ptr& session, node_request request) {
  return session->add(std::move(request));
}

void check_borrowed(const void* data, std::size_t rows, std::size_t align,
                    std::string_view record) {
  const auto beyond = reinterpret_cast<std::uintptr_t>(data) % align;
  if (rows == 0 || beyond == 0) return;
  throw usage_error(
      fmt::format("borrow: expected records of {} at a multiple of {} bytes, got them {} bytes "
                  "behind one; copy them with from()",
                  record, align, beyond));
}

void refuse_range(const std::string& begin, const std::string& end, std::string_view type) {
  throw usage_error(
      fmt::format("range: expected ends of the type that both have in common, {}, got {} and {}; "
                  "convert one of them",
                  type, begin, end));
}

std::int64_t range_rows(std::uint64_t n) {
  if (n > INT64_MAX)
    throw usage_error(
        fmt::format("range: expected at most {} integers, got {}; split the range", INT64_MAX, n));
  return static_cast<std::int64_t>(n);
}

std::uint64_t next_op_id() noexcept {
  static std::atomic<std::uint64_t> ids{1};
  return ids.fetch_add(1, std::memory_order_relaxed);
}

std::vector<rows_ptr> evaluate(const session_ptr& session, std::span<const node_ptr> roots) {
  return session->evaluate(roots);
}

rows_ptr evaluate_contiguous(const session_ptr& session, const node_ptr& root) {
  const std::array roots{root};
  return session->make_contiguous(session->evaluate(roots).front());
}

node_ptr cached_node(const session_ptr& session, const node_ptr& rows, bool others_have_it) {
  auto kept = rows;
  if (others_have_it && !rows->is_cached()) {
    auto everything = std::make_shared<slice_params>();
    everything->take = INT64_MAX;
    stage_spec stage;
    stage.inputs = {rows};
    kept = make_node(
        session, {slice_operator(), "cache", rows->out, std::move(stage), std::move(everything)});
  }
  kept->table->change(kept->id, [](auto& of) { of.cached = true; });
  return kept;
}

std::string explain(const session_ptr& session, const node_ptr& root, explain_format format) {
  return session->explain({&root, 1}, format);
}

std::string explain_analyze(const session_ptr& session, const node_ptr& root) {
  std::string report;
  const std::array roots{root};
  session->evaluate(roots, &report);
  return report;
}

rows_ptr copy_rows(const session_ptr& session, record_type layout, const void* data,
                   std::int64_t n) {
  session->check_alive();
  const auto bytes = static_cast<std::size_t>(n) * layout.size;
  buffer memory(*session->memory(), bytes, "from");
  if (bytes != 0) std::memcpy(memory.data(), data, bytes);
  return algorithms::rows_in(std::move(memory), layout, n, session->memory());
}

}  // namespace pappus::detail
