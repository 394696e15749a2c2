#include "formats/arrow/arrow_writer.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "base/utf8.h"
#include "formats/arrow/arrow_bits.h"
#include "formats/named_layout.h"
#include "formats/record_fields.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

constexpr std::int64_t rows_gathered = std::int64_t{32} << 10;
constexpr std::size_t text_max = (std::size_t{1} << 31) - 1;

/// A column's writer has some pages, and a dictionary.
std::int64_t page_bytes_in(const detail::memory_source& memory, std::size_t columns) {
  return static_cast<std::int64_t>(base::scaled_clamp(memory.available() / 16 / columns,
                                                      std::size_t{16} << 10, std::size_t{1} << 20));
}

arrow_kind kind_for(cell type) {
  switch (type) {
    case cell::f32:
      return arrow_kind::f32;
    case cell::f64:
      return arrow_kind::f64;
    case cell::boolean:
      return arrow_kind::boolean;
    case cell::string:
    case cell::category:
      return arrow_kind::text;
    case cell::date:
      return arrow_kind::date;
    case cell::timestamp:
      return arrow_kind::timestamp;
    case cell::list:
      return arrow_kind::list;
    default:
      return static_cast<arrow_kind>(type);
  }
}

std::vector<arrow_column> columns_for(const std::string& file, const detail::record_layout& layout,
                                      bool dictionaries) {
  check_different_names(file, layout);
  std::vector<arrow_column> columns;
  for (const auto& field : layout.columns) {
    arrow_column column;
    column.name = field.name;
    column.kind = kind_for(field.type);
    column.nullable = field.presence != 0;
    column.dictionary = dictionaries && field.type == cell::category;
    if (field.type == cell::list) {
      column.items.emplace_back();
      column.items.front().kind = kind_for(field.item);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

template <std::size_t Bytes>
void gather_values(const std::byte* field, std::byte* to, std::int64_t n, std::size_t step) {
  for (std::int64_t i = 0; i < n; ++i, field += step, to += Bytes) std::memcpy(to, field, Bytes);
}

template <typename F>
auto writing(const std::string& file, F&& f) {
  try {
    return f();
  } catch (const arrow_problem& problem) {
    throw format_error(fmt::format("{}: can't be written: {}", file, problem.what()));
  }
}

}  // namespace

void arrow_writer::file_sink::append(const void* bytes, std::size_t n) {
  file_.write(offset_, {static_cast<const std::byte*>(bytes), n});
  offset_ += static_cast<std::int64_t>(n);
}

arrow_writer::arrow_writer(kind as, const std::string& path, const detail::record_layout& layout,
                           detail::memory_source& memory)
    : kind_(as),
      name_(path),
      layout_(named_columns(path, layout)),
      memory_(memory),
      sink_(path),
      file_(writing(path,
                    [&] {
                      const auto& arrow = load_arrow(path);
                      const auto columns = columns_for(path, layout_, as == kind::ipc);
                      if (as == kind::ipc) return arrow.create_ipc(sink_, columns, memory);
                      return arrow.create_parquet(sink_, columns,
                                                  page_bytes_in(memory, columns.size()), memory);
                    })),
      gathered_(layout_.columns.size()),
      numbers_(layout_.columns.size()) {
  plan_groups();
  for (const bool text : {true, false})
    for (std::size_t i = 0; i < layout_.columns.size(); ++i)
      if (gathers_text(layout_.columns[i].type) == text) order_.push_back(i);
}

/// Batches of Arrow's are short, as others write them, so that several can be encoded at a time.
void arrow_writer::plan_groups() {
  constexpr std::size_t some = 16;  // at a time, at most
  const auto row = std::max<std::size_t>(layout_.bytes, 1);
  const bool short_ones = kind_ == kind::ipc;
  const auto part = memory_.available() / 8 / (short_ones ? some : 1);
  group_rows_max_ = static_cast<std::int64_t>(
      short_ones ? base::scaled_clamp(part / row, std::size_t{8} << 10, std::size_t{64} << 10)
                 : base::scaled_clamp(part / row, std::size_t{16} << 10, std::size_t{512} << 10));
  const auto text =
      base::scaled_clamp(part, std::size_t{1} << 20, std::size_t{short_ones ? 16U : 256U} << 20);
  group_text_max_ = static_cast<std::int64_t>(text);
  text_gathered_ = text / 4;
  const auto group = static_cast<std::size_t>(group_rows_max_) * row + text;
  groups_waiting_max_ =
      short_ones ? std::clamp<std::size_t>(memory_.available() / 8 / group, 1, some) : 1;
}

void arrow_writer::room_for(detail::buffer& buffer, std::size_t bytes) const {
  if (buffer.size() >= bytes) return;
  buffer.reset();
  buffer = detail::buffer(memory_, bytes, name_ + ": columns to be written");
}

/// Else they are numbers, or a dictionary's.
bool arrow_writer::gathers_text(cell type) const noexcept {
  return type == cell::string || type == cell::list ||
         (type == cell::category && kind_ == kind::parquet);
}

/// So many of n rows as the group that is written takes.
std::int64_t arrow_writer::rows_for_group(const std::byte* records, std::int64_t n) {
  n = std::min(n, group_rows_max_ - group_rows_);
  if (order_.empty() || !gathers_text(layout_.columns[order_.front()].type)) return n;
  for (std::int64_t i = 0; i < n; ++i, records += layout_.bytes) {
    for (const auto column : order_) {
      const auto& field = layout_.columns[column];
      if (!gathers_text(field.type)) break;
      if (!lacks_value(field, records))
        group_text_ +=
            static_cast<std::int64_t>(text_of(field.type, records + field.offset).size());
    }
    if (group_text_ >= group_text_max_) return i + 1;
  }
  return n;
}

void arrow_writer::append(detail::workers& team, const std::byte* records, std::int64_t n) {
  while (n > 0) {
    if (group_rows_ == 0) writing(name_, [&] { file_->begin_group(); });
    const auto rows = rows_for_group(records, n);
    detail::parallel_chunks(team, order_.size(), [&](std::size_t item, unsigned) {
      writing(name_, [&] { put(order_[item], records, rows); });
    });
    group_rows_ += rows;
    rows_ += rows;
    records += static_cast<std::size_t>(rows) * layout_.bytes;
    n -= rows;
    if (group_rows_ < group_rows_max_ && group_text_ < group_text_max_) continue;
    end_group(team);
  }
}

void arrow_writer::end_group(detail::workers& team) {
  writing(name_, [&] { file_->end_group(); });
  group_rows_ = group_text_ = 0;
  const auto waiting = file_->groups_waiting();
  if (waiting < std::min<std::size_t>(groups_waiting_max_, team.count())) return;
  detail::parallel_chunks(team, waiting, [&](std::size_t group, unsigned) {
    writing(name_, [&] { file_->encode(group); });
  });
  writing(name_, [&] { file_->write_groups(); });
}

void arrow_writer::put(std::size_t column, const std::byte* records, std::int64_t n) {
  const auto type = layout_.columns[column].type;
  for (std::int64_t done = 0; done < n;) {
    const auto* const from = records + static_cast<std::size_t>(done) * layout_.bytes;
    const auto rows = std::min(n - done, rows_gathered);
    arrow_piece piece;
    piece.rows = type == cell::list       ? gather_lists(column, from, rows, rows_ + done, piece)
                 : gathers_text(type)     ? gather_text(column, from, rows, rows_ + done, piece)
                 : type == cell::category ? gather_categories(column, from, rows, piece)
                                          : gather(column, from, rows, piece);
    file_->put(column, piece);
    done += piece.rows;
  }
}

/// Bits of the values that are there.
void arrow_writer::gather_presence(std::size_t column, const std::byte* records, std::int64_t n,
                                   arrow_piece& piece) {
  const auto& field = layout_.columns[column];
  if (field.presence == 0) return;
  auto& valid = gathered_[column].valid;
  room_for(valid, rows_gathered / 8);
  std::memset(valid.data(), 0, valid.size());
  for (std::int64_t i = 0; i < n; ++i, records += layout_.bytes) {
    if (!lacks_value(field, records))
      set_bit(valid.data(), i);
    else
      ++piece.nulls;
  }
  piece.valid = valid.as<const std::uint8_t>();
}

std::int64_t arrow_writer::gather(std::size_t column, const std::byte* records, std::int64_t n,
                                  arrow_piece& piece) {
  const auto& field = layout_.columns[column];
  auto& values = gathered_[column].values;
  const auto bytes = detail::cell_bytes(field.type);
  room_for(values, static_cast<std::size_t>(rows_gathered) * bytes);
  const auto* const from = records + field.offset;
  if (field.type == cell::boolean) {
    std::memset(values.data(), 0, static_cast<std::size_t>(rows_gathered) / 8);
    for (std::int64_t i = 0; i < n; ++i)
      if (from[static_cast<std::size_t>(i) * layout_.bytes] != std::byte{0})
        set_bit(values.data(), i);
  } else if (bytes == 1) {
    gather_values<1>(from, values.data(), n, layout_.bytes);
  } else if (bytes == 2) {
    gather_values<2>(from, values.data(), n, layout_.bytes);
  } else if (bytes == 4) {
    gather_values<4>(from, values.data(), n, layout_.bytes);
  } else {
    gather_values<8>(from, values.data(), n, layout_.bytes);
  }
  piece.values = values.data();
  gather_presence(column, records, n, piece);
  return n;
}

/// The numbers that they have in the column's dictionary.
std::int64_t arrow_writer::gather_categories(std::size_t column, const std::byte* records,
                                             std::int64_t n, arrow_piece& piece) {
  const auto& field = layout_.columns[column];
  auto& values = gathered_[column].values;
  room_for(values, static_cast<std::size_t>(rows_gathered) * sizeof(std::int32_t));
  auto* const to = values.as<std::int32_t>();
  const auto* record = records;
  for (std::int64_t i = 0; i < n; ++i, record += layout_.bytes) {
    std::uint32_t code = 0;
    std::memcpy(&code, record + field.offset, sizeof(code));
    to[i] = lacks_value(field, record) ? 0 : numbers_[column].number_of(code);
  }
  piece.values = to;
  gather_presence(column, records, n, piece);
  return n;
}

void arrow_writer::put_dictionaries() {
  if (kind_ != kind::ipc) return;
  for (std::size_t column = 0; column < layout_.columns.size(); ++column) {
    const auto& field = layout_.columns[column];
    if (field.type != cell::category) continue;
    auto& room = gathered_[column];
    const auto texts = numbers_[column].texts(fmt::format("{}: column \"{}\"", name_, field.name),
                                              memory_, room.values, room.text);
    writing(name_, [&] { file_->put_dictionary(column, texts); });
  }
}

/// Fewer than n where they are long.
std::int64_t arrow_writer::gather_lists(std::size_t column, const std::byte* records,
                                        std::int64_t n, std::int64_t first_row,
                                        arrow_piece& piece) {
  const auto& field = layout_.columns[column];
  try {
    piece = gathered_[column].lists.gather(field, records, n, layout_.bytes, text_gathered_,
                                           memory_, name_ + ": columns to be written");
  } catch (const arrow_cell_problem& problem) {
    throw format_error(fmt::format("{}: row {}, column \"{}\": {}", name_,
                                   first_row + problem.row + 1, field.name, problem.text));
  }
  gather_presence(column, records, piece.rows, piece);
  return piece.rows;
}

/// Fewer than n where they are long.
std::int64_t arrow_writer::gather_text(std::size_t column, const std::byte* records, std::int64_t n,
                                       std::int64_t first_row, arrow_piece& piece) {
  const auto& field = layout_.columns[column];
  auto& values = gathered_[column].values;
  auto& text = gathered_[column].text;
  room_for(values, static_cast<std::size_t>(rows_gathered + 1) * sizeof(std::int32_t));
  auto* const places = values.as<std::int32_t>();
  std::size_t bytes = 0;
  std::int64_t rows = 0;
  for (; rows < n && bytes < text_gathered_; ++rows) {
    const auto* const record = records + static_cast<std::size_t>(rows) * layout_.bytes;
    places[rows] = static_cast<std::int32_t>(bytes);
    if (lacks_value(field, record)) continue;
    const auto one = text_of(field.type, record + field.offset);
    if (one.size() > text_max - text_gathered_)
      throw format_error(
          fmt::format("{}: row {}, column \"{}\": expected a text of less than 2 GiB, got {} bytes",
                      name_, first_row + rows + 1, field.name, one.size()));
    if (!base::is_utf8(one))
      throw format_error(fmt::format(
          "{}: row {}, column \"{}\": expected text in UTF-8, as {} has it, "
          "got other bytes",
          name_, first_row + rows + 1, field.name, kind_ == kind::ipc ? "Arrow" : "Parquet"));
    bytes += one.size();
  }
  places[rows] = static_cast<std::int32_t>(bytes);
  room_for(text, bytes);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto size = static_cast<std::size_t>(places[i + 1] - places[i]);
    const auto* const record = records + static_cast<std::size_t>(i) * layout_.bytes;
    if (size > 0)
      std::memcpy(text.data() + places[i], text_of(field.type, record + field.offset).data(), size);
  }
  piece.values = places;
  piece.text = bytes == 0 ? "" : text.as<const char>();
  gather_presence(column, records, rows, piece);
  return rows;
}

void arrow_writer::complete() {
  writing(name_, [&] {
    if (group_rows_ > 0) file_->end_group();
  });
  put_dictionaries();
  writing(name_, [&] { file_->close(); });
  file_.reset();
}

void arrow_writer::close() {
  if (file_) complete();
  sink_.commit();
}

}  // namespace pappus::formats
