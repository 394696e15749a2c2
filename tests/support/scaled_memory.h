// Tests of larger-than-memory queries and arrays with few rows: the engine's sizes, the memory that
// sessions have, and their rows are an eighth of what they stand for.
#pragma once

#include <cstddef>

#include <gtest/gtest.h>

#include "base/memory_scale.h"

namespace pappus::testing {

inline constexpr std::size_t memory_scale = 8;

/// Of a session's memory, what stands for a MiB.
inline constexpr std::size_t scaled_mib = (std::size_t{1} << 20) / memory_scale;

/// Sessions that are made while one exists, and are gone with all of their rows, have scaled sizes.
class scaled_memory {
 public:
  scaled_memory() { base::set_memory_scale(memory_scale); }
  ~scaled_memory() { base::set_memory_scale(before_); }
  scaled_memory(const scaled_memory&) = delete;
  scaled_memory& operator=(const scaled_memory&) = delete;

 private:
  const std::size_t before_ = base::memory_scale();
};

/// A test of which this is the fixture has them.
class scaled_test : public ::testing::Test {
 private:
  const scaled_memory scaled_;
};

}  // namespace pappus::testing
