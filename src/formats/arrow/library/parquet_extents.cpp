#include "formats/arrow/library/parquet_extents.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "formats/arrow/library/parquet_column.h"

namespace pappus::formats {
namespace {

template <typename T>
arrow_extent integers_of(T least, T most, arrow_kind kind) {
  arrow_extent found{.of = arrow_extent::what::integers, .least = least, .most = most};
  if (kind == arrow_kind::u32 && sizeof(T) == sizeof(std::uint32_t)) {
    found.least = static_cast<std::uint32_t>(least);
    found.most = static_cast<std::uint32_t>(most);
  }
  const bool in_order = kind == arrow_kind::u64 ? static_cast<std::uint64_t>(found.least) <=
                                                      static_cast<std::uint64_t>(found.most)
                                                : found.least <= found.most;
  return in_order ? found : arrow_extent();
}

/// Some writers took NaN for one of them.
template <typename T>
arrow_extent floats_of(T low, T high) {
  if (!(low <= high)) return {};
  return {.of = arrow_extent::what::floats, .low = low, .high = high};
}

/// Writers may cut long ones, so that they aren't among the values.
arrow_extent texts_of(const parquet::ByteArray& first, const parquet::ByteArray& last) {
  arrow_extent found{.of = arrow_extent::what::texts,
                     .first = std::string(std::string_view(first)),
                     .last = std::string(std::string_view(last))};
  return found.first <= found.last ? found : arrow_extent();
}

/// \tparam Type  of Parquet's
template <typename Type>
arrow_extent between(const typename Type::c_type& least, const typename Type::c_type& most,
                     arrow_kind kind) {
  if constexpr (std::is_same_v<Type, parquet::ByteArrayType>)
    return texts_of(least, most);
  else if constexpr (std::is_floating_point_v<typename Type::c_type>)
    return floats_of(least, most);
  else
    return integers_of(least, most, kind);
}

/// Calls f with the type, of those that something can be told of.
template <typename F>
auto with_type(parquet::Type::type type, const F& f) -> decltype(f(parquet::Int32Type())) {
  switch (type) {
    case parquet::Type::BOOLEAN:
      return f(parquet::BooleanType());
    case parquet::Type::INT32:
      return f(parquet::Int32Type());
    case parquet::Type::INT64:
      return f(parquet::Int64Type());
    case parquet::Type::FLOAT:
      return f(parquet::FloatType());
    case parquet::Type::DOUBLE:
      return f(parquet::DoubleType());
    case parquet::Type::BYTE_ARRAY:
      return f(parquet::ByteArrayType());
    default:
      return {};
  }
}

/// Of bytes that aren't said to be text, some writers put lengths in front of the least and the
/// most.
bool has_order(const parquet::ColumnDescriptor& column) {
  const auto& logical = column.logical_type();
  return logical && (logical->is_string() || logical->is_enum() || logical->is_JSON());
}

}  // namespace

arrow_extent extent_of(const parquet::Statistics* statistics, const arrow_column& column) {
  if (statistics == nullptr || !statistics->HasMinMax()) return {};
  const auto kind = column.kind;
  if (kind == arrow_kind::list || kind == arrow_kind::other) return {};
  const bool has_bytes = statistics->physical_type() == parquet::Type::BYTE_ARRAY;
  if (has_bytes != (kind == arrow_kind::text) || (has_bytes && !has_order(*statistics->descr())))
    return {};
  if (kind == arrow_kind::timestamp && !has_unit(*statistics->descr(), column.unit)) return {};
  return with_type(statistics->physical_type(), [&]<typename Type>(Type) {
    const auto& of = static_cast<const parquet::TypedStatistics<Type>&>(*statistics);
    return between<Type>(of.min(), of.max(), kind);
  });
}

std::vector<arrow_extent> extents_of(const parquet::ColumnIndex& index, parquet::Type::type type,
                                     arrow_kind kind) {
  return with_type(type, [&]<typename Type>(Type) {
    const auto& of = static_cast<const parquet::TypedColumnIndex<Type>&>(index);
    std::vector<arrow_extent> pages(of.null_pages().size());
    for (const auto page : of.non_null_page_indices()) {
      const auto at = static_cast<std::size_t>(page);
      pages.at(at) = between<Type>(of.min_values().at(at), of.max_values().at(at), kind);
    }
    return pages;
  });
}

}  // namespace pappus::formats
