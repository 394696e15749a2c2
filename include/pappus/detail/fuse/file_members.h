// What writes the records of a query to files, as members of queries; defined in files.h.
#pragma once

#include <string>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"

namespace pappus {
struct date;
}

namespace pappus::detail {

/// Whether a key can be told by a file's name: text, an integer, bool, an enum, a date.
template <typename K>
inline constexpr bool names_a_file =
    std::is_same_v<K, std::string_view> || is_category<K> || std::is_integral_v<K> ||
    std::is_enum_v<K> || std::is_same_v<K, date>;

template <typename Key, typename T>
concept names_files =
    takes_record<Key, T> && names_a_file<std::remove_cvref_t<returned_by<Key, T>>>;

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class file_members {
 public:
  /// Runs the query and writes its records to a .csv, .jsonl, .parquet, .arrow, .npy or .raw file,
  /// which appears whole. Columns are called as fields are, or as column("name", &hit::name), ...
  /// says.
  template <typename... Columns>
  void write(const std::string& path, const Columns&... columns) const;

  /// Runs the query and puts its records behind those of a .csv, .tsv, .jsonl, .npy or .raw file,
  /// perhaps of compressed text, whose columns must be the same ones in the same order; a file that
  /// isn't there is created. They are put there when all are known: a query that fails or is
  /// cancelled leaves the file as it was. Several processes may append to a file, one after the
  /// other. Throws usage_error where the query reads the file, or files of the format can't grow.
  template <typename... Columns>
  void append_to(const std::string& path, const Columns&... columns) const;

  /// The same as write() with a file for each key, whose name has the key in place of {}:
  /// write_by(&flight::carrier, "flights/{}.csv"). A file's records are in the query's order. Keys
  /// are text, categories, integers, enums, bool, dates. Folders are made; no file appears before
  /// all are complete. Throws usage_error for a pattern without {}, a key that can't be part of a
  /// name, and more than 500 different keys. Cost: as write(), and a copy of some MiB of records at
  /// a time.
  template <names_files<T> Key, typename... Columns>
  void write_by(const Key& key, const std::string& pattern, const Columns&... columns) const;

  /// The same as append_to() with a file for each key, as write_by() has them; those that aren't
  /// there are created. When all records are known files get theirs, one file after the other.
  template <names_files<T> Key, typename... Columns>
  void append_by(const Key& key, const std::string& pattern, const Columns&... columns) const;

  template <typename Key, typename... Columns>
    requires(!takes_record<Key, T>)
  PAPPUS_REFUSED("write_by: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> write_by(const Key&, const std::string&, const Columns&...) const {
    return {};
  }
  template <typename Key, typename... Columns>
    requires(takes_record<Key, T> && !names_files<Key, T>)
  PAPPUS_REFUSED(
      "write_by: a key that names a file must be a std::string_view, a pappus::category, an "
      "integer, an enum, a bool or a pappus::date")
  refused<T> write_by(const Key&, const std::string&, const Columns&...) const {
    return {};
  }
  template <typename Key, typename... Columns>
    requires(!takes_record<Key, T>)
  PAPPUS_REFUSED("append_by: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> append_by(const Key&, const std::string&, const Columns&...) const {
    return {};
  }
  template <typename Key, typename... Columns>
    requires(takes_record<Key, T> && !names_files<Key, T>)
  PAPPUS_REFUSED(
      "append_by: a key that names a file must be a std::string_view, a pappus::category, an "
      "integer, an enum, a bool or a pappus::date")
  refused<T> append_by(const Key&, const std::string&, const Columns&...) const {
    return {};
  }
};

}  // namespace pappus::detail
