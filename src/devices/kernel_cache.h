// Compiled kernels on disk, for all processes of a user.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::devices {

/// What a cache did since it was made.
struct kernel_cache_counts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;      ///< corrupt entries included
  std::uint64_t stores = 0;      ///< entries written
  std::uint64_t corrupt = 0;     ///< entries that weren't as they had been stored; removed
  std::uint64_t evicted = 0;     ///< entries removed to keep the folder below its cap
  std::uint64_t unwritable = 0;  ///< entries that couldn't be written
};

/// Binaries by key. A key is all that shapes the binary: text, options, device, driver versions.
///
/// Any number of threads and processes may use a folder at the same time. Whatever is wrong with
/// the folder is a miss or an entry not stored, never an error: kernels can be compiled again.
class kernel_cache {
 public:
  /// The user's cache, made at the first call: the folder that PAPPUS_CACHE names ("off": none),
  /// else $XDG_CACHE_HOME/pappus/kernels, else ~/.cache/pappus/kernels; PAPPUS_CACHE_SIZE bytes,
  /// 256 MiB if unset. Throws usage_error when PAPPUS_CACHE_SIZE is no size.
  static kernel_cache& shared();

  /// \param folder     made when the first entry is stored; empty: nothing is kept.
  /// \param bytes_max  of all entries; the longest unused go first. A larger binary isn't stored.
  kernel_cache(const std::filesystem::path& folder, std::size_t bytes_max);

  /// The binary stored under exactly this key. Counts a hit or a miss.
  std::optional<std::vector<std::byte>> find(std::string_view key);
  /// Whether find() would have it, judged by the entry's key and length alone. Counts nothing.
  bool contains(std::string_view key) const;
  /// Whether store() may keep anything: there is a folder.
  bool keeps() const noexcept { return !folder_.empty(); }
  /// Keeps a binary, in place of what was there under the key.
  void store(std::string_view key, std::span<const std::byte> binary);

  kernel_cache_counts counts() const noexcept;

 private:
  std::filesystem::path entry_path(std::string_view key) const;
  void trim(const std::filesystem::path& newest);

  const std::filesystem::path folder_;
  const std::size_t bytes_max_;
  std::mutex trimming_;
  std::atomic<std::uint64_t> hits_{0}, misses_{0}, stores_{0}, corrupt_{0}, evicted_{0},
      unwritable_{0};
};

/// The folder of kernel_cache::shared(), empty for none, by the values of PAPPUS_CACHE,
/// XDG_CACHE_HOME and HOME; null: not set.
std::filesystem::path kernel_cache_folder(const char* pappus_cache, const char* xdg_cache_home,
                                          const char* home);

}  // namespace pappus::devices
