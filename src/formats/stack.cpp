#include "formats/stack.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "formats/array_registry.h"
#include "formats/array_type.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using extents_list = std::vector<std::int64_t>;

/// Files that one stack keeps open: a sixteenth of what the process may have, as there may be
/// several stacks, and other files.
std::size_t open_files_limit() {
  constexpr rlim_t least = 8, most = 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return least;
  return static_cast<std::size_t>(std::clamp(limit.rlim_cur / 16, least, most));
}

/// What tells a file from another one that took its place, and from itself after it was changed.
struct identity {
  dev_t device = 0;
  ino_t number = 0;
  off_t bytes = 0;
  timespec changed{};

  bool operator==(const identity& o) const noexcept {
    return device == o.device && number == o.number && bytes == o.bytes &&
           changed.tv_sec == o.changed.tv_sec && changed.tv_nsec == o.changed.tv_nsec;
  }
};

/// Of what a path names; none of folders, into which others may put chunks.
std::optional<identity> identity_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.substr(0, path.find(":/")).c_str(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return identity{status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

std::string hex(std::span<const std::byte> bytes) {
  std::string result;
  for (const auto one : bytes)
    result += fmt::format("{}{:02x}", result.empty() ? "" : " ", std::to_integer<unsigned>(one));
  return result;
}

/// How arrays can differ, in words for messages.
struct traits {
  explicit traits(const array_file& of)
      : extents(of.shape().extents),
        chunk(of.shape().chunk),
        fill(of.fill().begin(), of.fill().end()) {}

  extents_list extents, chunk;
  std::vector<std::byte> fill;
};

void check_alike(const std::string& path, const array_file& file, const std::string& first_path,
                 const traits& first) {
  const auto check = [&](const char* what, const std::string& expected, const std::string& got,
                         const char* remedy) {
    if (expected == got) return;
    throw format_error(fmt::format("{}: expected {} {}, as {} has, got {}; {}", path, what,
                                   expected, first_path, got, remedy));
  };
  check("extents", shape_text(first.extents), shape_text(file.shape().extents),
        "all files of a stack have the same");
  check("chunks of", shape_text(first.chunk), shape_text(file.shape().chunk),
        "write it with the others' chunks");
  check("a fill value with the bytes", hex(first.fill), hex(file.fill()),
        "write it with the others' fill value");
}

array_shape stacked(const traits& one, std::size_t files, const std::string& name) {
  array_shape result{one.extents, one.chunk};
  auto bytes = static_cast<std::int64_t>(one.fill.size());
  bool fits = !__builtin_mul_overflow(bytes, static_cast<std::int64_t>(files), &bytes);
  for (const auto extent : one.extents)
    fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  if (!fits)
    throw format_error(fmt::format("{}: expected less than 2^63 bytes, got {} files of {} elements",
                                   name, files, shape_text(one.extents)));
  result.extents.insert(result.extents.begin(), static_cast<std::int64_t>(files));
  result.chunk.insert(result.chunk.begin(), 1);
  return result;
}

void add_word(std::string& words, const std::string& word) {
  if (word.empty() || (", " + words + ", ").find(", " + word + ", ") != std::string::npos) return;
  words += (words.empty() ? "" : ", ") + word;
}

class file_stack final : public array_file {
 public:
  /// How each of the files is opened.
  struct way {
    std::vector<std::string> paths;
    detail::record_layout layout;
    std::size_t rank = 0;
    extents_list extents;

    std::unique_ptr<array_file> open(std::size_t n) const {
      return open_array(paths[n], layout, rank, extents);
    }
  };

  file_stack(way how, std::string name, std::unique_ptr<array_file> first)
      : array_file(name, stacked(traits(*first), how.paths.size(), name),
                   {first->fill().begin(), first->fill().end()}),
        how_(std::move(how)),
        alike_(*first),
        members_(how_.paths.size()) {
    for (std::size_t n = 0; n < members_.size(); ++n) {
      members_[n].opened = identity_of(how_.paths[n]);
      look_at(*keep(n, n == 0 ? std::move(first) : open(n)));
    }
  }

  array_storage storage() const override { return storage_; }
  std::int64_t bytes_read() const noexcept override {
    const std::lock_guard hold(lock_);
    auto bytes = closed_bytes_;
    for (const auto& one : members_)
      if (one.file) bytes += one.file->bytes_read();
    return bytes;
  }

  bool load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const override {
    return at(chunk[0])->load(chunk.subspan(1), scratch, out);
  }

  bool reads_alone(const hyperslab& elements) const noexcept override {
    const auto& [low, high, steps] = elements;
    try {
      for (auto n = low[0]; n < high[0]; n += steps[0])
        if (!at(n)->reads_alone(in_file(elements))) return false;
    } catch (...) {  // load() will tell
      return false;
    }
    return true;
  }

  void read_alone(const hyperslab& elements, std::span<const std::int64_t> strides,
                  std::byte* out) const override {
    const auto& [low, high, steps] = elements;
    const auto bytes = strides[0] * static_cast<std::int64_t>(element_bytes());
    for (auto n = low[0]; n < high[0]; n += steps[0])
      at(n)->read_alone(in_file(elements), strides.subspan(1), out + (n - low[0]) * bytes);
  }

  void announce_alone(const hyperslab& elements) const noexcept override {
    const auto& [low, high, steps] = elements;
    try {
      for (auto n = low[0]; n < high[0]; n += steps[0]) at(n)->announce_alone(in_file(elements));
    } catch (...) {  // load() will tell
      return;
    }
  }

  void announce(chunk_place chunk) const noexcept override {
    try {
      at(chunk[0])->announce(chunk.subspan(1));
    } catch (...) {  // load() will tell
      return;
    }
  }

  std::size_t open_files_max() const noexcept override { return open_files_limit_; }
  std::size_t scratch_bytes() const noexcept override { return scratch_bytes_; }

 private:
  using file_ptr = std::shared_ptr<const array_file>;

  struct member {
    file_ptr file;                             ///< null: it is closed
    std::list<std::size_t>::iterator place{};  ///< in recent_, of one that is open
    std::optional<identity> opened;
  };

  static hyperslab in_file(const hyperslab& of) {
    return {of.low.subspan(1), of.high.subspan(1), of.steps.subspan(1)};
  }

  std::unique_ptr<array_file> open(std::size_t n) const {
    auto file = how_.open(n);
    check_alike(how_.paths[n], *file, how_.paths[0], alike_);
    return file;
  }

  void look_at(const array_file& one) {
    const auto about = one.storage();
    add_word(storage_.kind, about.kind);
    add_word(storage_.codec, about.codec);
    const bool known = about.bytes >= 0 && storage_.bytes >= 0;
    storage_.bytes = known ? storage_.bytes + about.bytes : -1;
    scratch_bytes_ = std::max(scratch_bytes_, one.scratch_bytes());
  }

  /// The file, open as long as somebody has the pointer.
  file_ptr at(std::int64_t number) const {
    const auto n = static_cast<std::size_t>(number);
    {
      const std::lock_guard hold(lock_);
      if (members_[n].file) return used(members_[n]);
    }
    auto opened = open(n);
    const auto now = identity_of(how_.paths[n]);
    if (now && now != members_[n].opened)
      throw format_error(how_.paths[n] +
                         ": expected the file that was there when its stack was opened, got "
                         "another one, or a change; open the stack again");
    return keep(n, std::move(opened));
  }

  file_ptr keep(std::size_t n, std::unique_ptr<array_file> opened) const {
    const std::lock_guard hold(lock_);
    auto& one = members_[n];
    if (one.file) {  // another thread was faster
      closed_bytes_ += opened->bytes_read();
      return used(one);
    }
    one.file = std::move(opened);
    one.place = recent_.insert(recent_.end(), n);
    open_files_ += one.file->open_files_max();
    const auto result = one.file;
    close_some();
    return result;
  }

  // Both with the lock held.
  file_ptr used(member& one) const {
    recent_.splice(recent_.end(), recent_, one.place);
    return one.file;
  }
  /// Those that nobody uses, and that keep files open, the one that was used last longest ago
  /// first.
  void close_some() const {
    for (auto at = recent_.begin(); at != recent_.end() && open_files_ > open_files_limit_;) {
      auto& one = members_[*at];
      const auto files = one.file->open_files_max();
      if (files == 0 || one.file.use_count() > 1) {
        ++at;
        continue;
      }
      closed_bytes_ += one.file->bytes_read();
      open_files_ -= files;
      one.file.reset();
      at = recent_.erase(at);
    }
  }

  const way how_;
  const traits alike_;
  const std::size_t open_files_limit_ = open_files_limit();
  array_storage storage_{"", "", 0};
  std::size_t scratch_bytes_ = 0;

  mutable std::mutex lock_;
  mutable std::vector<member> members_;
  mutable std::list<std::size_t> recent_;  // those that are open, the last one used last
  mutable std::size_t open_files_ = 0;
  mutable std::int64_t closed_bytes_ = 0;  // read by those that are closed
};

}  // namespace

std::unique_ptr<array_file> open_stack(const std::vector<std::string>& paths,
                                       const detail::record_layout& layout, std::size_t rank,
                                       const extents_list& extents) {
  if (paths.empty())
    throw usage_error("open: expected one path or more to stack, got an empty list");
  file_stack::way how{paths, layout, rank, extents};
  auto name = paths[0];
  if (paths.size() > 1) name += fmt::format(" and {} more", paths.size() - 1);
  auto first = how.open(0);
  return std::make_unique<file_stack>(std::move(how), std::move(name), std::move(first));
}

}  // namespace pappus::formats
