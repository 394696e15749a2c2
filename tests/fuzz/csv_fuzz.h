// What any bytes must hold to when read as CSV: no crash, and the same rows or the same error
// however the file is cut up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/compressed_support.h"
#include "formats/csv/csv_reader.h"
#include "fuzz/read_outcome.h"
#include "pappus/bad_rows.h"
#include "pappus/columns.h"
#include "support/test_memory.h"

namespace pappus::testing {

struct fuzz_row {
  std::string_view text;
  std::int16_t i16;
  std::uint32_t u32;
  double f64;
  bool flag;
  date day;
  timestamp moment;
  std::optional<std::int32_t> number;
  std::optional<std::string_view> word;
};

inline detail::record_layout fuzz_row_layout() {
  return {sizeof(fuzz_row),
          {column("t", &fuzz_row::text), column("i", &fuzz_row::i16), column("u", &fuzz_row::u32),
           column("f", &fuzz_row::f64), column("b", &fuzz_row::flag), column("d", &fuzz_row::day),
           column("m", &fuzz_row::moment), column("n", &fuzz_row::number),
           column("w", &fuzz_row::word)}};
}

/// A valid file to start from.
inline constexpr std::string_view fuzz_csv_seed =
    "t,i,u,unused,f,b,d,m,n,w\r\n"
    "abc,-12,34,,1.5e3,true,2024-02-29,2024-02-29 12:34:56.789,NA,\"NA\"\n"
    "\"a, \"\"b\"\"\nc\",+7,0,\"x\n\",nan,0,1970-01-01,1970-01-01T00:00:00Z, -0 ,\"\"\r\n"
    ", 5 ,\"4294967295\",y,-99,1,0001-12-31,9999-12-31 23:59:59,-99,";

/// The same, compressed.
inline std::vector<std::string> fuzz_compressed_seeds() {
  return {gzipped(fuzz_csv_seed), zstd_of(fuzz_csv_seed), in_parts(gzipped, fuzz_csv_seed, 50),
          in_parts(zstd_of, fuzz_csv_seed, 50)};
}

/// The rows of `text`, bit for bit, or the error; with what a log tells of bad rows, which then are
/// left out.
inline std::string fuzz_csv_outcome(std::string_view text, unsigned threads, std::int64_t capacity,
                                    formats::csv_options options, bool leave_out = false) {
  options.missing = {"NA", "-99"};
  test_memory memory;
  const bad_row_log log(3);
  if (leave_out) options.bad_rows = detail::tells(log);
  const auto open = [&] {
    return formats::csv_reader(formats::borrow_bytes("f", std::as_bytes(std::span(text))),
                               fuzz_row_layout(), memory, options);
  };
  return read_outcome<fuzz_row>(open, threads, capacity, log);
}

/// Aborts if the bytes break a rule.
inline void fuzz_csv(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string expected = fuzz_csv_outcome(text, 1, 1000, {});
  const formats::csv_options tiny{.slab_bytes = 1, .piece_bytes = 1};
  const formats::csv_options odd{.slab_bytes = 61, .piece_bytes = 7};
  const std::string left = fuzz_csv_outcome(text, 2, 1000, {}, true);
  if (fuzz_csv_outcome(text, 1, 1, tiny) == expected &&
      fuzz_csv_outcome(text, 3, 2, odd) == expected &&
      fuzz_csv_outcome(text, 3, 2, odd, true) == left) {
    return;
  }
  std::fputs("the rows read depend on the size of slabs\n", stderr);
  std::abort();
}

}  // namespace pappus::testing
