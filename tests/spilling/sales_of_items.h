// Sales and the items that they are of: files of both, for joins whose right side goes to the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "pappus/pappus.h"
#include "support/raw_file.h"
#include "support/result_bytes.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_joins {

using testing::bytes_of;
using testing::bytes_of_value;
using testing::scaled_mib;
using testing::write_records;

inline constexpr std::size_t plenty = 2048 * scaled_mib;

struct sale {
  std::int64_t item;
  double price;
};
struct item {
  std::int64_t id;
  std::int32_t number;
  float weight;
};

/// A folder to spill to, and beside it files of both sides.
struct a_disk {
  testing::spill_folder folder;
  std::string left = folder.path() + ".sales.raw", right = folder.path() + ".items.raw";
  a_disk() = default;
  a_disk(const std::vector<sale>& sales, const std::vector<item>& items) {
    write_records(left, sales);
    write_records(right, items);
  }
};

enum class shape { unique, repeated, sorted, spaced, hot };

struct both_sides {
  std::vector<sale> sales;
  std::vector<item> items;
};

inline both_sides sides_of(shape which, std::int64_t sales, std::int64_t items, unsigned seed) {
  std::mt19937_64 random(seed);
  const std::int64_t keys = which == shape::repeated ? items / 3 + 1 : items;
  const auto any = [&] {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(keys * 5 / 4));
  };
  both_sides made;
  for (std::int64_t i = 0; i < items; ++i) {
    std::int64_t id = which == shape::unique   ? (i * 7'919) % items
                      : which == shape::sorted ? i / 2
                      : which == shape::spaced ? -(any() << 40)
                                               : any();
    if (which == shape::hot && i % 40 == 0) id = 5;
    made.items.push_back({id, static_cast<std::int32_t>(i), 0.37f * static_cast<float>(i % 1000)});
  }
  for (std::int64_t i = 0; i < sales; ++i) {
    std::int64_t of = which == shape::sorted   ? i * items / sales
                      : which == shape::spaced ? -(any() << 40)
                                               : any();
    if (which == shape::hot && i % (sales / 10) == 3) of = 5;
    const auto cents = static_cast<double>(random() % 2'000'001) - 1e6;
    made.sales.push_back({of, cents * 1e-2 * (1 + static_cast<double>(i % 97))});
  }
  return made;
}

inline double paid(const sale& a, const item& b) {
  return a.price * static_cast<double>(b.weight) + b.number;
}

}  // namespace pappus::spilled_joins
