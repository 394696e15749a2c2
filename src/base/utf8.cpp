#include "base/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pappus/detail/base/eight_bytes.h"

namespace pappus::base {
namespace {

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Bytes of the code point that begins at `at`; 0: there is none.
std::size_t code_point_bytes(const unsigned char* at, std::size_t left) {
  const auto lead = at[0];
  const std::size_t bytes = lead < 0x80                   ? 1
                            : lead >= 0xC2 && lead < 0xE0 ? 2
                            : (lead & 0xF0) == 0xE0       ? 3
                            : lead >= 0xF0 && lead < 0xF5 ? 4
                                                          : 0;
  if (bytes == 0 || bytes > left) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if (!continues(at[i])) return 0;
  const bool overlong = (lead == 0xE0 && at[1] < 0xA0) || (lead == 0xF0 && at[1] < 0x90);
  const bool surrogate = lead == 0xED && at[1] >= 0xA0;
  const bool too_large = lead == 0xF4 && at[1] >= 0x90;
  return overlong || surrogate || too_large ? 0 : bytes;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at != end) {
    const auto left = static_cast<std::size_t>(end - at);
    if (left >= sizeof(std::uint64_t)) {
      std::uint64_t eight;
      std::memcpy(&eight, at, sizeof(eight));
      if ((eight & detail::high_bits) == 0) {
        at += sizeof(eight);
        continue;
      }
    }
    const auto bytes = code_point_bytes(at, left);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

}  // namespace pappus::base
