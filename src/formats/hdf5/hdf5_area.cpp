#include "formats/hdf5/hdf5_area.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "formats/codecs/little_endian.h"

namespace pappus::formats {

bool hdf5_addresses::is_defined(std::uint64_t address) const noexcept {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * address_bytes);
  return address != all;
}

std::int64_t hdf5_addresses::place(const byte_source& file, std::uint64_t address,
                                   std::uint64_t bytes, std::string_view of) const {
  const auto end = static_cast<std::uint64_t>(file.bytes());
  if (base > end || address > end - base || bytes > end - base - address)
    throw hdf5_problem(
        fmt::format("{} out of range: expected it within the file's {} bytes, got {} bytes at {}",
                    of, end, bytes, address));
  return static_cast<std::int64_t>(base + address);
}

hdf5_area::hdf5_area(const byte_source& file, const hdf5_addresses& addresses,
                     std::uint64_t address, std::uint64_t bytes, std::string of)
    : addresses_(addresses), of_(std::move(of)), start_(address) {
  const std::int64_t place = addresses.place(file, address, bytes, of_);
  bytes_.resize(static_cast<std::size_t>(bytes));
  file.read(place, bytes_);
}

std::uint64_t hdf5_area::number(std::size_t bytes) {
  expect(bytes);
  std::byte all[8] = {};
  std::memcpy(all, bytes_.data() + at_, bytes);
  at_ += bytes;
  return little_endian_64(all);
}

void hdf5_area::skip(std::size_t bytes) {
  expect(bytes);
  at_ += bytes;
}

bool hdf5_area::is_next(std::string_view signature) {
  expect(signature.size());
  const bool is = std::memcmp(bytes_.data() + at_, signature.data(), signature.size()) == 0;
  at_ += signature.size();
  return is;
}

void hdf5_area::fail(const std::string& what) const {
  throw hdf5_problem(fmt::format("{} at {}: {}", of_, start_, what));
}

void hdf5_area::expect(std::size_t bytes) const {
  if (bytes > left()) fail(fmt::format("expected {} bytes at {}, got {}", bytes, at_, left()));
}

}  // namespace pappus::formats
