// The file that records are written to: base/atomic_file.h with errors that name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/atomic_file.h"

namespace pappus::formats {

class output_file {
 public:
  /// Creates the partial file. Throws format_error naming the path and the system's reason.
  explicit output_file(const std::string& path);

  const std::string& name() const noexcept { return name_; }

  /// Writes `bytes` at `offset`. Thread-safe for ranges that don't overlap. Throws format_error, on
  /// a full disk for example.
  void write(std::int64_t offset, std::span<const std::byte> bytes);

  /// Gives the file its name, in place of an older one. Nothing may be written afterwards. Without
  /// commit() the destructor leaves the folder as it was.
  void commit();

 private:
  std::string name_;  // as the user gave it
  base::atomic_file file_;
};

}  // namespace pappus::formats
