// Codecs as metadata of Zarr name them.
#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

#include "formats/codecs/codec.h"
#include "formats/codecs/codec_choice.h"
#include "formats/zarr/zarr_array.h"
#include "formats/zarr/zarr_json.h"

namespace pappus::formats {

/// The compressor of version 2. Throws zarr_problem for those that aren't known.
codec_pointer parse_compressor(const json_view& compressor);

/// The list of codecs of version 3. Fills in order, codecs, shards, chunk (those of shards are
/// smaller) and the item's order of bytes. Throws zarr_problem.
void parse_codecs(const json_view& list, zarr_array& array);

/// The way back; null for none.
nlohmann::json print_compressor(const codec_choice& choice);
/// A codec of version 3; `choice` isn't none.
nlohmann::json print_codec(const codec_choice& choice, std::size_t scalar_bytes);

}  // namespace pappus::formats
