// Files of inputs, which benchmarks make and remove again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "system/team.h"

namespace pappus::bench {

/// An empty file in the folder of spill files, removed in the end.
class scratch_file {
 public:
  /// \param suffix  of its name: ".raw"
  explicit scratch_file(std::string_view suffix = {});
  scratch_file(scratch_file&& other) noexcept;
  ~scratch_file();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// An empty folder beside these files, removed in the end with all that is in it.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::string& path() const { return path_; }

  /// Has its files written to the disk.
  void settle() const;
  /// The next reads of its files come from the disk, where these are settled.
  void leave_page_cache() const noexcept;

 private:
  std::string path_;
};

/// What versions read, in one file or several.
class input_files {
 public:
  virtual ~input_files() = default;
  /// \throws format_error  if a read failed
  virtual void check() const = 0;
  /// The next reads come from the disk.
  virtual void leave_page_cache() noexcept = 0;
};

/// A file of bytes that hand-written versions read, by several threads, and whose pages can be
/// taken out of the cache.
class input_bytes final : public input_files {
 public:
  /// Makes the bytes of the stretch that begins at `begin`. Several threads call it.
  using maker = std::function<void(std::int64_t begin, std::span<std::byte> to)>;

  /// Fills the file, and says so on stderr where it is large. Bytes are on the disk when it
  /// returns.
  /// \param piece  bytes that are made at a time
  /// \throws format_error  if the file can't be written
  input_bytes(scratch_file file, std::int64_t bytes, std::int64_t piece, team& workers,
              const maker& make);
  ~input_bytes() override;
  input_bytes(const input_bytes&) = delete;
  input_bytes& operator=(const input_bytes&) = delete;

  const std::string& path() const { return file_.path(); }
  std::int64_t bytes() const { return bytes_; }

  /// A failure is told by check().
  void read(std::int64_t offset, std::span<std::byte> to) const noexcept;
  /// Has the system begin to read what will be needed, once the file has left the page cache.
  void announce(std::int64_t offset, std::int64_t bytes) const noexcept;
  void check() const override;
  void leave_page_cache() noexcept override;

 private:
  scratch_file file_;
  std::int64_t bytes_;
  int descriptor_ = -1;
  bool cold_ = false;
  mutable std::atomic<bool> failed_ = false;
};

}  // namespace pappus::bench
