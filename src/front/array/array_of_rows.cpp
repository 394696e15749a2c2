// The rows of a query as an array: as they lie in memory, or, where that may have no room for all
// of them, copied window by window.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/rows_in.h"
#include "arrays/image.h"
#include "front/array/copy_bytes.h"
#include "graph/pageable.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

array_part array_in(const session_ptr& session, const record_type& element, std::int64_t elements,
                    arrays::storage_ptr memory) {
  const regions::box all({0}, {elements});
  auto image =
      std::make_shared<arrays::image>(arrays::image{.all = all,
                                                    .element = element,
                                                    .initial = {},
                                                    .parts = {all, {arrays::content::written, 0}},
                                                    .elements = std::move(memory)});
  return {session, std::move(image), arrays::numbers_of(all)};
}

/// Elements that are written one after another.
class element_writer {
 public:
  element_writer(arrays::array_memory from, const record_type& element)
      : from_(std::move(from)), element_(element) {}

  /// Makes room for so many elements. Throws memory_error.
  void reserve(std::int64_t elements) {
    const auto bytes = static_cast<std::size_t>(elements) * element_.size;
    auto larger = std::make_shared<arrays::storage>(from_, bytes, "to_array");
    move_to(*larger);
    memory_ = std::move(larger);
    capacity_ = bytes;
  }
  void append(workers& team, const std::byte* records, std::int64_t n) {
    const auto bytes = static_cast<std::size_t>(n) * element_.size;
    if (used_ + bytes > capacity_) reserve(std::max(2 * rows(), rows() + n));
    each_stretch(bytes, [&](std::size_t begin, std::size_t end) {
      const auto lease = leased(nullptr, *memory_, used_ + begin, used_ + end);
      copy_bytes(team, memory_->data + used_ + begin, records + begin, end - begin);
    });
    used_ += bytes;
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(used_ / element_.size); }
  arrays::storage_ptr take() {
    if (memory_ == nullptr) reserve(0);
    return std::move(memory_);
  }

 private:
  /// Calls f(begin, end) for stretches of bytes that leave room to others.
  template <typename F>
  void each_stretch(std::size_t bytes, F&& f) const {
    const auto at_once = from_.pages->lease_max() / 2 + from_.pages->section_bytes();
    for (std::size_t begin = 0; begin < bytes; begin += at_once)
      f(begin, std::min(bytes, begin + at_once));
  }
  /// Bytes of both at once: who has a lease waits for no other one.
  graph::lease_ptr leased(const arrays::storage* from, const arrays::storage& to, std::size_t begin,
                          std::size_t end) const {
    std::vector<graph::leased_bytes> wanted;
    if (from != nullptr && from->pageable != nullptr)
      wanted.push_back({from->pageable.get(), begin, end, true, false});
    if (to.pageable != nullptr) wanted.push_back({to.pageable.get(), begin, end, false, true});
    if (wanted.empty()) return nullptr;
    return from_.pages->take(wanted, graph::lease_time::brief, "to_array");
  }
  void move_to(const arrays::storage& larger) const {
    each_stretch(used_, [&](std::size_t begin, std::size_t end) {
      const auto lease = leased(memory_.get(), larger, begin, end);
      std::memcpy(larger.data + begin, memory_->data + begin, end - begin);
    });
  }

  const arrays::array_memory from_;
  const record_type element_;
  arrays::storage_ptr memory_;
  std::size_t used_ = 0, capacity_ = 0;  // bytes
};

/// As they lie, unless others have them, too.
array_part in_memory(const session_ptr& session, const node_ptr& rows) {
  auto elements = evaluate_contiguous(session, rows);
  if (elements.use_count() > 1 || !elements->owns_its_memory())
    elements = copy_rows(session, elements->layout(), elements->data(), elements->rows());
  const auto element = elements->layout();
  const auto n = elements->rows();
  return array_in(session, element, n,
                  std::make_shared<arrays::storage>(session->array_memory(), std::move(elements)));
}

}  // namespace

array_part array_of_rows(const session_ptr& session, const node_ptr& rows,
                         const deliver_maker& make_reader) {
  session->check_alive();
  try {
    return in_memory(session, rows);
  } catch (const memory_error&) {  // a window at a time takes less
    if (!session->store()->spills()) throw;
  }
  element_writer to(session->array_memory(), rows->out);
  auto params = std::make_shared<deliver_params>();
  params->take = [&](workers& team, const std::byte* records, std::int64_t n) {
    to.append(team, records, n);
  };
  const auto reader = session->add(make_reader(std::move(params)));
  const auto bound = session->rows_of(*rows, reader);
  if (bound.exact()) to.reserve(bound.rows);
  session->evaluate(std::array{reader});
  const auto n = to.rows();
  return array_in(session, rows->out, n, to.take());
}

}  // namespace pappus::detail
