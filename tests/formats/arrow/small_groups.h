// Parquet files with groups of few rows, which only tests write.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_scale.h"
#include "formats/arrow/arrow_writer.h"
#include "pappus/columns.h"
#include "support/test_workers.h"

namespace pappus::testing {

/// Has none to spare, but gives what is asked for: so writers begin groups as often as they may.
class no_spare_memory final : public detail::memory_source {
 public:
  std::byte* acquire(std::size_t bytes, std::string_view) override {
    return static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}));
  }
  void release(std::byte* data, std::size_t) noexcept override {
    ::operator delete(data, std::align_val_t{64});
  }
  std::size_t available() const noexcept override { return 0; }
};

/// \param group_rows  a power of two up to 16384
template <typename Record>
void write_groups(const std::string& path, const std::vector<Record>& records,
                  std::size_t group_rows) {
  const auto before = base::memory_scale();
  base::set_memory_scale((std::size_t{16} << 10) / group_rows);
  no_spare_memory memory;
  test_workers team(1);
  formats::parquet_writer writer(path, detail::layout_of<Record>(), memory);
  writer.append(team, reinterpret_cast<const std::byte*>(records.data()), std::ssize(records));
  writer.close();
  base::set_memory_scale(before);
}

}  // namespace pappus::testing
