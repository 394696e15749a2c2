// A codec as users name it: "none", "zstd", "gzip:9", "blosc:zstd:5".
#pragma once

#include <cstddef>
#include <string>

#include "formats/codecs/codec.h"

namespace pappus::formats {

struct codec_choice {
  std::string name = "none";  ///< none, zlib, gzip, zstd, lz4 or blosc
  std::string compressor;     ///< blosc's
  int level = 0;              ///< where the codec has levels
};

/// Throws usage_error naming what can be written.
codec_choice parse_codec(const std::string& text);

/// Null for none. `scalar_bytes` is what blosc shuffles.
codec_pointer make_codec(const codec_choice& choice, std::size_t scalar_bytes);

}  // namespace pappus::formats
