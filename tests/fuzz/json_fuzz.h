// What any bytes must hold to when read as JSON lines: no crash, and the same rows or the same
// error however the file is cut up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/compressed_support.h"
#include "formats/json/json_reader.h"
#include "fuzz/read_outcome.h"
#include "pappus/bad_rows.h"
#include "pappus/columns.h"
#include "pappus/list.h"
#include "support/test_memory.h"

namespace pappus::testing {

struct fuzz_event {
  std::string_view text;
  std::int16_t i16;
  std::uint64_t u64;
  float f32;
  double f64;
  bool flag;
  date day;
  timestamp moment;
  std::optional<std::int32_t> number;
  std::optional<std::string_view> word;
  std::array<double, 2> at;
  list<std::string_view> names;
  std::optional<list<std::int32_t>> counts;
};

inline detail::record_layout fuzz_event_layout() {
  return {
      sizeof(fuzz_event),
      {column("t", &fuzz_event::text), column("i", &fuzz_event::i16), column("u", &fuzz_event::u64),
       column("g", &fuzz_event::f32), column("f", &fuzz_event::f64), column("b", &fuzz_event::flag),
       column("d", &fuzz_event::day), column("m", &fuzz_event::moment),
       column("o.n", &fuzz_event::number), column("o.w", &fuzz_event::word),
       column("a", &fuzz_event::at), column("l", &fuzz_event::names),
       column("c", &fuzz_event::counts)}};
}

/// A valid file to start from.
inline constexpr std::string_view fuzz_json_seed =
    R"({"t":"abc","i":-12,"u":34,"x":[1,{"y":[]}],"g":0.1,"f":1.5e3,"b":true,"d":"2024-02-29",)"
    R"("m":"2024-02-29T12:34:56.789Z","o":{"n":1,"w":"v"},"a":[1,-2.5],"l":["a","b\n"],"c":[1,-2]})"
    "\r\n\n"
    R"( { "i" : 7 , "t" : "a \"b\" \u00e9\ud83d\ude00" , "u":18446744073709551615, "g":null,)"
    R"("f":-0.0e-7,"b":false,"d":"1970-01-01","m":"1970-01-01 00:00:00","o":{"n":null},"l":[],)"
    R"("a":[0,1]} )"
    "\n"
    R"({"t":"","i":0,"u":0,"g":1,"f":1e300,"b":true,"d":"0001-12-31","m":"9999-12-31T23:59:59Z",)"
    R"("o.n":5,"o":null,"a":[1e-7,null],"c":[ ],"l" : [""]})";

/// The same, compressed.
inline std::vector<std::string> fuzz_json_compressed_seeds() {
  return {gzipped(fuzz_json_seed), zstd_of(fuzz_json_seed)};
}

/// The rows of `text`, bit for bit, or the error; with what a log tells of bad lines, which then
/// are left out.
inline std::string fuzz_json_outcome(std::string_view text, unsigned threads, std::int64_t capacity,
                                     std::size_t slab_bytes, std::size_t piece_bytes,
                                     bool leave_out = false) {
  test_memory memory;
  const bad_row_log log(3);
  auto layout = fuzz_event_layout();
  if (leave_out) layout.text.bad_rows = detail::tells(log);
  const auto open = [&] {
    return formats::json_reader(formats::borrow_bytes("f", std::as_bytes(std::span(text))), layout,
                                memory, slab_bytes, piece_bytes);
  };
  return read_outcome<fuzz_event>(open, threads, capacity, log);
}

/// Aborts if the bytes break a rule.
inline void fuzz_json(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t usual = std::size_t{16} << 20, piece = std::size_t{256} << 10;
  const auto expected = fuzz_json_outcome(text, 1, 1000, usual, piece);
  if (fuzz_json_outcome(text, 1, 1, 1, 1) == expected &&
      fuzz_json_outcome(text, 3, 2, 61, 7) == expected &&
      fuzz_json_outcome(text, 3, 2, 61, 7, true) ==
          fuzz_json_outcome(text, 2, 1000, usual, piece, true))
    return;
  std::fputs("the rows read depend on the size of slabs\n", stderr);
  std::abort();
}

}  // namespace pappus::testing
