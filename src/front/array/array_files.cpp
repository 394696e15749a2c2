// Arrays that are opened from files, and written to them.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arrays/image.h"
#include "arrays/leases.h"
#include "formats/array_registry.h"
#include "formats/stack.h"
#include "front/array/file_array.h"
#include "pappus/array_file.h"
#include "pappus/error.h"
#include "regions/parts.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

std::vector<std::int64_t> extents_of_box(const array_box& box) {
  std::vector<std::int64_t> result;
  for (std::size_t d = 0; d < box.rank; ++d) result.push_back(box.high[d] - box.low[d]);
  return result;
}

/// Some elements of an array, in memory as long as it exists.
class elements_in_memory {
 public:
  elements_in_memory(const arrays::image& of, const arrays::storage& elements,
                     const regions::box& where) {
    if (of.file != nullptr) {
      graph::wanted_elements wanted{.of = of.file, .elements = {where}};
      lease_ = elements.source.chunks->take({&wanted, 1}, owner);
      first_ = wanted.first, strides_ = wanted.strides;
      return;
    }
    lease_ = arrays::lease_elements(of, elements, where, {.writes = false},
                                    graph::lease_time::brief, owner);
    const auto place = place_of(of, elements, where);
    first_ = place.elements, strides_ = place.strides;
  }

  /// Copies them, row after row.
  void copy(const regions::box& where, std::size_t size, std::byte* to) const {
    regions::each_row(where, [&](const regions::box& row) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < row.rank; ++d)
        offset += (row.low[d] - where.low[d]) * strides_[d];
      const auto bytes = static_cast<std::size_t>(row.volume()) * size;
      std::memcpy(to, first_ + offset * static_cast<std::int64_t>(size), bytes);
      to += bytes;
    });
  }

 private:
  static constexpr const char* owner = "writing an array";
  graph::lease_ptr lease_;
  const std::byte* first_ = nullptr;
  array_numbers strides_{};
};

/// Puts the elements of a part into a file, chunk by chunk.
class part_writer {
 public:
  part_writer(const arrays::image& of, const arrays::storage& elements, const regions::box& part,
              const written_elements& what, formats::array_writer& to, memory_source& memory)
      : of_(of),
        elements_(elements),
        part_(part),
        what_(what),
        to_(to),
        memory_(memory),
        chunks_(chunks_of(to.shape())) {}

  void write(workers& team) {
    parallel_chunks(team, static_cast<std::size_t>(chunks_.size()),
                    [&](std::size_t n, unsigned) { put(static_cast<std::int64_t>(n)); });
  }

 private:
  void put(std::int64_t number) {
    const auto at = chunks_.coordinates(number);
    const auto where = arrays::absolute(chunks_.cell(at), part_);
    const auto n = where.volume();
    const auto size = of_.element.size;
    buffer copied(memory_, static_cast<std::size_t>(n) * size, "writing an array");
    elements_in_memory(of_, elements_, where).copy(where, size, copied.data());
    buffer finished;
    if (what_.finalise != nullptr) {
      finished = {memory_, static_cast<std::size_t>(n) * what_.layout.bytes, "writing an array"};
      what_.finalise(copied.data(), finished.data(), n);
      copied.reset();
    }
    to_.put({at.data(), chunks_.rank()}, memory_,
            what_.finalise != nullptr ? finished.data() : copied.data());
  }

  const arrays::image& of_;
  const arrays::storage& elements_;
  const regions::box part_;
  const written_elements& what_;
  formats::array_writer& to_;
  memory_source& memory_;
  const regions::grid chunks_;
};

std::vector<std::int64_t> told_extents(const array_box& wanted, bool told) {
  return told ? extents_of_box(wanted) : std::vector<std::int64_t>();
}

array_part handle_of(const session_ptr& session, record_type element,
                     std::unique_ptr<formats::array_file> file) {
  auto image = arrays::make_file_image(element, session->array_memory(),
                                       chunked_of(std::move(file), session->memory()));
  const auto all = arrays::numbers_of(image->all);
  return {session, std::move(image), all};
}

}  // namespace

array_part open_array(const session_ptr& session, record_type element, const record_layout& layout,
                      const std::string& path, const array_box& wanted, bool told) {
  session->check_alive();
  if (told) arrays::check_extents(arrays::box_of(wanted));
  return handle_of(session, element,
                   formats::open_array(path, layout, wanted.rank, told_extents(wanted, told)));
}

array_part open_stack(const session_ptr& session, record_type element, const record_layout& layout,
                      const std::vector<std::string>& paths, const array_box& wanted, bool told) {
  session->check_alive();
  if (told) arrays::check_extents(arrays::box_of(wanted));
  return handle_of(session, element,
                   formats::open_stack(paths, layout, wanted.rank, told_extents(wanted, told)));
}

void write_array_file(const array_part& part, const written_elements& what, const std::string& path,
                      const array_file_options& how) {
  if (part.session == nullptr)
    throw usage_error("write: expected an array that was made by a session, got an empty handle");
  part.session->check_alive();
  const auto where = arrays::box_of(part.box);
  const auto elements = part.session->launches().wait_to_read(part.image, where);
  const auto writer = formats::create_array(path, what.layout, extents_of_box(part.box),
                                            {how.chunk, how.shard, how.codec});
  auto team = part.session->workers();
  part_writer(*part.image, *elements, where, what, *writer, *part.session->memory()).write(team);
  writer->close();
}

}  // namespace pappus::detail
