#include "formats/codecs/codec_choice.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

struct level_range {
  std::string_view name;
  int least, most, usual;
};
constexpr level_range known[] = {{"none", 0, 0, 0}, {"zstd", 1, 22, 1}, {"gzip", 0, 9, 5},
                                 {"zlib", 0, 9, 5}, {"lz4", 0, 0, 0},   {"blosc", 0, 9, 5}};
constexpr std::string_view compressors[] = {"lz4", "lz4hc", "blosclz", "zlib", "zstd"};

[[noreturn]] void refuse(const std::string& text) {
  throw usage_error(
      "codec: expected none, lz4, zstd, gzip, zlib or blosc, with a level (zstd:1 to :22, gzip, "
      "zlib and blosc :0 to :9), for blosc after its compressor (blosc:zstd:5; lz4, lz4hc, "
      "blosclz, zlib or zstd), got \"" +
      text + '"');
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int level_of(const std::string& part, const level_range& of, const std::string& text) {
  int level = 0;
  const char* end = part.data() + part.size();
  const auto [stopped, code] = std::from_chars(part.data(), end, level);
  if (code != std::errc{} || stopped != end || level < of.least || level > of.most ||
      of.least == of.most) {
    refuse(text);
  }
  return level;
}

}  // namespace

codec_choice parse_codec(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text);
  const auto* const of = std::ranges::find(known, parts[0], &level_range::name);
  if (of == std::end(known)) refuse(text);
  codec_choice choice{parts[0], "", of->usual};
  std::size_t next = 1;
  if (choice.name == "blosc") {
    choice.compressor = next < parts.size() ? parts[next++] : "lz4";
    if (std::ranges::find(compressors, choice.compressor) == std::end(compressors)) refuse(text);
  }
  if (next < parts.size()) choice.level = level_of(parts[next++], *of, text);
  if (next < parts.size()) refuse(text);
  return choice;
}

codec_pointer make_codec(const codec_choice& choice, std::size_t scalar_bytes) {
  if (choice.name == "zlib") return make_zlib(choice.level);
  if (choice.name == "gzip") return make_gzip(choice.level);
  if (choice.name == "zstd") return make_zstd(choice.level);
  if (choice.name == "lz4") return make_lz4();
  if (choice.name == "blosc") return make_blosc(choice.compressor, choice.level, scalar_bytes);
  return nullptr;
}

}  // namespace pappus::formats
