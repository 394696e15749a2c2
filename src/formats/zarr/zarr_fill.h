// The item that stands in chunks that a Zarr array hasn't: `fill_value` of its metadata.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/item_match.h"
#include "formats/zarr/zarr_json.h"

namespace pappus::formats {

/// The item's bytes as they would lie in a file: 0 for null. Takes numbers, true and false, "NaN",
/// "Infinity" and "-Infinity", bits as "0x7fc00000", and structures in base64. Throws zarr_problem.
/// What no field of a record can hold isn't looked at: such an array can't be opened.
std::vector<std::byte> parse_fill(const json_view& value, const array_item& item);

}  // namespace pappus::formats
