#include "formats/arrow/arrow_groups.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/conditions.h"

namespace pappus::formats {
namespace {

using base::wide_integer;
using detail::cell;
using detail::condition;

struct whole_numbers {
  bool is_signed;
  wide_integer least, most;
};
struct floats {
  double least, most;
};
struct texts {
  std::string_view first, last;
};
/// What a field may be where its value is there. Nothing: anything.
using field_values = std::optional<std::variant<whole_numbers, floats, texts>>;

template <typename T>
field_values if_in_range(wide_integer least, wide_integer most) {
  if (least < wide_integer{std::numeric_limits<T>::min()} ||
      most > wide_integer{std::numeric_limits<T>::max()})
    return std::nullopt;
  return whole_numbers{std::numeric_limits<T>::is_signed, least, most};
}

template <typename T>
field_values if_exact(wide_integer least, wide_integer most) {
  constexpr auto exact = wide_integer{1} << std::numeric_limits<T>::digits;
  if (least < -exact || most > exact) return std::nullopt;
  return floats{static_cast<double>(least), static_cast<double>(most)};
}

field_values whole_values(cell field, wide_integer least, wide_integer most) {
  switch (field) {
    case cell::i8:
      return if_in_range<std::int8_t>(least, most);
    case cell::i16:
      return if_in_range<std::int16_t>(least, most);
    case cell::i32:
    case cell::date:
      return if_in_range<std::int32_t>(least, most);
    case cell::i64:
    case cell::timestamp:
      return if_in_range<std::int64_t>(least, most);
    case cell::u8:
      return if_in_range<std::uint8_t>(least, most);
    case cell::u16:
      return if_in_range<std::uint16_t>(least, most);
    case cell::u32:
      return if_in_range<std::uint32_t>(least, most);
    case cell::u64:
      return if_in_range<std::uint64_t>(least, most);
    case cell::boolean:
      return whole_numbers{false, least, most};
    case cell::f32:
      return if_exact<float>(least, most);
    case cell::f64:
      return if_exact<double>(least, most);
    default:
      return std::nullopt;
  }
}

/// Microseconds; those that have nanoseconds are refused.
field_values moments(std::int64_t unit, wide_integer least, wide_integer most) {
  constexpr std::int64_t micro = 1'000'000;
  if (unit <= micro)
    return whole_values(cell::timestamp, least * (micro / unit), most * (micro / unit));
  const wide_integer ratio = unit / micro;
  if (least % ratio != 0 || most % ratio != 0) return std::nullopt;
  return whole_values(cell::timestamp, least / ratio, most / ratio);
}

field_values values_of(const arrow_binding& bound, const arrow_extent& extent) {
  const auto& from = bound.from;
  if (extent.of == arrow_extent::what::floats) return floats{extent.low, extent.high};
  if (extent.of == arrow_extent::what::texts) return texts{extent.first, extent.last};
  if (extent.of != arrow_extent::what::integers) return std::nullopt;
  wide_integer least = extent.least, most = extent.most;
  if (from.kind == arrow_kind::u64) {
    least = static_cast<std::uint64_t>(extent.least);
    most = static_cast<std::uint64_t>(extent.most);
  }
  if (from.kind == arrow_kind::timestamp) return moments(from.unit, least, most);
  if (from.kind == arrow_kind::decimal && from.scale != 0) return std::nullopt;
  return whole_values(bound.field.type, least, most);
}

/// Whether it is about this field's value.
bool is_about(const condition& one, const detail::column_binding& field) {
  return one.offset == field.offset && one.bytes == detail::cell_bytes(field.type) &&
         one.text.empty() != detail::is_text_cell(field.type) &&
         one.floating == detail::is_float_cell(field.type);
}

/// Or about whether it is there.
bool is_about_presence(const condition& one, const detail::column_binding& field) {
  return field.presence != 0 && one.offset == field.presence && one.bytes == 1 && !one.floating;
}

bool may_hold(const condition& one, const field_values& values) {
  if (!values) return !one.never;
  if (const auto* const between = std::get_if<texts>(&*values))
    return base::may_hold(one, between->first, between->last);
  if (const auto* const numbers = std::get_if<whole_numbers>(&*values))
    return base::may_hold(one, numbers->is_signed, numbers->least, numbers->most);
  const auto& [least, most] = std::get<floats>(*values);
  return base::may_hold(one, least, most);
}

/// Some of a column's values.
struct column_part {
  const arrow_binding& bound;
  std::int64_t rows, nulls;
  const arrow_extent& extent;

  column_part(const arrow_binding& of, std::int64_t n, std::int64_t missing,
              const arrow_extent& between)
      : bound(of), rows(n), nulls(of.from.nullable ? missing : 0), extent(between) {}
};

/// Whether all conditions may be true of a record whose value of the column is there.
bool may_be_there(const column_part& part, const detail::conditions& wanted) {
  if (part.nulls == part.rows) return false;
  const auto& field = part.bound.field;
  const auto values = values_of(part.bound, part.extent);
  return std::ranges::all_of(wanted, [&](const condition& one) {
    if (is_about(one, field)) return may_hold(one, values);
    return !is_about_presence(one, field) || base::may_hold(one, false, 1, 1);
  });
}

/// Or of one whose value is missing: it is zero then.
bool may_be_missing(const column_part& part, const detail::conditions& wanted) {
  if (part.nulls == 0) return false;
  const auto& field = part.bound.field;
  if (field.presence == 0) return true;  // is refused
  return std::ranges::all_of(wanted, [&](const condition& one) {
    if (is_about(one, field))
      return !one.text.empty() ? base::may_hold(one, "", "")
             : one.floating    ? base::may_hold(one, 0.0, 0.0)
                               : base::may_hold(one, false, 0, 0);
    return !is_about_presence(one, field) || base::may_hold(one, false, 0, 0);
  });
}

/// Whether a value might be refused: which ones the field can have isn't sure.
bool may_be_refused(const column_part& part) {
  const auto& bound = part.bound;
  if (bound.field.presence == 0 && part.nulls != 0) return true;
  if (part.nulls == part.rows) return false;
  const bool same =
      bound.from.kind <= arrow_kind::f64 && static_cast<cell>(bound.from.kind) == bound.field.type;
  return !same && !values_of(bound, part.extent);
}

bool is_wanted(const column_part& part, const detail::conditions& wanted) {
  return may_be_refused(part) || may_be_there(part, wanted) || may_be_missing(part, wanted);
}

struct row_range {
  std::int64_t first = 0, end = 0;
};

bool is_concerned(const arrow_binding& bound, const detail::conditions& wanted) {
  return std::ranges::any_of(wanted, [&](const condition& of) {
    return is_about(of, bound.field) || is_about_presence(of, bound.field);
  });
}

/// What is left of a group's rows without the column's pages at either end that nobody wants.
row_range without_pages(std::span<const arrow_page> pages, const arrow_binding& bound,
                        const detail::conditions& wanted, row_range range) {
  row_range found;
  std::int64_t row = 0;
  for (const auto& page : pages) {
    if (is_wanted({bound, page.rows, page.nulls, page.extent}, wanted)) {
      if (found.end == 0) found.first = row;
      found.end = row + page.rows;
    }
    row += page.rows;
  }
  range = {std::max(range.first, found.first), std::min(range.end, found.end)};
  return range.first < range.end ? range : row_range();
}

/// Pages of columns in a group, each looked up once.
class group_pages {
 public:
  group_pages(arrow_file& file, std::span<const arrow_binding> bound, std::size_t group)
      : file_(file), bound_(bound), group_(group), known_(bound.size()) {}

  std::span<const arrow_page> of(std::size_t which) {
    if (!known_[which]) known_[which] = file_.pages(group_, bound_[which].column);
    return *known_[which];
  }

 private:
  arrow_file& file_;
  std::span<const arrow_binding> bound_;
  std::size_t group_;
  std::vector<std::optional<std::vector<arrow_page>>> known_;
};

/// The rows of a group among which those are of which all conditions are true.
row_range rows_wanted(group_pages& pages, std::int64_t rows, std::span<const arrow_binding> bound,
                      const detail::conditions& wanted) {
  row_range range{0, rows};
  for (std::size_t i = 0; i < bound.size() && range.end > 0; ++i) {
    if (!is_concerned(bound[i], wanted)) continue;
    if (const auto some = pages.of(i); !some.empty())
      range = without_pages(some, bound[i], wanted, range);
  }
  return range;
}

/// Bytes of the columns' pages that lie among some of a group's rows, but not all.
std::int64_t stored_bytes(group_pages& pages, std::size_t columns, row_range among) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    std::int64_t row = 0;
    for (const auto& page : pages.of(i)) {
      if (row >= among.first && row + page.rows <= among.end) bytes += page.stored_bytes;
      row += page.rows;
    }
  }
  return bytes;
}

}  // namespace

std::vector<bool> groups_left_out(const std::vector<arrow_group>& groups,
                                  std::span<const arrow_binding> bound,
                                  const detail::conditions& wanted) {
  std::vector<bool> result(groups.size(), false);
  for (const auto& one : bound) {
    if (!is_concerned(one, wanted)) continue;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto& group = groups[i];
      const column_part part{one, group.rows, group.nulls[one.column], group.extents[one.column]};
      if (!is_wanted(part, wanted)) result[i] = true;
    }
  }
  return result;
}

std::vector<arrow_section> sections_of(arrow_file& file, std::span<const arrow_binding> bound,
                                       const detail::conditions& wanted) {
  const auto& groups = file.groups();
  const auto left_out = groups_left_out(groups, bound, wanted);
  std::vector<arrow_section> sections;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    group_pages pages(file, bound, i);
    const row_range all{0, groups[i].rows};
    const auto read = wanted.empty() ? all
                      : left_out[i]  ? row_range()
                                     : rows_wanted(pages, all.end, bound, wanted);
    const auto add = [&](row_range rows, bool none_wanted) {
      if (rows.first == rows.end) return;
      sections.push_back({i, rows.first, rows.end - rows.first, none_wanted});
      if (!none_wanted) return;
      auto& bytes = sections.back().bytes;
      if (read.first == read.end)
        for (const auto& one : bound) bytes += groups[i].stored_bytes[one.column];
      else
        bytes = stored_bytes(pages, bound.size(), rows);
    };
    add({0, read.first}, true);
    add(read, false);
    add({read.end, all.end}, true);
  }
  return sections;
}

}  // namespace pappus::formats
