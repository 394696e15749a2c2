// A CRC32C behind the bytes.
#include "base/checksum.h"
#include "formats/codecs/checksum_codec.h"

namespace pappus::formats {
namespace {

class crc32c final : public checksum_codec {
 public:
  crc32c() : checksum_codec("crc32c") {}

 private:
  std::uint32_t sum_of(std::span<const std::byte> plain) const override {
    return base::crc32c(plain.data(), plain.size());
  }
};

}  // namespace

codec_pointer make_crc32c() { return std::make_unique<crc32c>(); }

}  // namespace pappus::formats
