// How the templates of arrays make, slice, fill and look at them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "arrays/image.h"
#include "arrays/leases.h"
#include "arrays/rows.h"
#include "arrays/whole.h"
#include "front/array/chunk_reader.h"
#include "front/array/element_reader.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/error.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

std::vector<std::byte> bytes_of(const void* value, std::size_t size) {
  if (value == nullptr) return std::vector<std::byte>(size);
  const auto* bytes = static_cast<const std::byte*>(value);
  return {bytes, bytes + size};
}

array_part made(const session_ptr& session, arrays::image_ptr image) {
  const auto all = arrays::numbers_of(image->all);
  return {session, std::move(image), all};
}

/// Elements that stay in memory as long as somebody has them.
host_elements on_host(const arrays::image& array, arrays::storage_ptr elements,
                      const regions::box& where, const arrays::element_use& use) {
  const auto place = place_of(array, *elements, where);
  return {place, kept_in_memory(array, std::move(elements), where, use, "host: " + text(array))};
}

/// A node whose rows are read as those of a file, which has no path.
node_ptr rows_in_windows(session_core& session, const array_part& part, const regions::box& where,
                         decltype(file_params::open) open) {
  auto params = std::make_shared<file_params>();
  params->rows = where.volume();
  params->bytes =
      static_cast<double>(where.volume()) * static_cast<double>(part.image->element.size);
  params->open = std::move(open);
  return session.add({file_operator(), "array", part.image->element, {}, std::move(params)});
}

session_core& session_of(const array_part& part) {
  if (part.session == nullptr)
    throw usage_error("array: expected one that was made by a session, got an empty handle");
  part.session->check_alive();
  return *part.session;
}

}  // namespace

void refuse_formula(std::int64_t sum, std::int64_t number, std::int64_t times) {
  throw usage_error(fmt::format(
      "at: expected numbers of 64 bits in a formula of the index, got {} + {} * {}; say with "
      "smaller ones what is touched",
      sum, number, times));
}

array_part make_array(const session_ptr& session, record_type element, const array_box& extents) {
  session->check_alive();
  return made(session,
              arrays::make_image(element, arrays::box_of(extents), session->array_memory(), {}));
}

array_part make_filled_array(const session_ptr& session, record_type element,
                             const array_box& extents, const void* value) {
  session->check_alive();
  return made(session, arrays::make_image(element, arrays::box_of(extents), session->array_memory(),
                                          bytes_of(value, element.size)));
}

void check_array_elements(std::int64_t elements, const array_box& extents) {
  arrays::check_extents(arrays::box_of(extents));
  const auto wanted = arrays::box_of(extents).volume();
  if (elements != wanted)
    throw usage_error(fmt::format(
        "to_array: expected {} elements, as many as the extents say, got {}", wanted, elements));
}

array_part slice_array(const array_part& array, const array_box& where) {
  session_of(array);
  const auto outer = arrays::box_of(array.box), all = arrays::relative(outer, outer);
  for (std::size_t d = 0; d < all.rank; ++d)
    if (where.low[d] > where.high[d] || where.low[d] < 0 || where.high[d] > all.high[d])
      throw usage_error(fmt::format(
          "array: expected a part within {}, got [{}, {}) in dimension {}; clip the box to the "
          "array's extents",
          regions::text(all), where.low[d], where.high[d], d));
  return {array.session, array.image,
          arrays::numbers_of(arrays::absolute(arrays::box_of(where), outer))};
}

void fill_array(const array_part& part, const void* value) {
  auto& session = session_of(part);
  session.launches().add(arrays::filling(part.image, arrays::box_of(part.box),
                                         bytes_of(value, part.image->element.size)));
}

array_part copy_array(const array_part& part) {
  auto& session = session_of(part);
  const auto where = arrays::box_of(part.box);
  auto copy =
      made(part.session, arrays::make_image(part.image->element, arrays::relative(where, where),
                                            session.array_memory(), {}));
  session.launches().add(
      arrays::copying({part.image, nullptr, where}, {copy.image, nullptr, copy.image->all}));
  return copy;
}

host_elements read_array(const array_part& part) {
  auto& session = session_of(part);
  if (part.image->file != nullptr) return read_array(copy_array(part));
  const auto where = arrays::box_of(part.box);
  return on_host(*part.image, session.launches().wait_to_read(part.image, where), where,
                 {.writes = false});
}

void in_parts(const array_part& array, std::int64_t n, std::size_t element_bytes,
              const std::function<void(std::int64_t first, std::int64_t end)>& run) {
  constexpr std::size_t part_bytes = std::size_t{1} << 18;
  const auto size = static_cast<std::int64_t>(std::max<std::size_t>(part_bytes / element_bytes, 1));
  if (n <= size) return run(0, n);
  auto team = session_of(array).workers();
  parallel_chunks(team, static_cast<std::size_t>(ceil_div(n, size)), [&](std::size_t i, unsigned) {
    const auto first = static_cast<std::int64_t>(i) * size;
    run(first, std::min(first + size, n));
  });
}

host_elements write_array(const array_part& part) {
  auto& session = session_of(part);
  if (part.image->file != nullptr)
    throw usage_error(
        fmt::format("host_write: expected an array in memory, got {}, which lies in a file; write "
                    "to copy() of it",
                    part.image->file->name()));
  const auto where = arrays::box_of(part.box);
  return on_host(*part.image, session.launches().wait_to_write(part.image, where), where, {});
}

node_ptr rows_of_array(const array_part& part) {
  auto& session = session_of(part);
  const auto where = arrays::box_of(part.box);
  const auto bytes = static_cast<std::size_t>(where.volume()) * part.image->element.size;
  if (part.image->file != nullptr) {
    launch_queue::check_outside("rows");
    return rows_in_windows(session, part, where,
                           [array = part.image, where](memory_source&, const looked_at&) {
                             launch_queue::check_outside("an array's rows");
                             return std::make_shared<chunk_reader>(array, array->elements, where);
                           });
  }
  auto elements = session.launches().elements_of_now(part.image, where);
  if (part.image->elements->pageable != nullptr && 2 * bytes > session.memory()->limit()) {
    const auto open = [array = part.image, where, elements = std::move(elements)](
                          memory_source&, const looked_at&) {
      return std::make_shared<element_reader>(array, elements(), where);
    };
    return rows_in_windows(session, part, where, open);
  }
  auto params = std::make_shared<arrays::rows_params>();
  params->rows = where.volume();
  params->get = [array = part.image, where, elements = std::move(elements)] {
    return arrays::rows_in(*array, elements(), where);
  };
  return session.add(
      {arrays::rows_operator(), "array", part.image->element, {}, std::move(params)});
}

std::string explain_launches(const session_ptr& session, explain_format format) {
  if (session == nullptr)
    throw usage_error("array: expected one of a session, got an empty handle");
  session->check_alive();
  return session->launches().explain(format);
}

void wait_for_launches(const session_ptr& session) {
  session->check_alive();
  session->launches().wait_for_all();
}

}  // namespace pappus::detail
