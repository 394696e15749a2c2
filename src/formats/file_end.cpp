#include "formats/file_end.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "formats/byte_source.h"
#include "formats/codecs/codec.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using growing = base::atomic_file::growing;
using joint = base::atomic_file::joint;

constexpr std::size_t looked_at = 3;  // bytes of text that blank lines show in

std::string last_bytes(const byte_source& source) {
  const auto bytes = std::min<std::int64_t>(source.bytes(), looked_at);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  source.read(source.bytes() - bytes, std::as_writable_bytes(std::span(text)));
  return text;
}

/// Of the text of a compressed file.
std::string last_bytes(const byte_source& source, compression by, detail::memory_source& memory) {
  constexpr std::size_t at_once = std::size_t{256} << 10;
  const auto from = make_decompressor(by, source, memory);
  const detail::buffer room(memory, at_once, source.name() + ": its last line");
  std::string last;
  while (!from->ended()) {
    const auto got = from->read({room.data(), room.size()});
    const std::string_view some(room.as<const char>(), got);
    last += some.substr(some.size() - std::min(some.size(), looked_at));
    if (last.size() > looked_at) last.erase(0, last.size() - looked_at);
  }
  return last;
}

void check_compression(const byte_source& source, compression by) {
  const auto found = compression_of(source);
  if (found == by) return;
  const auto shown = [](compression of) {
    return of == compression::none ? std::string("plain text") : std::string(name_of(of));
  };
  throw format_error(fmt::format("{}: expected {}, as its name says, got {}", source.name(),
                                 shown(by), shown(found)));
}

[[noreturn]] void written_meanwhile() {
  throw base::file_problem(
      "was empty, and was written to by another meanwhile; run the query again");
}

}  // namespace

std::unique_ptr<byte_source> open_to_append(const std::string& path) {
  auto source = open_file_if_there(path);
  if (source && ::access(path.c_str(), W_OK) != 0)
    throw format_error(
        fmt::format("{}: can't be added to: {}", path, std::generic_category().message(errno)));
  return source;
}

codec_pointer make_codec(compression by) {
  constexpr int gzip_level = 6, zstd_level = 3;  // as their programs have them
  return by == compression::gzip   ? make_gzip(gzip_level)
         : by == compression::zstd ? make_zstd(zstd_level)
                                   : nullptr;
}

std::string packed(std::string_view text, compression by) {
  const auto codec = make_codec(by);
  std::string result(codec->bound(text.size()), '\0');
  result.resize(
      codec->encode(std::as_bytes(std::span(text)), std::as_writable_bytes(std::span(result))));
  return result;
}

file_end end_of_lines(const std::string& path, compression by, bool blank_lines,
                      detail::memory_source& memory) {
  file_end end;
  const auto source = open_to_append(path);
  if (!source) return end;
  end.there = true;
  end.bytes = source->bytes();
  if (end.bytes == 0) {
    end.how = [](const growing& file) {
      if (file.bytes > 0) written_meanwhile();
      return joint();
    };
    return end;
  }
  check_compression(*source, by);
  if (by == compression::none) {
    end.how = [](const growing& file) {
      return joint{.at = file.bytes, .between = file.last == '\n' ? "" : "\n"};
    };
    if (blank_lines) return end;
  }
  const auto last = by == compression::none ? last_bytes(*source) : last_bytes(*source, by, memory);
  if (!blank_lines && (last.ends_with("\n\n") || last.ends_with("\n\r\n")))
    throw format_error(
        fmt::format("{}: expected a file whose last line is a row, got blank lines at its end, "
                    "which would stand among rows; remove them",
                    path));
  if (by == compression::none) return end;
  const std::string between =
      last.empty() || last.ends_with('\n') ? std::string() : packed("\n", by);
  // Who added to it meanwhile ended it with a newline.
  end.how = [between, known = end.bytes](const growing& file) {
    return joint{.at = file.bytes, .between = file.bytes == known ? between : std::string()};
  };
  return end;
}

file_end end_of_records(const std::string& path, std::size_t record_bytes) {
  file_end end;
  const auto source = open_to_append(path);
  if (!source) return end;
  end.there = true;
  end.bytes = source->bytes();
  end.how = [record_bytes](const growing& file) {
    if (file.bytes % static_cast<std::int64_t>(record_bytes) == 0) return joint{.at = file.bytes};
    throw base::file_problem(
        fmt::format("expected a multiple of the record's {} bytes, got {} bytes; the file is cut "
                    "off or holds other records",
                    record_bytes, file.bytes));
  };
  try {
    end.how({.bytes = end.bytes});
  } catch (const base::file_problem& problem) {
    throw format_error(path + ": " + problem.what());
  }
  return end;
}

}  // namespace pappus::formats
