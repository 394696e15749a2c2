// What programs of random_lambdas.py are made of: arithmetic that is defined for all operands, and
// the comparison of what a lambda yields on the CPU and on OpenCL.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "pappus/pappus.h"

template <typename T>
using bits_of = std::make_unsigned_t<T>;

// Of narrow types the operands are promoted to int, of which products could overflow.
template <typename T>
using wide_bits_of = std::common_type_t<bits_of<T>, unsigned>;

template <typename T>
T sum(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) + wide_bits_of<T>(b));
}
template <typename T>
T difference(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) - wide_bits_of<T>(b));
}
template <typename T>
T product(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) * wide_bits_of<T>(b));
}
template <typename T>
T both_bits(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
T any_bits(T a, T b) {
  return static_cast<T>(a | b);
}
template <typename T>
T other_bits(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <typename T>
bool divides(T a, T b) {
  if (b == 0) return false;
  return !std::is_signed_v<T> || b != static_cast<T>(-1) || a != std::numeric_limits<T>::min();
}
template <typename T>
T quotient(T a, T b) {
  return divides(a, b) ? static_cast<T>(a / b) : a;
}
template <typename T>
T remainder_of(T a, T b) {
  return divides(a, b) ? static_cast<T>(a % b) : b;
}
template <typename T>
T shifted_left(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) << (bits_of<T>(b) % (8 * sizeof(T))));
}
template <typename T>
T shifted_right(T a, T b) {
  return static_cast<T>(a >> (bits_of<T>(b) % (8 * sizeof(T))));
}
template <typename T, typename F>
T to_integer(F x) {
  if (!(x > static_cast<F>(-100)) || !(x < static_cast<F>(100))) return 0;
  return static_cast<T>(static_cast<int>(x));
}

struct result {
  std::uint64_t a;
  double b;
  float c;
  std::uint32_t d;
};

class comparison {
 public:
  comparison(int argc, char** argv, std::uint64_t seed)
      : numbers_(seed), only_(argc > 1 ? std::stoi(argv[1]) : -1) {
    std::cout << "seed " << seed << '\n';
    const auto probe = device_.range(0, 8).explain_analyze();
    if (probe.find("ran on opencl") == std::string::npos) {
      std::cout << "SKIP: no OpenCL device\n";
      std::exit(77);
    }
  }

  template <typename T>
  T capture() {
    return nasty<T>();
  }

  template <typename Record, typename F>
  void compare(int number, F f) {
    if (only_ >= 0 && only_ != number) return;
    constexpr std::int64_t rows = 500;
    std::vector<Record> records(rows);
    for (auto& record : records) fill(record);
    const auto on_cpu = cpu_.borrow(records).map(f).collect().to_vector();
    const auto query = device_.borrow(records).map(f);
    const auto told = query.explain_analyze();
    if (told.find("ran on opencl") == std::string::npos) {
      ++refused_;
      std::cout << "lambda " << number << " ran on the CPU:\n" << told << '\n';
      return;
    }
    ++compared_;
    const auto on_device = query.collect().to_vector();
    for (std::size_t i = 0; i < records.size(); ++i)
      if (!same(on_cpu[i], on_device[i])) {
        ++different_;
        std::cout << "lambda " << number << ", record " << i << ": cpu " << text(on_cpu[i])
                  << ", device " << text(on_device[i]) << '\n';
        return;
      }
  }

  int report() const {
    std::cout << compared_ << " compared, " << different_ << " different, " << refused_
              << " not compiled\n";
    // References that may lead to one of several variables aren't followed.
    return different_ == 0 && refused_ * 20 <= compared_ ? 0 : 1;
  }

 private:
  template <typename T>
  T nasty() {
    const auto pick = numbers_() % 8;
    if constexpr (std::is_floating_point_v<T>) {
      using limits = std::numeric_limits<T>;
      const T known[] = {T(0),          -T(0),         limits::infinity(),   -limits::infinity(),
                         limits::max(), limits::min(), limits::denorm_min(), limits::quiet_NaN()};
      if (pick == 0) return known[numbers_() % 8];
      return std::uniform_real_distribution<T>(-200, 200)(numbers_);
    } else {
      if (pick == 0) return std::numeric_limits<T>::max();
      if (pick == 1) return std::numeric_limits<T>::min();
      if (pick < 5) return static_cast<T>(numbers_() % 10);
      return static_cast<T>(numbers_());
    }
  }

  /// Members are filled by type where that matters: random bytes are seldom tame floats.
  template <typename Record>
  void fill(Record& record) {
    std::array<unsigned char, sizeof(Record)> bytes;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      const auto pick = numbers_() % 4;
      const auto as_float = nasty<float>();
      const auto as_int = nasty<std::int32_t>();
      const auto size = std::min<std::size_t>(4, bytes.size() - at);
      std::memcpy(bytes.data() + at, pick < 2 ? static_cast<const void*>(&as_float) : &as_int,
                  size);
    }
    std::memcpy(&record, bytes.data(), bytes.size());
  }

  template <typename T>
  static bool same_float(T a, T b) {
    return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
  }
  static bool same(const result& x, const result& y) {
    return x.a == y.a && x.d == y.d && same_float(x.b, y.b) && same_float(x.c, y.c);
  }
  static std::string text(const result& r) {
    return "{" + std::to_string(r.a) + ", " + std::to_string(r.b) + ", " + std::to_string(r.c) +
           ", " + std::to_string(r.d) + "}";
  }

  std::mt19937_64 numbers_;
  int only_;
  int compared_ = 0, different_ = 0, refused_ = 0;
  pappus::session cpu_{pappus::options{.threads = 1, .devices = "cpu"}};
  pappus::session device_{pappus::options{.devices = "opencl:0"}};
};
