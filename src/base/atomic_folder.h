// A folder that appears under its name only when it is complete; see atomic_file.h for files.
//
// What is to be in it is put into a folder beside it, TARGET.PROCESS.NUMBER.new, since folders
// can't be without names. commit() gives that the target's name; where there is a folder already
// the two exchange their names, which is one step of the file system, and the old one is removed.
// A process that dies leaves the folder beside the target, and the target as it was. Where the file
// system can't exchange names, the old folder is renamed first: for a moment there is none.
#pragma once

#include <filesystem>

#include "base/atomic_file.h"

namespace pappus::base {

class atomic_folder {
 public:
  /// Creates the folder beside. Where `target` is a link, what it points to is replaced. Throws
  /// file_problem, also where the target is anything but a folder.
  explicit atomic_folder(const std::filesystem::path& target);
  atomic_folder(const atomic_folder&) = delete;
  atomic_folder& operator=(const atomic_folder&) = delete;

  /// Removes the folder beside, with all that is in it, unless commit() put it in its place.
  ~atomic_folder();

  /// Of the folder beside, to put files into.
  const std::filesystem::path& path() const noexcept { return partial_; }

  /// Gives the folder the target's name, and removes the one that had it. If it throws
  /// file_problem, the target is as it was.
  void commit();

 private:
  void put_in_place();

  std::filesystem::path target_;   // links followed
  std::filesystem::path partial_;  // of what is to be removed; empty: nothing
};

}  // namespace pappus::base
