// A file that appears under its name only when it is complete.
//
// Bytes go to a file beside the target, in the same folder so that a rename is one step of the file
// system; commit() renames. A reader of the target sees the old content or the new, never part of
// it, also when this process dies. Not here: fsync, which would guard against a loss of power at
// the price of seconds per gigabyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pappus::formats {

class output_file {
 public:
  /// Creates the file beside `path`. Throws format_error naming the path and the system's reason.
  explicit output_file(const std::string& path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Removes the partial file unless commit() was called.
  ~output_file();

  const std::string& name() const noexcept { return name_; }

  /// Writes `bytes` at `offset`. Thread-safe for ranges that don't overlap. Throws format_error, on
  /// a full disk for example.
  void write(std::int64_t offset, std::span<const std::byte> bytes);

  /// Puts the file in its place. Nothing may be written afterwards.
  void commit();

 private:
  std::string name_;     // as the user gave it
  std::string target_;   // with links followed
  std::string partial_;  // beside target_
  int descriptor_ = -1;
};

}  // namespace pappus::formats
