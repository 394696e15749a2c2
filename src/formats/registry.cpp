#include "formats/registry.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "formats/arrow/arrow_reader.h"
#include "formats/arrow/arrow_schema.h"
#include "formats/arrow/arrow_writer.h"
#include "formats/byte_source.h"
#include "formats/codecs/codec.h"
#include "formats/codecs/decompressor.h"
#include "formats/csv/csv_open.h"
#include "formats/csv/csv_reader.h"
#include "formats/csv/csv_schema.h"
#include "formats/csv/csv_writer.h"
#include "formats/file_end.h"
#include "formats/json/json_reader.h"
#include "formats/json/json_schema.h"
#include "formats/json/json_writer.h"
#include "formats/lines/lines_reader.h"
#include "formats/npy/npy.h"
#include "formats/npy/npy_match.h"
#include "formats/raw/raw.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::memory_source;
using detail::record_layout;

/// What a name says of a file's compression, and what is left of it: "x.csv" of "x.csv.gz".
std::pair<compression, std::string_view> compression_by_name(std::string_view path) {
  for (const auto& [suffix, by] : {std::pair{std::string_view(".gz"), compression::gzip},
                                   std::pair{std::string_view(".zst"), compression::zstd}})
    if (path.ends_with(suffix)) return {by, path.substr(0, path.size() - suffix.size())};
  return {compression::none, path};
}

template <typename Reader>
std::unique_ptr<reader> open(const std::string& path, const record_layout& layout,
                             memory_source& memory) {
  return std::make_unique<Reader>(open_file(path), layout, memory);
}

void refuse_compression(const std::string& path) {
  if (const auto by = compression_by_name(path).first; by != compression::none)
    throw usage_error(fmt::format(
        "{}: expected the name of a text file, as others can't be compressed by {}, got another; "
        "write a .csv or .jsonl, or an array to a .zarr",
        path, name_of(by)));
}

template <typename Writer>
std::unique_ptr<writer> create(const std::string& path, const record_layout& layout,
                               memory_source& memory) {
  refuse_compression(path);
  return std::make_unique<Writer>(path, layout, memory);
}

csv_options options_of(const record_layout& layout, char usual_delimiter) {
  const char delimiter = layout.text.delimiter != 0 ? layout.text.delimiter : usual_delimiter;
  return {.delimiter = delimiter,
          .header = layout.text.header,
          .missing = layout.text.missing,
          .dialect = csv_dialect(layout.text, delimiter),
          .skip = layout.text.skip,
          .comment = layout.text.comment,
          .bad_rows = layout.text.bad_rows};
}
/// Where memory is short, less of the file is there at a time.
csv_options options_of(const record_layout& layout, char delimiter, const memory_source& memory) {
  auto options = options_of(layout, delimiter);
  options.slab_bytes =
      std::clamp(memory.available() / 16, base::scaled(std::size_t{1} << 20), options.slab_bytes);
  options.piece_bytes = base::scaled(options.piece_bytes);
  return options;
}
template <char Delimiter>
std::unique_ptr<reader> open_text(const std::string& path, const record_layout& layout,
                                  memory_source& memory) {
  return std::make_unique<csv_reader>(open_file(path), layout, memory,
                                      options_of(layout, Delimiter, memory));
}
template <char Delimiter>
std::unique_ptr<writer> create_text(const std::string& path, const record_layout& layout,
                                    memory_source& memory) {
  return std::make_unique<csv_writer>(path, layout, memory, options_of(layout, Delimiter),
                                      make_codec(compression_by_name(path).first));
}
template <char Delimiter>
std::unique_ptr<writer> append_text(const std::string& path, const record_layout& layout,
                                    memory_source& memory) {
  const auto by = compression_by_name(path).first;
  const auto options = options_of(layout, Delimiter);
  const auto end = end_of_lines(path, by, false, memory);
  if (end.bytes > 0) check_same_columns(path, layout, memory, options);
  return std::make_unique<csv_writer>(path, layout, memory, options, make_codec(by), &end);
}

template <char Delimiter>
record_schema look_at_text(const std::string& path, const record_layout& layout, std::size_t bytes,
                           detail::workers& team, memory_source& memory) {
  return infer_schema([&] { return open_file(path); }, options_of(layout, Delimiter), bytes, team,
                      memory);
}

std::unique_ptr<reader> open_json(const std::string& path, const record_layout& layout,
                                  memory_source& memory) {
  const auto options = options_of({}, ',', memory);
  return std::make_unique<json_reader>(open_file(path), layout, memory, options.slab_bytes,
                                       options.piece_bytes);
}
std::unique_ptr<writer> create_json(const std::string& path, const record_layout& layout,
                                    memory_source& memory) {
  return std::make_unique<json_writer>(path, layout, memory,
                                       make_codec(compression_by_name(path).first));
}
std::unique_ptr<writer> append_json(const std::string& path, const record_layout& layout,
                                    memory_source& memory) {
  const auto by = compression_by_name(path).first;
  const auto end = end_of_lines(path, by, true, memory);
  return std::make_unique<json_writer>(path, layout, memory, make_codec(by), &end);
}

std::unique_ptr<writer> append_raw(const std::string& path, const record_layout& layout,
                                   memory_source& memory) {
  refuse_compression(path);
  const auto end = end_of_records(path, layout.bytes);
  return std::make_unique<raw_writer>(path, layout, memory, &end);
}

std::unique_ptr<writer> append_npy(const std::string& path, const record_layout& layout,
                                   memory_source& memory) {
  refuse_compression(path);
  const auto end = end_of_items(path, layout);
  return std::make_unique<npy_writer>(path, layout, memory, &end);
}

record_schema look_at_json(const std::string& path, const record_layout&, std::size_t bytes,
                           detail::workers& team, memory_source& memory) {
  return infer_json_schema(open_file(path), bytes, team, memory);
}

record_schema look_at_npy(const std::string& path, const record_layout&, std::size_t,
                          detail::workers&, memory_source&) {
  return npy_schema(*open_file(path));
}

record_schema look_at_parquet(const std::string& path, const record_layout&, std::size_t,
                              detail::workers& team, memory_source& memory) {
  return parquet_schema(path, team, memory);
}

record_schema look_at_ipc(const std::string& path, const record_layout&, std::size_t,
                          detail::workers& team, memory_source& memory) {
  return ipc_schema(path, team, memory);
}

std::unique_ptr<writer> refuse_to_stream(const std::string& path, const record_layout&,
                                         memory_source&) {
  throw usage_error(path + ": streams of Arrow's are read, and not written; write an .arrow");
}

std::unique_ptr<reader> open_lines(const std::string& path, const record_layout&,
                                   memory_source& memory) {
  const auto options = options_of({}, ',', memory);
  return std::make_unique<lines_reader>(open_file(path), memory, options.slab_bytes,
                                        options.piece_bytes);
}

// One line a format.
constexpr format formats[] = {
    {"csv", ".csv", open_text<','>, create_text<','>, look_at_text<','>, append_text<','>},
    {"tsv", ".tsv", open_text<'\t'>, create_text<'\t'>, look_at_text<'\t'>, append_text<'\t'>},
    {"json", ".jsonl", open_json, create_json, look_at_json, append_json},
    {"ndjson", ".ndjson", open_json, create_json, look_at_json, append_json},
    {"npy", ".npy", open<npy_reader>, create<npy_writer>, look_at_npy, append_npy},
    {"raw", ".raw", open<raw_reader>, create<raw_writer>, nullptr, append_raw},
    {"parquet", ".parquet", open_parquet, create<parquet_writer>, look_at_parquet,
     /*append=*/nullptr, /*tells_ranges=*/true},
    {"arrow", ".arrow", open_ipc, create<ipc_writer>, look_at_ipc},
    {"feather", ".feather", open_ipc, create<ipc_writer>, look_at_ipc},
    {"arrows", ".arrows", open_ipc, refuse_to_stream, look_at_ipc},
};
// Whatever a file's name, and only for reading.
constexpr format lines = {"lines", "", open_lines, nullptr};

std::string known(const char* format::* field) {
  std::string text;
  for (const format& each : formats) text += (text.empty() ? "" : ", ") + std::string(each.*field);
  return text;
}

}  // namespace

const format* find_format(const std::string& path) noexcept {
  const auto name = compression_by_name(path).second;
  const auto found = std::ranges::find_if(
      formats, [&](const format& each) { return name.ends_with(each.suffix); });
  return found == std::end(formats) ? nullptr : found;
}

const format& format_of(const std::string& path) {
  if (const auto* const found = find_format(path)) return *found;
  throw usage_error(path + ": expected a name that ends in one of " + known(&format::suffix) +
                    ", and .gz or .zst behind that for compressed text, got another; rename it or "
                    "name the format");
}

const format& growing_format_of(const std::string& path) {
  const auto& found = format_of(path);
  if (found.append != nullptr) return found;
  std::string growing;
  for (const format& each : formats)
    if (each.append != nullptr) growing += (growing.empty() ? "" : ", ") + std::string(each.suffix);
  const auto stem = path.substr(0, path.size() - std::string_view(found.suffix).size());
  throw usage_error(fmt::format(
      "{0}: expected a file that can grow ({1}), got a {2} file, which tells in one place what all "
      "of it holds; write a file of its own for each part, such as {3}-2{4}, and read them "
      "together: s.read<T>(\"{3}-*{4}\")",
      path, growing, found.name, stem, found.suffix));
}

const format& format_named(const std::string& name, const std::string& path) {
  if (name == lines.name) return lines;
  if (name == "csv" && compression_by_name(path).second.ends_with(".tsv"))
    return format_named("tsv", path);
  const auto found =
      std::ranges::find_if(formats, [&](const format& each) { return name == each.name; });
  if (found != std::end(formats)) return *found;
  throw usage_error("expected a format among " + known(&format::name) + ", got \"" + name + '"');
}

}  // namespace pappus::formats
