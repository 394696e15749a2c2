// The door to everything: a session owns the workers, the memory budget and the queries made from
// it.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "pappus/detail/base/array.h"
#include "pappus/detail/base/built_with.h"
#include "pappus/detail/fuse/launch_refusals.h"
#include "pappus/detail/fuse/source_refusals.h"
#include "pappus/error.h"
#include "pappus/query.h"

namespace pappus {

/// Settings of a session. Unset members come from the environment (PAPPUS_THREADS,
/// PAPPUS_HOST_MEMORY, ...), then from the machine.
struct options {
  unsigned threads = 0;         ///< workers, at most 1024; 0: PAPPUS_THREADS or all cores
  std::size_t host_memory = 0;  ///< bytes; 0: PAPPUS_HOST_MEMORY ("8GiB") or 80 % of what is free
  std::int64_t chunk_rows = 0;  ///< rows per piece of work; 0: PAPPUS_CHUNK_ROWS or chosen by the
                                ///< planner. Never changes a result
  /// "cpu,opencl:0": where queries may run; empty: PAPPUS_DEVICES or whatever is fastest. If cpu
  /// isn't listed, it runs only the stages that no device can.
  std::string devices{};
  std::size_t device_memory = 0;  ///< bytes a device; 0: PAPPUS_DEVICE_MEMORY or what it has
  /// Folder on a disk for what doesn't fit in memory; "off": nothing goes there. Empty:
  /// PAPPUS_SPILL, TMPDIR or /var/tmp.
  std::string spill{};
  std::size_t spill_size = 0;  ///< most bytes there; 0: PAPPUS_SPILL_SIZE or half of what is free
  /// "eager": for_each waits until it has run. "lazy": nothing runs before somebody waits. Empty:
  /// PAPPUS_LAUNCH, or launches gather for a moment and run beside the caller.
  std::string launch{};
  std::string trace{};   ///< file for a Perfetto trace; empty: PAPPUS_TRACE or none
  std::string report{};  ///< file for a page about what ran; empty: PAPPUS_REPORT or none
  int progress = -1;     ///< 1 show a progress bar, 0 don't, -1 on a terminal
};

namespace detail {

/// Throws usage_error if I, the common type of both ends, is unsigned and one of them is negative.
template <typename I, typename Begin, typename End>
void check_range(Begin begin, End end) {
  const bool negative =
      (std::is_signed_v<Begin> && begin < Begin{0}) || (std::is_signed_v<End> && end < End{0});
  if (!std::is_signed_v<I> && negative)
    refuse_range(std::to_string(begin), std::to_string(end), type_name<I>());
}

}  // namespace detail

template <typename T>
struct column_of;  // columns.h

/// A loop ends after n iterations even if its condition still holds.
struct max_iterations {
  std::int64_t n;
};

class session : public detail::source_refusals, public detail::launch_refusals {
 public:
  // Beside each source, what it refuses.
  using detail::launch_refusals::filled;
  using detail::launch_refusals::for_each;
  using detail::launch_refusals::open;
  using detail::launch_refusals::unwritten;
  using detail::launch_refusals::zeros;
  using detail::source_refusals::arrow;
  using detail::source_refusals::borrow;
  using detail::source_refusals::csv;
  using detail::source_refusals::from;
  using detail::source_refusals::json;
  using detail::source_refusals::npy;
  using detail::source_refusals::parquet;
  using detail::source_refusals::raw;
  using detail::source_refusals::read;

  session() : session(options{}) {}
  explicit session(const options& settings) : session(settings, detail::build_settings{}) {}
  /// Takes --pappus-threads=N, --pappus-host-memory=SIZE, --pappus-chunk-rows=N,
  /// --pappus-devices=LIST, --pappus-device-memory=SIZE, --pappus-spill=FOLDER,
  /// --pappus-spill-size=SIZE, --pappus-trace=FILE, --pappus-report=FILE out of the arguments.
  session(int& argc, char** argv) : session(argc, argv, detail::build_settings{}) {}
  ~session();
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// The integers begin, ..., end - 1 in the common type of both; none when end <= begin. Throws
  /// usage_error when there are 2^63 or more, or when that type can't hold begin or end (-1 beside
  /// an unsigned).
  template <std::integral Begin, std::integral End>
  auto range(Begin begin, End end) {
    using I = std::common_type_t<Begin, End>;
    detail::check_range<I>(begin, end);
    const auto first = static_cast<I>(begin), last = static_cast<I>(end);
    detail::stage_spec stage;
    stage.rows = last > first ? detail::range_rows(static_cast<std::uint64_t>(last) -
                                                   static_cast<std::uint64_t>(first))
                              : 0;
    stage.ops.push_back({"range", detail::next_op_id()});
    return query<detail::counter<I>>(core_, {first}, std::move(stage));
  }

  /// The elements of a range that lie one after another (std::vector, std::array, std::span, ...),
  /// copied now.
  template <std::ranges::contiguous_range Range>
  auto from(const Range& range) {
    using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    const auto n = static_cast<std::int64_t>(std::ranges::size(range));
    return memory_node<T>(
        detail::copy_rows(core_, detail::record_type_of<T>(), std::ranges::data(range), n), false);
  }
  /// The same of a list: s.from({1, 2, 3}).
  template <typename T>
  collection<T> from(std::initializer_list<T> list) {
    return from(std::span<const T>(list.begin(), list.size()));
  }

  /// The elements of a range that lie one after another, used in place: they must stay as they are
  /// until the last query over them is done. So a temporary is refused, unless it only refers to
  /// elements, as std::span does. Throws usage_error where they aren't aligned as their type is.
  template <std::ranges::contiguous_range Range>
  auto borrow(Range&& range) {
    using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    const auto* const data = std::ranges::data(range);
    const auto rows = static_cast<std::size_t>(std::ranges::size(range));
    detail::check_borrowed(data, rows, alignof(T), detail::record_type_of<T>().name);
    return memory_node<T>(std::make_shared<detail::row_set>(detail::record_type_of<T>(), data,
                                                            static_cast<std::int64_t>(rows)),
                          true);
  }

  /// Records of a CSV file: s.csv<flight>("flights.csv", column("carrier", &flight::carrier), ...).
  /// Columns are found by name in the header. csv_options before them tell another delimiter, or
  /// that there is no header. Opened now, read when needed. Throws format_error.
  /// Text may be compressed by gzip or zstd. Here and below, a path with * ? [..] stands for all
  /// files that it matches, sorted by name, and a list of paths for all of them: their records come
  /// one file after the other.
  template <typename T, typename... Columns>
  collection<T> csv(const std::string& path, const Columns&... columns);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
  collection<T> csv(const Paths& paths, const Columns&... columns);
  /// Records of a file of JSON lines, an object a line: s.json<event>("events.jsonl"). Keys are
  /// found by name; "user.id" is the key id of the object at user. Throws format_error.
  template <typename T, typename... Columns>
  collection<T> json(const std::string& path, const Columns&... columns);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
  collection<T> json(const Paths& paths, const Columns&... columns);
  /// The lines of a text file, without the \n or \r\n that ends them. Bytes are passed on as they
  /// are, whatever the encoding.
  collection<std::string_view> lines(const std::string& path);
  template <detail::list_of_paths Paths = std::initializer_list<std::string>>
  collection<std::string_view> lines(const Paths& paths);
  /// Records of a Parquet file; columns are found by name, as those of CSV files are. See
  /// docs/guides/files.md for the types that columns may have. Throws format_error, also where
  /// Pappus was built without Arrow.
  template <typename T, typename... Columns>
  collection<T> parquet(const std::string& path, const Columns&... columns);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
  collection<T> parquet(const Paths& paths, const Columns&... columns);
  /// The same of a file of Arrow's own format (.arrow, also called Feather), or a stream (.arrows).
  template <typename T, typename... Columns>
  collection<T> arrow(const std::string& path, const Columns&... columns);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
  collection<T> arrow(const Paths& paths, const Columns&... columns);
  /// Records of a .npy file, matched with T by the types of its fields (at most 64).
  template <typename T>
  collection<T> npy(const std::string& path);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>>
  collection<T> npy(const Paths& paths);
  /// Records of T one after another, as they lie in memory.
  template <typename T>
  collection<T> raw(const std::string& path);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>>
  collection<T> raw(const Paths& paths);
  /// Records of a .csv, .tsv, .jsonl, .ndjson, .parquet, .arrow (.feather, .arrows), .npy or raw
  /// (.raw) file, told by its suffix, behind which text may have .gz or .zst.
  template <typename T, typename... Columns>
  collection<T> read(const std::string& path, const Columns&... columns);
  template <typename T, detail::list_of_paths Paths = std::initializer_list<std::string>,
            typename... Columns>
  collection<T> read(const Paths& paths, const Columns&... columns);

  /// Starts with the records of `initial`, replaces them by those of body(collection) and goes on
  /// while condition(std::span before, std::span after) holds. The body is called once, to record
  /// what an iteration does. See loop.h.
  template <typename E, typename Body, typename Condition>
  collection<detail::value_of<E>> do_while(const query<E>& initial, Body body, Condition condition,
                                           max_iterations limit);
  template <typename E, typename Body, typename Condition>
  collection<detail::value_of<E>> do_while(const query<E>& initial, Body body, Condition condition);

  /// Computes several results in one go, sharing what they have in common: auto [a, b] = s.run(x,
  /// y). Those that reduce the same query's records share a loop. See run.h.
  template <detail::a_value... Values>
  std::tuple<typename Values::value_type...> run(const Values&... values);
  template <typename... Args>
    requires(!(detail::a_value<Args> && ...))
  PAPPUS_REFUSED(
      "run: expected values, as in s.run(sales.count(), sales.mean(&sale::price)); a query of many "
      "records is run by collect()")
  detail::refused<session> run(const Args&...) {
    return {};
  }

  /// An array of zeros (elements of bytes 0): s.zeros<float, 2>({rows, columns}). None is written
  /// until somebody reads it. Throws usage_error where an extent is negative, memory_error.
  template <typename T, std::size_t N = 1>
    requires(detail::record<T> && N <= 4)
  array<T, N> zeros(const idx<N>& extents);
  /// The same with another value.
  template <typename T, std::size_t N = 1>
    requires(detail::record<T> && N <= 4)
  array<T, N> filled(const idx<N>& extents, const T& value);
  /// An array that is to be written before it is read.
  template <typename T, std::size_t N = 1>
    requires(detail::record<T> && N <= 4)
  array<T, N> unwritten(const idx<N>& extents);
  /// A copy of elements that lie one after another (std::vector, std::span, ...), row by row:
  /// s.to_array<2>(numbers, {rows, columns}). Throws usage_error where there are more or fewer.
  template <std::size_t N, std::ranges::contiguous_range Range>
  auto to_array(const Range& elements, const idx<N>& extents);
  template <std::ranges::contiguous_range Range>
  auto to_array(const Range& elements);
  /// A copy of a std::mdspan, or of what has rank(), extent(d), stride(d) and data_handle() like
  /// one: elements may lie in any strides.
  template <detail::mdspan_like Span>
  auto to_array(const Span& elements);
  /// An array that lies in a file (.npy, .zarr, .h5, ...), opened without reading its elements:
  /// s.open<pixel, 2>("slide.zarr"). T may take up the last dimensions of the file's: a pixel of
  /// three bytes those of (y, x, 3). Columns bind fields by their names. Throws format_error. See
  /// array_file.h.
  template <typename T, std::size_t N = 1, typename... Columns>
    requires(detail::record<T> && N <= 4 && (std::same_as<Columns, column_of<T>> && ...))
  array<T, N> open(const std::string& path, const Columns&... columns);
  /// The same of a file that doesn't say its extents (.raw), or must have these.
  template <typename T, std::size_t N = 1>
    requires(detail::record<T> && N <= 4)
  array<T, N> open(const std::string& path, const idx<N>& extents);
  /// Arrays of N - 1 dimensions in files of equal extents and chunks, stacked along a new slowest
  /// dimension, in their order: s.open<float, 3>(days). Paths are texts or std::filesystem::paths.
  /// Throws format_error naming the file that is unlike the first one, usage_error for no paths.
  template <typename T, std::size_t N = 1, detail::list_of_paths Paths, typename... Columns>
    requires(detail::record<T> && N >= 2 && N <= 4 && (std::same_as<Columns, column_of<T>> && ...))
  array<T, N> open(const Paths& paths, const Columns&... columns);
  /// The same of arrays that have this name in each file: s.open<float, 3>(days, "/ndvi").
  template <typename T, std::size_t N = 1, detail::list_of_paths Paths,
            std::convertible_to<std::string> Name, typename... Columns>
    requires(detail::record<T> && N >= 2 && N <= 4 && (std::same_as<Columns, column_of<T>> && ...))
  array<T, N> open(const Paths& paths, const Name& name, const Columns&... columns);
  /// The same of files that don't say their extents, which are those of one file.
  template <typename T, std::size_t N = 1, detail::list_of_paths Paths>
    requires(detail::record<T> && N >= 2 && N <= 4)
  array<T, N> open(const Paths& paths, const idx<detail::rank_in_stack<N>>& extents);
  /// Calls f(index, views...) for every index on all cores: see launch.h. Returns before it is
  /// done; whoever looks at an array waits. Results are those of launches run one after another.
  /// What fails while it runs is thrown where its results are looked at (launch_error). Throws
  /// usage_error for what can't be right.
  template <typename F, typename... Arrays>
    requires(detail::launch_fault_of<F, Arrays...>() == detail::launch_fault::none)
  void for_each(const index_space<detail::launched<F>::rank>& indices, const F& f,
                const Arrays&... arrays);
  /// Waits for all launches so far. Throws launch_error for the first that failed and that nobody
  /// was told of.
  void wait();

  /// Stops the queries that run in this session and the launches that were called, from any thread:
  /// the queries throw pappus::cancelled, and so does who looks at what the launches would have
  /// written. Queries and launches of a later time run.
  void cancel() noexcept;

  /// What went wrong on devices so far and what was done about it, one line each. Results are right
  /// all the same.
  std::vector<std::string> device_faults() const;

  /// Where a function of the caller's threw last, in any query of this session; nullopt if none
  /// has.
  std::optional<failure> last_failure() const;

  unsigned threads() const noexcept;
  std::size_t host_memory() const noexcept;       ///< bytes of the budget
  std::size_t host_memory_used() const noexcept;  ///< bytes in use now
  std::size_t host_memory_peak() const noexcept;  ///< the most bytes held so far

 private:
  friend struct detail::access;

  session(const options& settings, detail::build_settings);
  session(int& argc, char** argv, detail::build_settings);

  template <typename T>
  collection<T> memory_node(detail::rows_ptr rows, bool borrowed) {
    auto params = std::make_shared<detail::memory_params>();
    params->rows = std::move(rows);
    params->borrowed = borrowed;
    return {core_, detail::make_node(core_, {detail::memory_operator(),
                                             borrowed ? "borrow" : "from",
                                             detail::record_type_of<T>(),
                                             {},
                                             std::move(params)})};
  }

  detail::session_ptr core_;
};

inline const detail::session_ptr& detail::access::session(const pappus::session& of) {
  return of.core_;
}

}  // namespace pappus
