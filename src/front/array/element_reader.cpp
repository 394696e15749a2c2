#include "front/array/element_reader.h"

#include <algorithm>
#include <utility>

#include "front/array/copy_bytes.h"
#include "graph/pageable.h"
#include "regions/parts.h"

namespace pappus::detail {
namespace {

/// Elements of a part that lie one after another: those of its last dimensions, as far as these are
/// the array's.
std::int64_t elements_together(const regions::box& where, const regions::box& all) {
  auto d = where.rank - 1;
  auto count = where.extent(d);
  for (; d > 0 && where.extent(d) == all.extent(d); --d) count *= where.extent(d - 1);
  return std::max<std::int64_t>(count, 1);
}

}  // namespace

element_reader::element_reader(arrays::image_ptr of, arrays::storage_ptr elements,
                               const regions::box& where)
    : part_reader(std::move(of), std::move(elements), where),
      together_(elements_together(where, of_->all)) {}

std::size_t element_reader::scratch_bytes() const noexcept {
  return elements_->pageable == nullptr ? 0 : elements_->source.pages->lease_max();
}

void element_reader::read_numbers(workers& team, std::int64_t first, std::int64_t end,
                                  std::byte* out) {
  const auto size = of_->element.size;
  for (auto number = first; number < end;) {
    const auto count = std::min(end - number, together_ - number % together_);
    const auto at = regions::number_in(of_->all, regions::place_in(where_, number));
    copy(team, static_cast<std::size_t>(at) * size, out, static_cast<std::size_t>(count) * size);
    out += static_cast<std::size_t>(count) * size;
    number += count;
    come_to(number);
  }
}

/// In stretches that leave room to others.
void element_reader::copy(workers& team, std::size_t begin, std::byte* out, std::size_t bytes) {
  const auto at_once = elements_->pageable == nullptr
                           ? bytes
                           : std::max(scratch_bytes(), elements_->source.pages->section_bytes());
  for (const auto end = begin + bytes; begin < end;) {
    const auto n = std::min(at_once, end - begin);
    graph::lease_ptr lease;
    if (elements_->pageable != nullptr) {
      const graph::leased_bytes wanted{elements_->pageable.get(), begin, begin + n, true, false};
      lease =
          elements_->source.pages->take({&wanted, 1}, graph::lease_time::brief, "rows of an array");
    }
    copy_bytes(team, out, elements_->data + begin, n);
    begin += n, out += n;
  }
}

}  // namespace pappus::detail
