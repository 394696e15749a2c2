// What a session's sources refuse; see refusals.h.
#pragma once

#include <initializer_list>
#include <ranges>
#include <string>

#include "pappus/detail/base/array.h"
#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"

namespace pappus {
struct csv_options;  // columns.h
}

namespace pappus::detail {

#define PAPPUS_IS_A_CODE \
  " is a code of one process, which says nothing in another: use csv or parquet for text"

/// Overloads that refuse, for a session's sources.
class source_refusals {
 public:
  template <typename Range>
    requires(!std::ranges::contiguous_range<Range>)
  PAPPUS_REFUSED("from: the elements must lie one after another in memory" PAPPUS_SUCH_AS)
  refused<Range> from(const Range&) {
    return {};
  }
  template <std::ranges::contiguous_range Range>
    requires range_of_no_records<Range>
  PAPPUS_REFUSED("from: the element type" PAPPUS_ISNT_A_RECORD)
  refused<Range> from(const Range&) {
    return {};
  }
  template <typename T>
    requires(!record<T>)
  PAPPUS_REFUSED("from: the element type" PAPPUS_ISNT_A_RECORD)
  refused<T> from(std::initializer_list<T>) {
    return {};
  }

  template <typename Range>
    requires(!std::ranges::contiguous_range<Range>)
  PAPPUS_REFUSED("borrow: the elements must lie one after another in memory" PAPPUS_SUCH_AS)
  refused<Range> borrow(Range&&) {
    return {};
  }
  template <std::ranges::contiguous_range Range>
    requires(!std::ranges::borrowed_range<Range>)
  PAPPUS_REFUSED("borrow: a temporary is gone before the query runs: give it a name, or use from()")
  refused<Range> borrow(Range&&) {
    return {};
  }
  template <std::ranges::contiguous_range Range>
    requires(std::ranges::borrowed_range<Range> && range_of_no_records<Range>)
  PAPPUS_REFUSED("borrow: the element type" PAPPUS_ISNT_A_RECORD)
  refused<Range> borrow(Range&&) {
    return {};
  }

  template <typename T, typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("csv: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> csv(const std::string&, const Columns&...) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("csv: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> csv(const Paths&, const Columns&...) {
    return {};
  }
  template <typename T, typename... Columns>
    requires record<T>
  PAPPUS_REFUSED("json: the options of JSON lines are json_options, not csv_options")
  refused<T> json(const std::string&, const csv_options&, const Columns&...) {
    return {};
  }
  template <typename T, typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("json: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> json(const std::string&, const Columns&...) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("json: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> json(const Paths&, const Columns&...) {
    return {};
  }
  template <typename T, typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("parquet: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> parquet(const std::string&, const Columns&...) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("parquet: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> parquet(const Paths&, const Columns&...) {
    return {};
  }
  template <typename T, typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("arrow: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> arrow(const std::string&, const Columns&...) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("arrow: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> arrow(const Paths&, const Columns&...) {
    return {};
  }
  template <typename T, typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("read: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> read(const std::string&, const Columns&...) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
    requires(!record<T>)
  PAPPUS_REFUSED("read: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> read(const Paths&, const Columns&...) {
    return {};
  }
  template <typename T>
    requires(!record<T>)
  PAPPUS_REFUSED("npy: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> npy(const std::string&) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>>
    requires(!record<T>)
  PAPPUS_REFUSED("npy: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> npy(const Paths&) {
    return {};
  }
  template <typename T>
    requires(!record<T>)
  PAPPUS_REFUSED("raw: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> raw(const std::string&) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>>
    requires(!record<T>)
  PAPPUS_REFUSED("raw: the record type" PAPPUS_ISNT_A_RECORD)
  refused<T> raw(const Paths&) {
    return {};
  }
  template <typename T>
    requires(record<T> && has_category<T>())
  PAPPUS_REFUSED("raw: a pappus::category" PAPPUS_IS_A_CODE)
  refused<T> raw(const std::string&) {
    return {};
  }
  template <typename T, list_of_paths Paths = std::initializer_list<std::string>>
    requires(record<T> && has_category<T>())
  PAPPUS_REFUSED("raw: a pappus::category" PAPPUS_IS_A_CODE)
  refused<T> raw(const Paths&) {
    return {};
  }
};

}  // namespace pappus::detail
