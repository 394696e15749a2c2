// Areas of an HDF5 file, read number by number and never beyond their ends.
//
// What libhdf5 can't tell quickly is read from the file itself: where the chunks of a dataset lie.
// Any bytes may stand there, so whatever is read is bounded by the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "formats/byte_source.h"

namespace pappus::formats {

/// what() tells what is wrong with a file, to be put behind its name.
struct hdf5_problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How addresses are written in a file, and where they count from.
struct hdf5_addresses {
  std::uint64_t base = 0;         ///< what lies before (a user block) isn't counted
  std::size_t address_bytes = 8;  ///< that an address takes: 2, 4 or 8
  std::size_t length_bytes = 8;   ///< a number of bytes: 2, 4 or 8

  /// All bits are set where nothing is stored.
  bool is_defined(std::uint64_t address) const noexcept;
  /// The place in the file. Throws hdf5_problem unless so many bytes are there.
  std::int64_t place(const byte_source& file, std::uint64_t address, std::uint64_t bytes,
                     std::string_view of) const;
};

class hdf5_area {
 public:
  /// Reads the bytes. Throws hdf5_problem where the file is shorter, and what reading throws.
  /// \param of  what should be there: "chunk index"
  hdf5_area(const byte_source& file, const hdf5_addresses& addresses, std::uint64_t address,
            std::uint64_t bytes, std::string of);

  std::size_t left() const noexcept { return bytes_.size() - at_; }
  std::size_t at() const noexcept { return at_; }

  /// The next number of up to 8 bytes, the lowest first.
  std::uint64_t number(std::size_t bytes);
  std::uint64_t address() { return number(addresses_.address_bytes); }
  std::uint64_t length() { return number(addresses_.length_bytes); }
  void skip(std::size_t bytes);
  /// Whether the next bytes, which are skipped, are those.
  bool is_next(std::string_view signature);

  [[noreturn]] void fail(const std::string& what) const;

 private:
  void expect(std::size_t bytes) const;

  std::vector<std::byte> bytes_;
  const hdf5_addresses& addresses_;
  std::string of_;
  std::uint64_t start_;
  std::size_t at_ = 0;
};

}  // namespace pappus::formats
