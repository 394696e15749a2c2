// Records, and functions and a reducer of them with device code: what groups are made of in tests.
#pragma once

#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

#include "pappus/device_code.h"
#include "pappus/pappus.h"

namespace pappus::testing {

struct reading {
  std::int32_t key, number;
  double value;
};

struct weighted_sum {
  double total = 0;
  std::int64_t n = 0;
  void accumulate(const reading& r) {
    total += r.value * r.number;
    n += r.key;
  }
  void merge(const weighted_sum& other) {
    total += other.total;
    n += other.n;
  }
  static device_code on_device() { return code("add_reading"); }

  static device_code code(const char* function) {
    return device_text(function, R"(
typedef struct { int key, number; double value; } reading;
typedef struct { double total; long n; } weighted_sum;
typedef struct { ulong hash, power; } row_order;
void add_reading(weighted_sum* s, reading r) {
  s->total += r.value * r.number;
  s->n += r.key;
}
void add_to_order(row_order* s, reading r) {
  s->hash = s->hash * 1000003 + (ulong)(long)r.key;
  s->power *= 1000003;
}
int bucket_of(reading r, int buckets) { return (r.key % buckets + buckets) % buckets; }
long wide_bucket_of(reading r, int buckets) {
  return (long)((r.key % buckets + buckets) % buckets) << 20;
}
int has_positive(reading r) { return r.number > 0; }
)");
  }
};

/// Tells in which order records came, and nothing of where they were cut.
struct row_order {
  static constexpr bool exact = true;
  std::uint64_t hash = 0, power = 1;
  void accumulate(const reading& r) {
    hash = hash * 1000003 + static_cast<std::uint64_t>(std::int64_t{r.key});
    power *= 1000003;
  }
  void merge(const row_order& other) {
    hash = hash * other.power + other.hash;
    power *= other.power;
  }
  static device_code on_device() { return weighted_sum::code("add_to_order"); }
};

inline int bucket_of(const reading& r, int buckets) {
  return (r.key % buckets + buckets) % buckets;
}
inline std::int64_t wide_bucket_of(const reading& r, int buckets) {
  return std::int64_t{bucket_of(r, buckets)} << 20;
}
inline bool has_positive(const reading& r) { return r.number > 0; }

inline auto in_buckets(int buckets) {
  return with_device_code(fn<bucket_of>, weighted_sum::code("bucket_of"), buckets);
}
inline auto in_wide_buckets(int buckets) {
  return with_device_code(fn<wide_bucket_of>, weighted_sum::code("wide_bucket_of"), buckets);
}
inline auto positive_ones() {
  return with_device_code(fn<has_positive>, weighted_sum::code("has_positive"));
}

/// Sums of such values depend on the order in which they are added.
inline std::vector<reading> readings(std::int64_t n, std::uint64_t seed) {
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  std::vector<reading> rows(static_cast<std::size_t>(n));
  double i = 0;
  for (auto& r : rows)
    r = {static_cast<std::int32_t>(random() % 1'000'000) - 500'000,
         static_cast<std::int32_t>(random() % 2001) - 1000, 1 / (i += 1.0)};
  return rows;
}

}  // namespace pappus::testing
