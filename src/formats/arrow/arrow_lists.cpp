#include "formats/arrow/arrow_lists.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/arrow/arrow_bits.h"
#include "formats/record_fields.h"
#include "pappus/detail/base/list_bytes.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

constexpr std::size_t gathered_bytes_max =
    (std::size_t{1} << 31) - 1;  // bytes that places of 32 bits reach

/// Numbers of a list's items among those of its piece.
struct item_range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// Where list number i begins, from the buffers' first.
std::int64_t place_of(const arrow_piece& lists, std::int64_t i) {
  if (lists.values == nullptr) return i * lists.width;
  if (lists.width == 4) return static_cast<const std::int32_t*>(lists.values)[i];
  return static_cast<const std::int64_t*>(lists.values)[i];
}

/// Of each list of a piece; of a missing one none.
std::vector<item_range> ranges_of(const arrow_piece& lists) {
  std::vector<item_range> ranges(static_cast<std::size_t>(lists.rows));
  for (std::int64_t i = 0; i < lists.rows; ++i) {
    if (!is_there(lists, i)) continue;
    const item_range own{place_of(lists, lists.first + i), place_of(lists, lists.first + i + 1)};
    if (own.begin < 0 || own.begin > own.end || own.end > lists.items->rows)
      throw arrow_problem("a list has items that aren't there");
    ranges[static_cast<std::size_t>(i)] = own;
  }
  return ranges;
}

/// NaN, of an item that isn't there.
void put_missing(cell type, std::byte* to) {
  if (!detail::is_float_cell(type))
    throw arrow_cell_problem{0, "expected a value, got none (null)"};
  const auto put = [&](auto none) { std::memcpy(to, &none, sizeof(none)); };
  if (type == cell::f32)
    put(std::numeric_limits<float>::quiet_NaN());
  else
    put(std::numeric_limits<double>::quiet_NaN());
}

/// Items side by side.
void fill_run(const arrow_binding& item, const arrow_piece& items,
              std::span<const std::uint32_t> codes, item_range run, std::byte* to) {
  const auto bytes = detail::cell_bytes(item.field.type);
  if (items.valid == nullptr)
    return fill_arrow_cells(item, items, codes, run.begin, run.size(), to, bytes);
  auto values = items;
  values.valid = nullptr;
  for (std::int64_t i = 0; i < run.size(); ++i, to += bytes) try {
      if (is_there(items, run.begin + i))
        fill_arrow_cells(item, values, codes, run.begin + i, 1, to, bytes);
      else
        put_missing(item.field.type, to);
    } catch (arrow_cell_problem& problem) {
      problem.row = i;
      throw;
    }
}

/// Fills `to` with all lists' items, each as a field of its type.
void fill_items(const arrow_binding& binding, const arrow_piece& items,
                std::span<const std::uint32_t> codes, std::span<const item_range> ranges,
                std::byte* to) {
  const arrow_binding item{0, binding.from.items.front(), {{}, binding.field.item}};
  const auto bytes = detail::cell_bytes(item.field.type);
  for (std::size_t row = 0; row < ranges.size();) {
    auto run = ranges[row];  // of several lists' items, where they lie behind each other
    auto next = row + 1;
    for (; next < ranges.size(); ++next) {
      if (ranges[next].size() == 0) continue;  // wherever it lies
      if (ranges[next].begin != run.end) break;
      run.end = ranges[next].end;
    }
    try {
      fill_run(item, items, codes, run, to);
    } catch (arrow_cell_problem& problem) {
      const auto number = run.begin + problem.row;
      while (number < ranges[row].begin || number >= ranges[row].end) ++row;
      throw arrow_cell_problem{
          static_cast<std::int64_t>(row),
          fmt::format("item {} of the list: {}", number - ranges[row].begin + 1, problem.text)};
    }
    to += static_cast<std::size_t>(run.size()) * bytes;
    row = next;
  }
}

/// What a piece of lists owns.
struct packed {
  detail::buffer places, valid, bytes;
};

/// Lists that are to be packed.
struct unpacked {
  const arrow_binding& binding;
  const arrow_piece& lists;
  std::span<const std::uint32_t> codes;
  std::span<const item_range> ranges;
  detail::memory_source& memory;
  const std::string& owner;

  void fill(std::byte* to) const {
    try {
      fill_items(binding, *lists.items, codes, ranges, to);
    } catch (const memory_error& full) {  // the dictionary of categories is
      throw memory_error(owner + ": " + full.what());
    }
  }
};

/// Items that take as many bytes each.
void pack_items(const unpacked& from, packed& to) {
  const auto item_bytes = detail::cell_bytes(from.binding.field.item);
  auto* places = to.places.as<std::int64_t>();
  std::size_t all = 0;
  for (const auto& own : from.ranges) {
    *places++ = static_cast<std::int64_t>(all);
    all += static_cast<std::size_t>(own.size()) * item_bytes;
  }
  *places = static_cast<std::int64_t>(all);
  to.bytes = detail::buffer(from.memory, all, from.owner);
  from.fill(to.bytes.data());
}

/// Puts texts there as a list has them (list_bytes.h). Returns where they end.
std::byte* put_texts(std::span<const std::string_view> texts, std::byte* at) {
  if (texts.empty()) return at;
  const auto put_number = [&](std::size_t number) {
    const auto narrow = static_cast<std::uint32_t>(number);
    std::memcpy(at, &narrow, sizeof(narrow));
    at += sizeof(narrow);
  };
  put_number(texts.size());
  std::size_t end = 0;
  for (const auto text : texts) put_number(end += text.size());
  for (const auto text : texts) at = std::ranges::copy(std::as_bytes(std::span(text)), at).out;
  return at;
}

void pack_texts(const unpacked& from, packed& to) {
  std::size_t items = 0;
  for (const auto& own : from.ranges) items += static_cast<std::size_t>(own.size());
  const detail::buffer views(from.memory, items * sizeof(std::string_view), from.owner);
  from.fill(views.data());
  const auto texts_of = [&,
                         next = views.as<const std::string_view>()](const item_range& own) mutable {
    const auto n = static_cast<std::size_t>(own.size());
    return std::span(std::exchange(next, next + n), n);
  };
  auto* const places = to.places.as<std::int64_t>();
  std::size_t all = 0;
  auto sized = texts_of;
  for (std::size_t row = 0; row < from.ranges.size(); ++row) {
    places[row] = static_cast<std::int64_t>(all);
    const auto bytes = detail::bytes_of_texts(sized(from.ranges[row]));
    if (bytes > std::numeric_limits<std::uint32_t>::max())
      throw arrow_cell_problem{static_cast<std::int64_t>(row),
                               "expected texts of less than 4 GiB in all"};
    all += bytes;
  }
  places[from.ranges.size()] = static_cast<std::int64_t>(all);
  to.bytes = detail::buffer(from.memory, all, from.owner);
  auto filled = texts_of;
  std::byte* at = to.bytes.data();
  for (const auto& own : from.ranges) at = put_texts(filled(own), at);
}

}  // namespace

arrow_piece packed_lists(const arrow_binding& binding, const arrow_piece& lists,
                         std::span<const std::uint32_t> codes, detail::memory_source& memory,
                         const std::string& owner) {
  const auto rows = static_cast<std::size_t>(lists.rows);
  const auto ranges = ranges_of(lists);
  const auto kept = std::make_shared<packed>();
  kept->places = detail::buffer(memory, (rows + 1) * sizeof(std::int64_t), owner);
  const bool texts = binding.field.item == cell::string;
  (texts ? pack_texts : pack_items)({binding, lists, codes, ranges, memory, owner}, *kept);
  arrow_piece made;
  made.rows = lists.rows;
  made.nulls = lists.nulls;
  if (lists.valid != nullptr) {
    kept->valid = detail::buffer(memory, (rows + 7) / 8, owner);
    std::memset(kept->valid.data(), 0, kept->valid.size());
    for (std::size_t i = 0; i < rows; ++i)
      if (is_there(lists, static_cast<std::int64_t>(i)))
        set_bit(kept->valid.data(), static_cast<std::int64_t>(i));
    made.valid = kept->valid.as<const std::uint8_t>();
  }
  made.values = kept->places.data();
  made.width = sizeof(std::int64_t);
  made.text = kept->bytes.size() == 0 ? "" : kept->bytes.as<const char>();
  made.text_bytes =
      static_cast<std::int64_t>(kept->bytes.size() + kept->places.size() + kept->valid.size());
  made.text_owner = made.owner = kept;
  return made;
}

/// Records whose lists were counted.
struct list_gatherer::gathered {
  const detail::column_binding& field;
  const std::byte* records;
  std::size_t record_bytes;
  std::int64_t rows;
  std::size_t bytes;  ///< of all lists
  detail::memory_source& memory;
  const std::string& owner;

  /// Calls f(list, row) for each list that is there.
  template <typename F>
  void each_list(const F& f) const {
    const std::byte* record = records;
    for (std::int64_t i = 0; i < rows; ++i, record += record_bytes)
      if (!lacks_value(field, record)) f(record + field.offset, i);
  }

  void room_for(detail::buffer& in, std::size_t wanted) const {
    if (in.size() >= wanted) return;
    in.reset();
    in = detail::buffer(memory, wanted, owner);
  }
};

arrow_piece list_gatherer::gather(const detail::column_binding& field, const std::byte* records,
                                  std::int64_t n, std::size_t record_bytes, std::size_t bytes_max,
                                  detail::memory_source& memory, const std::string& owner) {
  gathered from{field, records, record_bytes, 0, 0, memory, owner};
  from.room_for(places_, static_cast<std::size_t>(n + 1) * sizeof(std::int32_t));
  auto* const places = places_.as<std::int32_t>();
  std::size_t items = 0;
  for (; from.rows < n && from.bytes < bytes_max; ++from.rows) {
    const auto* const record = records + static_cast<std::size_t>(from.rows) * record_bytes;
    places[from.rows] = static_cast<std::int32_t>(items);
    if (lacks_value(field, record)) continue;
    const auto bytes = bytes_of_list(record + field.offset);
    if (bytes.size() > gathered_bytes_max - bytes_max)
      throw arrow_cell_problem{
          from.rows, fmt::format("expected a list of less than 2 GiB, got {} bytes", bytes.size())};
    items += items_in(field, bytes);
    from.bytes += bytes.size();
  }
  places[from.rows] = static_cast<std::int32_t>(items);
  auto own = std::make_shared<arrow_piece>();
  own->rows = static_cast<std::int64_t>(items);
  if (detail::is_text_cell(field.item))
    gather_texts(from, *own);
  else
    gather_items(from, *own);
  arrow_piece piece;
  piece.rows = from.rows;
  piece.values = places;
  piece.items = std::move(own);
  return piece;
}

void list_gatherer::gather_items(const gathered& from, arrow_piece& items) {
  from.room_for(items_, std::max<std::size_t>(from.bytes, 1));  // none are somewhere, too
  std::byte* to = items_.data();
  if (from.field.item == cell::boolean) {  // a bit each
    std::memset(to, 0, from.bytes);
    std::int64_t i = 0;
    from.each_list([&](const std::byte* list, std::int64_t) {
      for (const char flag : bytes_of_list(list)) {
        if (flag != 0) set_bit(to, i);
        ++i;
      }
    });
  } else {
    from.each_list([&](const std::byte* list, std::int64_t) {
      to = std::ranges::copy(std::as_bytes(std::span(bytes_of_list(list))), to).out;
    });
  }
  items.values = items_.data();
}

void list_gatherer::gather_texts(const gathered& from, arrow_piece& items) {
  from.room_for(item_places_, static_cast<std::size_t>(items.rows + 1) * sizeof(std::int32_t));
  auto* place = item_places_.as<std::int32_t>();
  std::size_t all = 0;
  from.each_list([&](const std::byte* list, std::int64_t row) {
    for_each_item(from.field, list, [&](const std::byte* item) {
      const auto text = text_of(from.field.item, item);
      if (!base::is_utf8(text))
        throw arrow_cell_problem{row,
                                 "expected texts in UTF-8, as others read them, got other bytes"};
      *place++ = static_cast<std::int32_t>(all);
      all += text.size();
      if (all > gathered_bytes_max)
        throw arrow_cell_problem{row, "expected a list whose texts have less than 2 GiB"};
    });
  });
  *place = static_cast<std::int32_t>(all);
  from.room_for(items_, all);
  std::byte* to = items_.data();
  from.each_list([&](const std::byte* list, std::int64_t) {
    for_each_item(from.field, list, [&](const std::byte* item) {
      to = std::ranges::copy(std::as_bytes(std::span(text_of(from.field.item, item))), to).out;
    });
  });
  items.values = item_places_.data();
  items.text = all == 0 ? "" : items_.as<const char>();
}

}  // namespace pappus::formats
