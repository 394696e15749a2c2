// Terasort: records of 100 bytes in the order of their keys, 10 bytes each.
//
//   terasort                     100,000 records, made up, in terasort.raw
//   terasort IN.raw OUT.raw      e.g. of gensort; larger than memory, if need be
//
// Shows files of records, and a sort that goes to the disk where memory is short.
#include <array>
#include <cstdint>
#include <iostream>

#include <pappus/pappus.h>

struct record {
  std::array<std::uint8_t, 10> key;
  std::array<char, 90> payload;
};

record made_up(int i) {
  record r{};
  auto bits = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15;
  for (auto& byte : r.key) byte = static_cast<std::uint8_t>((bits = bits * 25214903917 + 11) >> 40);
  r.payload.fill(static_cast<char>('A' + i % 26));
  return r;
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const char* const in = argc == 3 ? argv[1] : "terasort.raw";
  const char* const out = argc == 3 ? argv[2] : "sorted.raw";
  if (argc != 3) s.range(0, 100'000).map(pappus::fn<made_up>).write(in);

  // COPY (FROM records ORDER BY key) TO 'sorted'
  s.raw<record>(in).sort_by(&record::key).write(out);

  const auto sorted = s.raw<record>(out);
  const auto in_order = sorted.zip(sorted.skip(1)).all([](const auto& neighbours) {
    return neighbours.first.key <= neighbours.second.key;
  });
  std::cout << sorted.count() << " records, " << (in_order ? "in order" : "out of order") << "\n";
}
