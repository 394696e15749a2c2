// A slide in memory, written as a Zarr folder by hand: threads take tiles, gather the rows of one,
// encode it in their cache, and write it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/team.h"
#include "system/vmscope.h"

namespace pappus::bench::vmscope {

/// The square that is viewed of a slide of about n pixels, as a slide of its own.
layout square_of(std::int64_t n);

/// All bytes of the smooth slide, row by row.
std::vector<colour> smooth_slide(const layout& of, std::uint64_t seed, team& workers);

/// Makes the folder, with tiles that Blosc compressed.
/// \throws format_error  if it can't be written
void write_slide(const std::vector<colour>& slide, const layout& of, const std::string& folder,
                 team& workers);

}  // namespace pappus::bench::vmscope
