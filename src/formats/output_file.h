// The file that records are written to: base/atomic_file.h with errors that name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/atomic_file.h"

namespace pappus::formats {

/// A file that records are to be put behind.
struct file_end {
  bool there = false;
  std::int64_t bytes = 0;           ///< when it was looked at
  base::atomic_file::joined how{};  ///< asked when all records are known
};

class output_file {
 public:
  /// Creates the partial file. Throws format_error naming the path and the system's reason.
  /// \param behind  what it is to stand behind; null: it takes the place of an older file
  explicit output_file(const std::string& path, const file_end* behind = nullptr);

  const std::string& name() const noexcept { return name_; }

  /// Writes `bytes` at `offset`. Thread-safe for ranges that don't overlap. Throws format_error, on
  /// a full disk for example.
  void write(std::int64_t offset, std::span<const std::byte> bytes);

  /// Gives the file its name, in place of an older one, or puts it behind that one's bytes. Nothing
  /// may be written afterwards. Without commit() the destructor leaves the folder as it was.
  void commit();

 private:
  std::string name_;  // as the user gave it
  std::optional<file_end> behind_;
  base::atomic_file file_;
};

}  // namespace pappus::formats
