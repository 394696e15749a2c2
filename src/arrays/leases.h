// What must be in memory while somebody touches elements of arrays that may be on the disk.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "arrays/launch.h"
#include "graph/pageable.h"
#include "regions/box.h"

namespace pappus::arrays {

/// Whether some of a launch's arrays may be on the disk.
bool may_rest(const launch& of);

/// Bytes that are leased at a time; 0 where no array may be on the disk.
std::size_t lease_max(const launch& of);

/// Bytes of what comes and goes together and has elements in it that indices of a launch touch, of
/// all arguments whose elements may be on the disk. Those of several accesses count once.
std::size_t bytes_to_lease(const launch& by, const regions::box& indices);

/// The elements that indices of a launch touch. Blocks; throws memory_error and spill_error. Null:
/// they stay in memory.
/// \param without  arguments that are reduced elsewhere, by number
graph::lease_ptr lease_touched(const launch& by, const regions::box& indices,
                               std::span<const std::size_t> without = {});

/// Calls f(part) for indices that touch elements which may be on the disk: in parts, where it
/// would take too much memory to have all these elements at a time.
/// \param dimensions  as bits, along which they may be cut
void each_leasable(const launch& by, const regions::box& indices, unsigned dimensions,
                   const std::function<void(const regions::box& part)>& f);

/// Calls f(part) for indices in parts that take no more than `most` bytes, as far as halves take
/// fewer.
/// \param dimensions  as bits, along which they may be cut
void each_fitting(const regions::box& indices, unsigned dimensions, std::size_t most,
                  const std::function<std::size_t(const regions::box& part)>& bytes_of,
                  const std::function<void(const regions::box& part)>& f);

/// Calls f(part) for elements of one array, to read and write them, in parts that are in memory.
void each_leased(const image& of, const storage& elements, const regions::box& where,
                 const std::function<void(const regions::box& part)>& f);

struct element_use {
  bool reads = true, writes = true;
};
/// Elements of one array, for as long as the lease exists.
graph::lease_ptr lease_elements(const image& of, const storage& elements, const regions::box& where,
                                const element_use& use, graph::lease_time lasts,
                                std::string_view owner);

/// Those with these numbers in row-major order, from `first` to before `end`, to read and write.
graph::lease_ptr lease_numbers(const image& of, const storage& elements, std::int64_t first,
                               std::int64_t end);

/// The elements' owner, who keeps them in memory for as long as he exists. Throws as a lease does.
std::shared_ptr<const void> kept_in_memory(const image& of, storage_ptr elements,
                                           const regions::box& where, const element_use& use,
                                           std::string_view owner);

}  // namespace pappus::arrays
