// All kernels of the level that this is compiled for.
#pragma once

#include "levels/kernels.h"
#include "levels/unit/compress.h"
#include "levels/unit/csv_cells.h"
#include "levels/unit/csv_rows.h"
#include "levels/unit/join_probe.h"
#include "levels/unit/running_sums.h"

namespace pappus::levels {
namespace {

constexpr kernels table = {
    .copy_past_caches = copy_past_caches,
    .running_sums_32 = running_sums<std::uint32_t>,
    .running_sums_64 = running_sums<std::uint64_t>,
    .compress_32 = compress<std::uint32_t>,
    .compress_64 = compress<std::uint64_t>,
    .scan_csv_rows = scan_csv_rows,
    .list_csv_ends = list_csv_ends,
    .join_places_32 = join_places<std::uint32_t>,
    .join_places_64 = join_places<std::uint64_t>,
    .join_insert_32 = join_insert<std::uint32_t>,
    .join_insert_64 = join_insert<std::uint64_t>,
    .join_find_32 = join_find<std::uint32_t>,
    .join_find_64 = join_find<std::uint64_t>,
};

}  // namespace
}  // namespace pappus::levels
