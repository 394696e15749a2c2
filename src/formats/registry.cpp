#include "formats/registry.h"

#include <algorithm>
#include <span>

#include "base/memory_scale.h"
#include "formats/byte_source.h"
#include "formats/csv/csv_reader.h"
#include "formats/csv/csv_writer.h"
#include "formats/npy/npy.h"
#include "formats/raw/raw.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::memory_source;
using detail::record_layout;

template <typename Reader>
std::unique_ptr<reader> open(const std::string& path, const record_layout& layout,
                             memory_source& memory) {
  return std::make_unique<Reader>(open_file(path), layout, memory);
}

template <typename Writer>
std::unique_ptr<writer> create(const std::string& path, const record_layout& layout,
                               memory_source& memory) {
  return std::make_unique<Writer>(path, layout, memory);
}

csv_options options_of(const record_layout& layout, char usual_delimiter) {
  const char delimiter = layout.text.delimiter != 0 ? layout.text.delimiter : usual_delimiter;
  return {.delimiter = delimiter,
          .header = layout.text.header,
          .missing = layout.text.missing,
          .dialect = csv_dialect(layout.text, delimiter),
          .skip = layout.text.skip,
          .comment = layout.text.comment};
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
  return std::make_unique<csv_writer>(path, layout, memory, options_of(layout, Delimiter));
}

// One line a format.
constexpr format formats[] = {
    {"csv", ".csv", open_text<','>, create_text<','>},
    {"tsv", ".tsv", open_text<'\t'>, create_text<'\t'>},
    {"npy", ".npy", open<npy_reader>, create<npy_writer>},
    {"raw", ".raw", open<raw_reader>, create<raw_writer>},
};

std::string known(const char* format::* field) {
  std::string text;
  for (const format& each : formats) text += (text.empty() ? "" : ", ") + std::string(each.*field);
  return text;
}

}  // namespace

const format& format_of(const std::string& path) {
  const auto found = std::ranges::find_if(
      formats, [&](const format& each) { return path.ends_with(each.suffix); });
  if (found != std::end(formats)) return *found;
  throw usage_error(path + ": expected a name that ends in one of " + known(&format::suffix) +
                    ", got another; rename it or name the format");
}

const format& format_named(const std::string& name) {
  const auto found =
      std::ranges::find_if(formats, [&](const format& each) { return name == each.name; });
  if (found != std::end(formats)) return *found;
  throw usage_error("expected a format among " + known(&format::name) + ", got \"" + name + '"');
}

}  // namespace pappus::formats
