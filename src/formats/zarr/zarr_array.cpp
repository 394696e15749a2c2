#include "formats/zarr/zarr_array.h"

#include <algorithm>
#include <numeric>

namespace pappus::formats {

std::vector<std::int64_t> zarr_shards::per_shard(const std::vector<std::int64_t>& chunk) const {
  std::vector<std::int64_t> result;
  for (std::size_t d = 0; d < chunk.size(); ++d) result.push_back(extents[d] / chunk[d]);
  return result;
}

std::string zarr_array::key(const std::vector<std::int64_t>& place) const {
  std::string result = key_prefix;
  for (const std::int64_t at : place) {
    if (!result.empty()) result += key_separator;
    result += std::to_string(at);
  }
  return result;
}

std::int64_t items_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace pappus::formats
