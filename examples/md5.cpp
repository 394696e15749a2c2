// Which number of six digits has a given MD5 digest (RFC 1321)? All of them are tried.
//
//   md5 [DIGEST]
//
// Shows a launch without input, a table that a function captures, and a query over the elements.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include <pappus/pappus.h>

using word = std::uint32_t;

struct digest {
  word a, b, c, d;
};

constexpr int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/// Of a text of six digits; `sines` are the method's constants.
digest digest_of(word number, const std::array<word, 64>& sines) {
  word text[16] = {0, 0x800000};  // the end's mark; then zeros and the length in bits
  text[14] = 48;
  word rest = number;
  for (int place = 5; place >= 0; --place, rest /= 10)
    text[place / 4] += ('0' + rest % 10) << (place % 4 * 8);

  const digest start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  auto [a, b, c, d] = start;
  for (int step = 0; step < 64; ++step) {
    const int round = step / 16;
    const word mixed = round == 0   ? (b & c) | (~b & d)
                       : round == 1 ? (d & b) | (~d & c)
                       : round == 2 ? b ^ c ^ d
                                    : c ^ (b | ~d);
    const int at = (round == 0   ? step
                    : round == 1 ? 5 * step + 1
                    : round == 2 ? 3 * step + 5
                                 : 7 * step) %
                   16;
    const word sum = a + mixed + sines[step] + text[at];
    a = d, d = c, c = b;
    b += std::rotl(sum, turns[round][step % 4]);
  }
  return {start.a + a, start.b + b, start.c + c, start.d + d};
}

digest parse(const std::string& hex) {
  word words[4] = {};
  for (int byte = 0; byte < 16; ++byte)
    words[byte / 4] += static_cast<word>(std::stoul(hex.substr(2 * byte, 2), nullptr, 16))
                       << (byte % 4 * 8);
  return {words[0], words[1], words[2], words[3]};
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const digest wanted = parse(argc > 1 ? argv[1] : "ca21b2f197822a9e89bec3d9dd5394e3");
  std::array<word, 64> sines;
  for (int i = 0; i < 64; ++i)
    sines[i] = static_cast<word>(std::ldexp(std::fabs(std::sin(i + 1)), 32));

  auto digests = s.zeros<digest>({1'000'000});
  s.for_each(
      digests.extents(),
      [sines](pappus::idx<1> i, pappus::writes<digest> digests) {
        digests[i] = digest_of(static_cast<word>(i[0]), sines);
      },
      digests);
  const auto found = digests.rows().enumerate().filter([wanted](const pappus::indexed<digest>& x) {
    return x.value.a == wanted.a && x.value.b == wanted.b && x.value.c == wanted.c &&
           x.value.d == wanted.d;
  });
  for (const auto& x : found.collect()) std::cout << "the digest of " << x.index << "\n";
}
