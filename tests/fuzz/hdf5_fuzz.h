// What any bytes must hold to when read as an object header of HDF5, as the index of chunks, or by
// a codec of its own: no crash, and nothing but the errors that each may throw. The first byte says
// which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/byte_source.h"
#include "formats/codecs/codec.h"
#include "formats/hdf5/hdf5_area.h"
#include "formats/hdf5/hdf5_chunks.h"
#include "formats/hdf5/hdf5_layout.h"

namespace pappus::testing {

/// Bytes of an HDF5 file, put down number by number, the lowest byte first.
class hdf5_bytes {
 public:
  hdf5_bytes& text(const std::string& signature) {
    bytes_ += signature;
    return *this;
  }
  hdf5_bytes& number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> 8 * i);
    return *this;
  }
  hdf5_bytes& zeros(std::size_t n) {
    bytes_.append(n, '\0');
    return *this;
  }
  const std::string& all() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

inline const formats::hdf5_addresses fuzz_hdf5_addresses{};
inline const formats::hdf5_grid fuzz_hdf5_grid{{8, 8}, {4, 4}};

/// A header of version 1 whose layout stands behind a continuation.
inline std::string fuzz_hdf5_old_header() {
  hdf5_bytes bytes;
  bytes.number(1, 2).number(2, 2).number(1, 4).number(24, 4).zeros(4);
  bytes.number(0x10, 2).number(16, 2).zeros(4).number(48, 8).number(32, 8);  // at 16
  bytes.zeros(8);
  bytes.number(0x08, 2).number(24, 2).zeros(4);  // at 48
  bytes.number(3, 1).number(2, 1).number(3, 1).number(80, 8).number(4, 4).number(4, 4).zeros(5);
  return bytes.all();
}

/// One of version 2.
inline std::string fuzz_hdf5_new_header() {
  hdf5_bytes bytes;
  bytes.text("OHDR").number(2, 1).number(0, 1).number(24, 1);
  bytes.number(0x10, 1).number(16, 2).zeros(1).number(35, 8).number(30, 8).zeros(4 + 4);
  bytes.text("OCHK").number(0x08, 1).number(18, 2).zeros(1);
  bytes.number(3, 1).number(1, 1).number(64, 8).number(256, 8).zeros(4);
  return bytes.all();
}

/// A tree of two levels with four chunks of 16 bytes.
inline std::string fuzz_hdf5_btree() {
  hdf5_bytes bytes;
  const auto node = [&](int level, int entries) {
    bytes.text("TREE").number(1, 1).number(static_cast<std::uint64_t>(level), 1);
    bytes.number(static_cast<std::uint64_t>(entries), 2);
    bytes.number(~0ULL, 8).number(~0ULL, 8);
  };
  const auto entry = [&](std::uint64_t y, std::uint64_t x, std::uint64_t address) {
    bytes.number(16, 4).number(1, 4).number(y, 8).number(x, 8).number(0, 8).number(address, 8);
  };
  constexpr std::uint64_t node_bytes = 24 + 2 * 40;
  node(1, 2), entry(0, 0, node_bytes), entry(4, 0, 2 * node_bytes);
  node(0, 2), entry(0, 0, 0), entry(0, 4, 16);
  node(0, 2), entry(4, 0, 32), entry(4, 4, 48);
  return bytes.all();
}

inline std::vector<formats::codec_pointer> fuzz_hdf5_codecs() {
  std::vector<formats::codec_pointer> codecs;
  codecs.push_back(formats::make_shuffle(4));
  codecs.push_back(formats::make_fletcher32());
  codecs.push_back(formats::make_lz4_blocks());
  return codecs;
}

inline constexpr std::size_t fuzz_hdf5_plain_bytes = 256;

/// Valid inputs to start from.
inline std::vector<std::string> fuzz_hdf5_seeds() {
  std::vector<std::string> seeds{std::string(1, '\0') + fuzz_hdf5_old_header(),
                                 std::string(1, '\0') + fuzz_hdf5_new_header(),
                                 "\1" + fuzz_hdf5_btree()};
  const std::vector<std::byte> plain(fuzz_hdf5_plain_bytes, std::byte{7});
  char which = 2;
  for (const auto& by : fuzz_hdf5_codecs()) {
    std::vector<std::byte> stored(by->bound(plain.size()));
    stored.resize(by->encode(plain, stored));
    seeds.push_back(which++ +
                    std::string(reinterpret_cast<const char*>(stored.data()), stored.size()));
  }
  return seeds;
}

/// Whether the bytes are right. Lets escape what no input may lead to.
inline bool fuzz_hdf5(std::span<const std::uint8_t> input) {
  if (input.empty()) return false;
  const auto bytes = std::as_bytes(input.subspan(1));
  const auto codecs = fuzz_hdf5_codecs();
  const auto file = formats::borrow_bytes("f.h5", bytes);
  std::vector<std::byte> plain(fuzz_hdf5_plain_bytes);
  try {
    switch (const std::size_t which = input[0] % (2 + codecs.size()); which) {
      case 0:
        formats::read_hdf5_layout(*file, fuzz_hdf5_addresses, 0);
        break;
      case 1:
        formats::read_hdf5_btree(*file, fuzz_hdf5_addresses, 0, fuzz_hdf5_grid);
        break;
      default:
        if (!bytes.empty()) codecs[which - 2]->decode(bytes, plain);
    }
  } catch (const formats::hdf5_problem&) {
    return false;
  } catch (const formats::codec_problem&) {
    return false;
  }
  return true;
}

}  // namespace pappus::testing
