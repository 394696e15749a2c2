// What any bytes must hold to when read as NPY: no crash, no more memory than the file is large,
// and the same records or the same error however many are read at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/npy/npy.h"
#include "pappus/columns.h"
#include "pappus/error.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::testing {

struct fuzz_item {
  bool flag;
  double value;
  std::array<std::int16_t, 2> pair;
};

/// The layouts every input is read as: named fields, a scalar, a row of scalars, bytes.
inline std::vector<detail::record_layout> fuzz_layouts() {
  return {{sizeof(fuzz_item),
           {column("a", &fuzz_item::flag), column("b", &fuzz_item::value),
            column("c", &fuzz_item::pair)}},
          detail::layout_of<fuzz_item>(),
          detail::layout_of<float>(),
          detail::layout_of<std::array<float, 3>>(),
          {8, {}}};
}

/// Valid files to start from.
inline std::vector<std::string> fuzz_npy_seeds() {
  const std::string data(78, '\5');
  return {
      formats::print_npy_header("[('c', '<i2', (2,)), ('x', '|S3'), ('b', '<f8'), ('a', '|b1')]",
                                {4}) +
          data,
      formats::print_npy_header("[('a', '|b1'), ('b', '<f8'), ('c', '<i2', (2,)), ]", {6}) + data,
      formats::print_npy_header("'<f4'", {19}) + data,
      formats::print_npy_header("'<f4'", {6, 3}) + data};
}

inline std::string fuzz_npy_outcome(std::string_view bytes, const detail::record_layout& layout,
                                    std::int64_t capacity) {
  test_memory memory;
  test_workers team(2);
  std::string outcome;
  try {
    formats::npy_reader reader(formats::borrow_bytes("f", std::as_bytes(std::span(bytes))), layout,
                               memory);
    std::vector<std::byte> records(static_cast<std::size_t>(capacity) * layout.bytes);
    while (const auto n = reader.read(team, records.data(), capacity)) {
      outcome.append(reinterpret_cast<const char*>(records.data()),
                     static_cast<std::size_t>(n) * layout.bytes);
    }
  } catch (const format_error& thrown) {
    return thrown.what();
  }
  return outcome;
}

/// Aborts if the bytes break a rule.
inline void fuzz_npy(std::span<const std::uint8_t> input) {
  const std::string_view bytes(reinterpret_cast<const char*>(input.data()), input.size());
  for (const detail::record_layout& layout : fuzz_layouts()) {
    if (fuzz_npy_outcome(bytes, layout, 1000) == fuzz_npy_outcome(bytes, layout, 3)) continue;
    std::fputs("the records read depend on how many are read at a time\n", stderr);
    std::abort();
  }
}

}  // namespace pappus::testing
