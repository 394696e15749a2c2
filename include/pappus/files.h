// Files as sources and destinations: CSV, JSON lines, Parquet, Arrow, NPY, raw records.
#pragma once

#include <functional>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pappus/columns.h"
#include "pappus/detail/base/table_text.h"
#include "pappus/session.h"

namespace pappus {
namespace detail {

template <typename T, typename... Columns>
PAPPUS_GLUE record_layout file_layout(const Columns&... columns) {
  static_assert((std::same_as<Columns, column_of<T>> && ...),
                "columns must be given as column(\"name\", &T::field)");
  if constexpr (sizeof...(Columns) == 0)
    return layout_of<T>();
  else
    return {sizeof(T), {columns...}};
}
template <typename T, typename... Columns>
record_layout file_layout(const csv_options& options, const Columns&... columns) {
  auto layout = file_layout<T>(columns...);
  layout.text = {options.delimiter, options.header,    options.missing,
                 options.decimal,   options.thousands, options.date,
                 options.timestamp, options.skip,      options.comment};
  if (options.bad_rows) layout.text.bad_rows = tells(*options.bad_rows);
  return layout;
}
template <typename T, typename... Columns>
record_layout file_layout(const json_options& options, const Columns&... columns) {
  auto layout = file_layout<T>(columns...);
  if (options.bad_rows) layout.text.bad_rows = tells(*options.bad_rows);
  return layout;
}

template <list_of_paths Paths>
std::vector<std::string> texts_of(const Paths& paths) {
  return {std::ranges::begin(paths), std::ranges::end(paths)};
}

/// Records of files of a format; null: their names tell which.
template <typename T>
collection<T> rows_of(const session_ptr& session, const record_layout& layout,
                      const std::vector<std::string>& paths, const char* format) {
  return {session, open_rows(session, record_type_of<T>(), layout, paths, format)};
}

/// What stands in a file's name for a key.
template <typename K>
void name_file(const K& key, std::string& to) {
  if constexpr (std::is_same_v<K, std::string_view>)
    to = key;
  else if constexpr (is_category<K>)
    to = key.text();
  else if constexpr (std::is_same_v<K, bool>)
    to = key ? "true" : "false";
  else if constexpr (std::is_same_v<K, date>)
    to = text_of_date(key.days);
  else if constexpr (std::is_enum_v<K>)
    to = std::to_string(static_cast<std::underlying_type_t<K>>(key));
  else
    to = std::to_string(key);
}

template <typename E>
node_request deliver_request(const query<E>& from, const char* name,
                             std::shared_ptr<deliver_params> params) {
  params->loop = write_rows<E>;
  return {deliver_operator(), name, record_type_of<value_of<E>>(),
          detail::access::erased_stage(from), std::move(params)};
}

}  // namespace detail

template <typename T, typename... Columns>
collection<T> session::csv(const std::string& path, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), {path}, "csv");
}
template <typename T, detail::list_of_paths Paths, typename... Columns>
collection<T> session::csv(const Paths& paths, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), detail::texts_of(paths),
                            "csv");
}

template <typename T, typename... Columns>
collection<T> session::parquet(const std::string& path, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), {path}, "parquet");
}
template <typename T, detail::list_of_paths Paths, typename... Columns>
collection<T> session::parquet(const Paths& paths, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), detail::texts_of(paths),
                            "parquet");
}

template <typename T, typename... Columns>
collection<T> session::arrow(const std::string& path, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), {path}, "arrow");
}
template <typename T, detail::list_of_paths Paths, typename... Columns>
collection<T> session::arrow(const Paths& paths, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), detail::texts_of(paths),
                            "arrow");
}

template <typename T, typename... Columns>
collection<T> session::json(const std::string& path, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), {path}, "json");
}
template <typename T, detail::list_of_paths Paths, typename... Columns>
collection<T> session::json(const Paths& paths, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), detail::texts_of(paths),
                            "json");
}

template <typename T, typename... Columns>
collection<T> session::read(const std::string& path, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), {path}, nullptr);
}
template <typename T, detail::list_of_paths Paths, typename... Columns>
collection<T> session::read(const Paths& paths, const Columns&... columns) {
  return detail::rows_of<T>(core_, detail::file_layout<T>(columns...), detail::texts_of(paths),
                            nullptr);
}

inline collection<std::string_view> session::lines(const std::string& path) {
  return detail::rows_of<std::string_view>(core_, detail::layout_of<std::string_view>(), {path},
                                           "lines");
}
template <detail::list_of_paths Paths>
collection<std::string_view> session::lines(const Paths& paths) {
  return detail::rows_of<std::string_view>(core_, detail::layout_of<std::string_view>(),
                                           detail::texts_of(paths), "lines");
}

template <typename T>
collection<T> session::npy(const std::string& path) {
  return detail::rows_of<T>(core_, detail::layout_of<T>(), {path}, "npy");
}
template <typename T, detail::list_of_paths Paths>
collection<T> session::npy(const Paths& paths) {
  return detail::rows_of<T>(core_, detail::layout_of<T>(), detail::texts_of(paths), "npy");
}

template <typename T>
collection<T> session::raw(const std::string& path) {
  return detail::rows_of<T>(core_, {sizeof(T), {}}, {path}, "raw");
}
template <typename T, detail::list_of_paths Paths>
collection<T> session::raw(const Paths& paths) {
  return detail::rows_of<T>(core_, {sizeof(T), {}}, detail::texts_of(paths), "raw");
}

template <typename E>
template <typename F>
void query<E>::for_each_chunk(F f) const {
  auto params = std::make_shared<detail::deliver_params>();
  params->take = [&f](detail::workers&, const std::byte* rows, std::int64_t n) {
    f(std::span<const value_type>(reinterpret_cast<const value_type*>(rows),
                                  static_cast<std::size_t>(n)));
  };
  detail::deliver(session_, detail::deliver_request(*this, "for_each_chunk", std::move(params)));
}

template <typename Of, typename T>
template <typename... Columns>
void detail::file_members<Of, T>::write(const std::string& path, const Columns&... columns) const {
  const auto& of = static_cast<const Of&>(*this);
  deliver_to_file(access::session(of),
                  deliver_request(of, "write", std::make_shared<deliver_params>()),
                  file_layout<T>(columns...), path);
}

template <typename Of, typename T>
template <typename... Columns>
void detail::file_members<Of, T>::append_to(const std::string& path,
                                            const Columns&... columns) const {
  const auto& of = static_cast<const Of&>(*this);
  append_to_file(access::session(of),
                 deliver_request(of, "append_to", std::make_shared<deliver_params>()),
                 file_layout<T>(columns...), path);
}

namespace detail {
/// Gives a record of type T the name of its file.
template <typename T, typename Key>
std::function<void(const std::byte*, std::string&)> naming(const Key& key) {
  return [key](const std::byte* record, std::string& name) {
    name_file(std::invoke(key, *reinterpret_cast<const T*>(record)), name);
  };
}
}  // namespace detail

template <typename Of, typename T>
template <detail::names_files<T> Key, typename... Columns>
void detail::file_members<Of, T>::write_by(const Key& key, const std::string& pattern,
                                           const Columns&... columns) const {
  const auto& of = static_cast<const Of&>(*this);
  deliver_to_files(access::session(of),
                   deliver_request(of, "write_by", std::make_shared<deliver_params>()),
                   file_layout<T>(columns...), pattern, naming<T>(key));
}

template <typename Of, typename T>
template <detail::names_files<T> Key, typename... Columns>
void detail::file_members<Of, T>::append_by(const Key& key, const std::string& pattern,
                                            const Columns&... columns) const {
  const auto& of = static_cast<const Of&>(*this);
  append_to_files(access::session(of),
                  deliver_request(of, "append_by", std::make_shared<deliver_params>()),
                  file_layout<T>(columns...), pattern, naming<T>(key));
}

}  // namespace pappus
