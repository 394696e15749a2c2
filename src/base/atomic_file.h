// A file that appears under its name only when it is complete.
//
// Bytes go to a partial file in the target's folder, which has no name (O_TMPFILE): nothing of it
// is left when this process dies, however it dies. commit() names it; where there is a file to be
// replaced, by a name of its own that is renamed at once, since only that is one step of the file
// system. A reader of the target sees the old content or the new, never part of it. Where the file
// system knows no unnamed files (NFS), the partial file has its name from the start,
// TARGET.PROCESS.NUMBER.new, and stays behind when the process dies.
// What is to stand behind a file's bytes (commit_behind) goes to an unnamed file, too, and is
// copied when it is complete, under a lock of the file: so several processes may do that, and one
// that dies before, or fails, leaves the file as it was.
// Not here: fsync, which would guard against a loss of power at the price of seconds per gigabyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pappus::base {

/// what() tells what the system refused, to be put behind a file's name: "can't be created:
/// Permission denied".
struct file_problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class atomic_file {
 public:
  /// At the end of a partial file's name, if it has one.
  static constexpr std::string_view partial_suffix = ".new";

  /// What to do when the target's folder doesn't exist; made_for_owner: only the user may enter it.
  enum class folder { refused, made, made_for_owner };

  /// Creates the partial file. Where `target` is a link, what it points to is replaced. Throws
  /// file_problem, also where the target is anything but a regular file.
  explicit atomic_file(const std::filesystem::path& target, folder missing = folder::refused);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Removes the partial file unless commit() put it in its place.
  ~atomic_file();

  /// Writes behind what append() wrote before. Throws file_problem, on a full disk for example.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }

  /// Writes at `offset`; for files that aren't appended to. Thread-safe for ranges that don't
  /// overlap. Throws as append() does.
  void write(std::int64_t offset, std::span<const std::byte> bytes);

  /// What to do where the target is there.
  enum class older { replaced, refused };

  /// Gives the file the target's name, and the permissions of the file that it replaces. Nothing
  /// may be written afterwards. If it throws file_problem, the target is as it was.
  void commit(older target = older::replaced);

  /// A file that is to be added to, which no other may add to at that time.
  struct growing {
    std::int64_t bytes = 0, added = 0;
    char last = 0;  ///< of its bytes
  };
  /// What to do with it.
  struct joint {
    std::int64_t at = 0;    ///< where what is added begins, in place of what is there
    std::string between{};  ///< and with what
    std::int64_t told_at = 0;
    std::string told{};  ///< takes the place of as many bytes when all else is there
  };
  using joined = std::function<joint(const growing&)>;  ///< may throw
  /// Puts what was written behind the bytes of the target, which is there. Waits for others that do
  /// the same. If it throws file_problem, or what `how` throws, the target is as it was, as far as
  /// `joint::at`; a process that dies meanwhile leaves some of what is added, and has not told.
  void commit_behind(const joined& how);

 private:
  /// Calls make(path) with one name after the other until it returns true, or fails for another
  /// reason than that the name is taken. The partial file has that name then.
  template <typename Make>
  bool take_name(Make&& make);
  bool put_in_place(older target);
  int open_target() const;
  void copy_to(int target, std::int64_t offset) const;

  std::filesystem::path target_;   // links followed
  std::filesystem::path partial_;  // empty: it has no name
  std::int64_t appended_ = 0;
  int descriptor_ = -1;
};

}  // namespace pappus::base
