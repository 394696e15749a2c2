// Compiled kernels on disk.
//
// An entry is one file, named by a 128-bit hash of its key. It holds the whole key too, so that two
// keys of one hash are a miss and never a wrong kernel, and ends in a checksum of all before it. It
// is written by base/atomic_file.h: readers see no entry, the old one or the new one.
// Nothing is flushed to the disk, because a file that a crash left empty or torn fails its checksum
// and is compiled again. So there are no locks, and nothing that a killed process could leave
// locked; two processes that miss the same kernel both compile it, and the last one's stays.
//
// The modification time of an entry tells when it was last used. find() renews it, at most once a
// minute; store() removes the oldest entries beyond the cap. A process that removes what another is
// reading or replacing costs one compilation. Only files that are named as ours are ever removed.
//
// Entries of another format don't meet ours, since the format is a part of the hashed name.
// Binaries are code: a folder that others may write to is as trustworthy as they are, which is why
// we make it for its owner only.
//
// Not here: what makes up a key (the devices know), and kernels kept within a process.
#include "devices/kernel_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/cache_folder.h"
#include "base/environment.h"
#include "base/text.h"
#include "pappus/detail/base/hash.h"

namespace pappus::devices {
namespace {

namespace fs = std::filesystem;

// The last byte but one is the format's version.
constexpr std::string_view magic = "PAPKRN\1\n";
constexpr std::string_view entry_suffix = ".kernel";
constexpr std::size_t name_digits = 32;
constexpr std::size_t bytes_max_default = std::size_t{256} << 20;
constexpr std::chrono::seconds renewed_after{60};
constexpr std::chrono::hours abandoned_after{1};

struct hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const hash128&) const = default;
};

// Two chains. Each step is invertible in the state and in the word: inputs of one length that
// differ in one word never have the same hash.
hash128 hash_of(std::span<const std::byte> bytes) {
  std::uint64_t a = 0, b = 0;
  const auto step = [&](std::uint64_t word) {
    a = detail::mix(a ^ word);
    b = detail::mix(b + word, 1);
  };
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(bytes.size() - at, sizeof word));
    step(word);
  }
  step(bytes.size());
  return {a, b};
}

// An entry: header, key, binary, checksum of all before it.
struct entry_header {
  std::array<char, 8> format = {};
  std::uint64_t key_bytes = 0, binary_bytes = 0;
};
constexpr std::size_t frame_bytes = sizeof(entry_header) + sizeof(hash128);

std::vector<std::byte> make_entry(std::string_view key, std::span<const std::byte> binary) {
  entry_header header{.key_bytes = key.size(), .binary_bytes = binary.size()};
  std::ranges::copy(magic, header.format.begin());
  std::vector<std::byte> entry;
  entry.reserve(frame_bytes + key.size() + binary.size());
  const auto add = [&](std::span<const std::byte> part) {
    entry.insert(entry.end(), part.begin(), part.end());
  };
  add(std::as_bytes(std::span(&header, 1)));
  add(std::as_bytes(std::span(key)));
  add(binary);
  const hash128 checksum = hash_of(entry);
  add(std::as_bytes(std::span(&checksum, 1)));
  return entry;
}

class descriptor {
 public:
  descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC)) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  explicit operator bool() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }

 private:
  const int number_;
};

// False: an error, or the file is shorter.
bool read_all(int file, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t n = ::read(file, to.data(), to.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

class opened_entry {
 public:
  // O_NONBLOCK: whatever has the entry's name, opening it doesn't wait.
  explicit opened_entry(const fs::path& path) : file_(path, O_RDONLY | O_NONBLOCK) {
    is_there_ = file_ && ::fstat(file_.number(), &status_) == 0;
  }
  bool is_there() const noexcept { return is_there_; }

  // Reads all of it. False: it isn't as it was stored.
  bool read() {
    if (!read_key()) return false;
    hash128 checksum;
    const std::size_t checked = bytes_.size();
    const std::size_t rest = file_bytes() - checked - sizeof checksum;
    bytes_.resize(checked + rest);
    if (!read_all(file_.number(), std::span(bytes_).subspan(checked)) ||
        !read_all(file_.number(), std::as_writable_bytes(std::span(&checksum, 1))) ||
        hash_of(bytes_) != checksum)
      bytes_.clear();
    return !bytes_.empty();
  }

  // Reads header and key. False: no entry starts so.
  bool read_key() {
    if (!S_ISREG(status_.st_mode) || file_bytes() < frame_bytes ||
        !read_all(file_.number(), std::as_writable_bytes(std::span(&header_, 1))))
      return false;
    const std::uint64_t content = file_bytes() - frame_bytes;
    if (!std::ranges::equal(header_.format, magic) || header_.key_bytes > content ||
        header_.binary_bytes != content - header_.key_bytes)
      return false;
    bytes_.resize(sizeof header_ + header_.key_bytes);
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    if (!read_all(file_.number(), std::span(bytes_).subspan(sizeof header_))) bytes_.clear();
    return !bytes_.empty();
  }

  bool has(std::string_view key) const {
    return !bytes_.empty() &&
           std::ranges::equal(std::span(bytes_).subspan(sizeof header_, header_.key_bytes),
                              std::as_bytes(std::span(key)));
  }

  std::vector<std::byte> binary() const {
    return {bytes_.end() - static_cast<std::ptrdiff_t>(header_.binary_bytes), bytes_.end()};
  }

  void renew() {
    const auto unused = std::chrono::system_clock::now() -
                        std::chrono::system_clock::from_time_t(status_.st_mtim.tv_sec);
    if (unused > renewed_after) ::futimens(file_.number(), nullptr);
  }

 private:
  std::uint64_t file_bytes() const noexcept { return static_cast<std::uint64_t>(status_.st_size); }

  descriptor file_;
  struct ::stat status_ = {};
  bool is_there_ = false;
  entry_header header_;
  std::vector<std::byte> bytes_;  // header, key and binary, as far as they have been read
};

bool is_named_by_us(std::string_view name) {
  return name.size() > name_digits && name.find_first_not_of("0123456789abcdef") == name_digits &&
         (name.substr(name_digits) == entry_suffix ||
          name.ends_with(base::atomic_file::partial_suffix));
}

struct kept_file {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes = 0;
};

// The entries of a folder. Removes what processes that died while they wrote have left.
std::vector<kept_file> entries_of(const fs::path& folder) {
  std::vector<kept_file> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!is_named_by_us(at->path().filename().native())) continue;
    // Another process may remove the file meanwhile.
    std::error_code gone;
    const kept_file file{at->path(), at->last_write_time(gone), gone ? 0 : at->file_size(gone)};
    if (gone) continue;
    if (file.path.native().ends_with(entry_suffix))
      entries.push_back(file);
    else if (fs::file_time_type::clock::now() - file.used > abandoned_after)
      fs::remove(file.path, gone);
  }
  return entries;
}

std::size_t cap_from_environment() {
  const char* text = base::environment("PAPPUS_CACHE_SIZE");
  return text != nullptr ? base::parse_bytes(text, "PAPPUS_CACHE_SIZE") : bytes_max_default;
}

// So that a program that changes its folder keeps its cache. Empty where that can't be found out.
fs::path from_the_root(const fs::path& folder) {
  std::error_code error;
  return folder.empty() ? folder : fs::absolute(folder, error);
}

}  // namespace

fs::path kernel_cache_folder(const char* pappus_cache, const char* xdg_cache_home,
                             const char* home) {
  if (pappus_cache != nullptr && *pappus_cache != '\0')
    return std::string_view(pappus_cache) == "off" ? fs::path() : fs::path(pappus_cache);
  const auto folder = base::cache_folder(xdg_cache_home, home);
  return folder.empty() ? folder : folder / "kernels";
}

kernel_cache& kernel_cache::shared() {
  // Kept until the process ends: devices are, and build kernels as long as any thread runs.
  static auto* const cache = new kernel_cache(
      kernel_cache_folder(base::environment("PAPPUS_CACHE"), base::environment("XDG_CACHE_HOME"),
                          base::environment("HOME")),
      cap_from_environment());
  return *cache;
}

kernel_cache::kernel_cache(const fs::path& folder, std::size_t bytes_max)
    : folder_(from_the_root(folder)), bytes_max_(bytes_max) {}

fs::path kernel_cache::entry_path(std::string_view key) const {
  std::string hashed(magic);
  hashed += key;
  const hash128 hash = hash_of(std::as_bytes(std::span(hashed)));
  return folder_ / fmt::format("{:016x}{:016x}{}", hash.high, hash.low, entry_suffix);
}

std::optional<std::vector<std::byte>> kernel_cache::find(std::string_view key) {
  if (folder_.empty()) {
    ++misses_;
    return std::nullopt;
  }
  const fs::path path = entry_path(key);
  opened_entry entry(path);
  if (entry.is_there() && !entry.read()) {
    // If it was replaced since we opened it, its successor goes: that costs one more compilation.
    ::unlink(path.c_str());
    ++corrupt_;
  }
  if (!entry.has(key)) {
    ++misses_;
    return std::nullopt;
  }
  entry.renew();
  ++hits_;
  return entry.binary();
}

bool kernel_cache::contains(std::string_view key) const {
  if (folder_.empty()) return false;
  opened_entry entry(entry_path(key));
  return entry.is_there() && entry.read_key() && entry.has(key);
}

void kernel_cache::store(std::string_view key, std::span<const std::byte> binary) {
  if (folder_.empty()) return;
  const std::vector<std::byte> entry = make_entry(key, binary);
  if (entry.size() > bytes_max_) return;
  const fs::path path = entry_path(key);
  try {
    base::atomic_file file(path, base::atomic_file::folder::made_for_owner);
    file.append(entry);
    file.commit();
  } catch (const base::file_problem&) {
    ++unwritable_;
    return;
  }
  ++stores_;
  trim(path);
}

// Removes the longest unused entries until the rest is within the cap, `newest` always among it.
void kernel_cache::trim(const fs::path& newest) {
  // The folder is read each time: others write to it too, and next to a compilation it costs
  // nothing.
  const std::lock_guard lock(trimming_);
  std::vector<kept_file> entries = entries_of(folder_);
  std::uintmax_t bytes = 0;
  for (const kept_file& entry : entries) bytes += entry.bytes;
  if (bytes <= bytes_max_) return;
  std::ranges::sort(entries, {}, &kept_file::used);
  for (const kept_file& entry : entries) {
    if (bytes <= bytes_max_) return;
    if (entry.path == newest) continue;
    // Removed by another process meanwhile: that counts there, and its bytes are gone all the same.
    if (::unlink(entry.path.c_str()) == 0) ++evicted_;
    bytes -= entry.bytes;
  }
}

kernel_cache_counts kernel_cache::counts() const noexcept {
  return {.hits = hits_,
          .misses = misses_,
          .stores = stores_,
          .corrupt = corrupt_,
          .evicted = evicted_,
          .unwritable = unwritable_};
}

}  // namespace pappus::devices
