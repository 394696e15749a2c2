#include "memory/spill_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/checksum.h"
#include "base/environment.h"
#include "base/memory_scale.h"
#include "base/text.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::memory {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;  // of a request
constexpr std::size_t step_bytes = std::size_t{64} << 10;  // extents are multiples of it
constexpr std::size_t page_bytes = std::size_t{4} << 10;   // of a checksum
constexpr std::size_t block_bytes = 4096;                  // of direct transfers
constexpr std::size_t pieces_at_once = 4;
constexpr std::size_t idle_max = 2 * pieces_at_once;  // buffers that a file keeps for later calls
constexpr unsigned transfer_threads = 4;

constexpr std::string_view remedy =
    "free space there, name another folder (PAPPUS_SPILL or options::spill) or raise the memory "
    "limit (PAPPUS_HOST_MEMORY or options::host_memory)";

std::string reason(int problem) { return std::generic_category().message(problem); }

std::string text_of(double bytes) { return base::bytes_text(bytes); }

/// An unnamed file; -errno.
int make_file(const std::string& folder, int flags) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
  if (file >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) return -errno;
  auto name = folder + "/pappus-spill-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC | flags);
  if (named < 0) return -errno;
  ::unlink(name.c_str());
  return named;
}

std::size_t pieces_of(std::size_t bytes) { return detail::ceil_div(bytes, piece_bytes); }

/// Of an extent's piece.
std::size_t bytes_of_piece(std::size_t bytes, std::size_t piece) {
  return std::min(piece_bytes, bytes - piece * piece_bytes);
}

/// Seeds differ from page to page, so that one that lies where another was is found out.
std::uint32_t seed_of(std::uint64_t offset) {
  return static_cast<std::uint32_t>(offset / page_bytes * 0x9e3779b1U);
}

/// Reads parts that follow one another.
class gatherer {
 public:
  explicit gatherer(std::span<const std::span<const std::byte>> parts) : parts_(parts) {}
  void copy(std::byte* to, std::size_t bytes) {
    while (bytes > 0) {
      const auto left = parts_[part_].subspan(at_);
      const std::size_t n = std::min(bytes, left.size());
      std::memcpy(to, left.data(), n);
      to += n, bytes -= n, at_ += n;
      if (at_ == parts_[part_].size()) ++part_, at_ = 0;
    }
  }

 private:
  std::span<const std::span<const std::byte>> parts_;
  std::size_t part_ = 0, at_ = 0;
};

}  // namespace

std::string why_no_spill_folder(const std::string& folder) {
  struct statfs about{};
  if (::statfs(folder.c_str(), &about) != 0) return reason(errno);
  const auto type = static_cast<std::uint32_t>(about.f_type);
  if (type == TMPFS_MAGIC || type == RAMFS_MAGIC) return "is in memory itself (tmpfs)";
  if (::access((folder + "/.").c_str(), W_OK | X_OK) != 0) return reason(errno);
  return {};
}

/// Aligned memory for the pieces that one call has under way.
class spill_file::pieces {
 public:
  /// Buffers for `count` pieces, or for fewer, which are used in turn.
  pieces(spill_file& of, std::size_t count) : of_(of) {
    const std::size_t wanted = std::min(count, pieces_at_once);
    all_.reserve(wanted);
    const std::lock_guard lock(of_.mutex_);
    while (all_.size() < wanted && !of_.idle_.empty()) {
      all_.push_back(std::move(of_.idle_.back()));
      of_.idle_.pop_back();
    }
    while (all_.size() < wanted) {
      all_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(block_bytes, piece_bytes)),
                        &std::free);
      if (!all_.back()) throw std::bad_alloc();
    }
  }
  ~pieces() {
    const std::lock_guard lock(of_.mutex_);
    while (!all_.empty() && of_.idle_.size() < idle_max) {
      of_.idle_.push_back(std::move(all_.back()));
      all_.pop_back();
    }
  }
  pieces(const pieces&) = delete;
  pieces& operator=(const pieces&) = delete;

  std::size_t count() const noexcept { return all_.size(); }
  std::byte* at(std::size_t i) const noexcept { return all_[i].get(); }

 private:
  spill_file& of_;
  std::vector<piece_buffer> all_;
};

spill_file::spill_file(spill_settings settings)
    : settings_(std::move(settings)), transfers_(io::make_calls(settings_.io), transfer_threads) {
  idle_.reserve(idle_max);  // so that buffers come back without memory for the list
}

spill_file::~spill_file() {
  if (file_ >= 0) ::close(file_);
}

spill_file::extent::~extent() {
  of_->give_back(offset_, detail::round_up(bytes_, base::scaled(step_bytes)));
}

void spill_file::choose_folder() {
  if (std::exchange(folder_chosen_, true)) return;
  folder_ = settings_.folder;
  if (!folder_.empty()) return;
  const char* const chosen = base::environment("TMPDIR");
  for (const std::string usual : {chosen != nullptr ? chosen : "/var/tmp", "/var/tmp"})
    if (why_no_spill_folder(usual).empty()) {
      folder_ = usual;
      return;
    }
}

bool spill_file::usable() {
  const std::lock_guard lock(mutex_);
  choose_folder();
  return !folder_.empty();
}

std::string spill_file::folder() {
  const std::lock_guard lock(mutex_);
  choose_folder();
  return folder_;
}

std::size_t spill_file::capacity() {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) return limit_;
  choose_folder();
  return limit_in(folder_);
}

/// As settings have it, else half of what is free. Whole pieces.
std::size_t spill_file::limit_in(const std::string& folder) const {
  auto bytes = settings_.bytes_max;
  struct statvfs about{};
  if (bytes == 0 && ::statvfs(folder.c_str(), &about) == 0)
    bytes = static_cast<std::size_t>(about.f_bavail) * about.f_frsize / 2;
  return bytes - bytes % piece_bytes;
}

void spill_file::fail(std::string_view owner, std::string_view what, int problem) {
  throw spill_error(fmt::format("{}: {} the spill file in {} failed after {}: {}; {}", owner, what,
                                folder(), text_of(static_cast<double>(written())), reason(problem),
                                remedy));
}

void spill_file::open(std::string_view owner) {
  if (file_ >= 0) return;
  choose_folder();
  if (const auto why = why_no_spill_folder(folder_); !why.empty())
    throw spill_error(
        fmt::format("{}: no spill file can be made in {}: {}; {}", owner, folder_, why, remedy));
  int made = make_file(folder_, O_DIRECT);
  direct_ = made >= 0;
  if (made == -EINVAL) made = make_file(folder_, 0);
  if (made < 0)
    throw spill_error(fmt::format("{}: no spill file can be made in {}: {}; {}", owner, folder_,
                                  reason(-made), remedy));
  file_ = made;
  limit_ = limit_in(folder_);
}

/// First fit. Extents begin and end at whole steps.
std::uint64_t spill_file::take(std::size_t bytes, std::string_view owner) {
  const std::lock_guard lock(mutex_);
  open(owner);
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const auto [offset, there] = *at;
    if (there < bytes) continue;
    free_.erase(at);
    if (there > bytes) free_.emplace(offset + bytes, there - bytes);
    in_use_ += bytes;
    return offset;
  }
  if (bytes > limit_ - std::min(limit_, end_))
    throw spill_error(
        fmt::format("{}: the spill file in {} would take more than {} (PAPPUS_SPILL_SIZE or "
                    "options::spill_size; by default half of what is free); {} lie there; {}",
                    owner, folder_, text_of(static_cast<double>(limit_)),
                    text_of(static_cast<double>(in_use())), remedy));
  const auto offset = end_;
  end_ += bytes;
  in_use_ += bytes;
  return offset;
}

void spill_file::give_back(std::uint64_t offset, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  in_use_ -= bytes;
  std::uint64_t begin = offset, end = offset + bytes;
  auto next = free_.lower_bound(begin);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      free_.erase(before);
    }
  }
  if (next != free_.end() && next->first == end) {
    end += next->second;
    free_.erase(next);
  }
  if (end == end_) {
    end_ = begin;
    return;
  }
  try {
    free_.emplace(begin, end - begin);
  } catch (...) {  // no memory for the list: the file keeps a hole
  }
}

void spill_file::reserve(std::uint64_t offset, std::size_t bytes, std::string_view owner) {
  io::transfers::batch one(transfers_);
  one.submit(
      {.what = io::request::kind::allocate, .file = file_, .offset = offset, .bytes = bytes});
  if (const auto done = one.wait(); done.problem != 0)
    fail(owner, "taking up " + text_of(static_cast<double>(bytes)) + " in", done.problem);
}

spill_file::extent_ptr spill_file::write(std::span<const std::span<const std::byte>> parts,
                                         std::string_view owner) {
  std::size_t bytes = 0;
  for (const auto& part : parts) bytes += part.size();
  const std::size_t taken = detail::round_up(bytes, base::scaled(step_bytes));
  const auto offset = take(taken, owner);
  std::unique_ptr<extent> made;
  try {
    made.reset(new extent(shared_from_this(), offset, bytes));
  } catch (...) {
    give_back(offset, taken);
    throw;
  }
  made->sums_.reserve(detail::ceil_div(bytes, page_bytes));
  reserve(offset, taken, owner);
  gatherer from(parts);
  const pieces buffers(*this, pieces_of(bytes));
  io::transfers::batch requests(transfers_);
  const auto finish_one = [&] {
    const auto done = requests.wait();
    if (done.problem != 0)
      fail(owner, "writing " + text_of(static_cast<double>(bytes)) + " to", done.problem);
    return done.number;
  };
  for (std::size_t piece = 0; piece < pieces_of(bytes); ++piece) {
    const auto buffer = piece < buffers.count() ? piece : finish_one();
    std::byte* const memory = buffers.at(buffer);
    const std::size_t n = bytes_of_piece(bytes, piece), whole = detail::round_up(n, block_bytes);
    from.copy(memory, n);
    std::memset(memory + n, 0, whole - n);
    const auto place = offset + piece * piece_bytes;
    for (std::size_t page = 0; page < n; page += page_bytes)
      made->sums_.push_back(
          base::checksum(memory + page, std::min(page_bytes, n - page), seed_of(place + page)));
    requests.submit({io::request::kind::write, file_, place, whole, memory, buffer});
  }
  while (requests.open() > 0) finish_one();
  if (!direct_) {  // the page cache only lets go of what is on the disk
    const auto begin = static_cast<off_t>(offset), length = static_cast<off_t>(taken);
    if (::sync_file_range(
            file_, begin, length,
            SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) != 0)
      fail(owner, "writing " + text_of(static_cast<double>(bytes)) + " to", errno);
    ::posix_fadvise(file_, begin, length, POSIX_FADV_DONTNEED);
  }
  written_ += bytes;
  return made;
}

/// The pieces of parts, from page to page.
class spill_file::piece_list {
 public:
  explicit piece_list(std::span<const part> parts) : parts_(parts) { enter(); }

  struct piece {
    const part* of;
    std::size_t begin, bytes;  // of the extent
    bool again = false;
  };
  bool more() const noexcept { return part_ < parts_.size(); }
  piece next() noexcept {
    const auto& in = parts_[part_];
    const std::size_t n = std::min(piece_bytes, end_ - begin_);
    const piece found{&in, begin_, n};
    begin_ += n;
    if (begin_ == end_) ++part_, enter();
    return found;
  }

 private:
  /// Begins with the next part that isn't empty.
  void enter() noexcept {
    while (part_ < parts_.size() && parts_[part_].bytes == 0) ++part_;
    if (part_ == parts_.size()) return;
    const auto& in = parts_[part_];
    begin_ = in.begin - in.begin % page_bytes;
    end_ = std::min(detail::round_up(in.begin + in.bytes, page_bytes), in.from->bytes());
  }

  std::span<const part> parts_;
  std::size_t part_ = 0, begin_ = 0, end_ = 0;
};

bool spill_file::take_over(const part& wanted, std::size_t begin, std::size_t n,
                           const std::byte* bytes) {
  const auto& from = *wanted.from;
  for (std::size_t page = 0; page < n; page += page_bytes) {
    const auto sum = base::checksum(bytes + page, std::min(page_bytes, n - page),
                                    seed_of(from.offset_ + begin + page));
    if (sum != from.sums_[(begin + page) / page_bytes]) return false;
  }
  const std::size_t first = std::max(begin, wanted.begin),
                    last = std::min(begin + n, wanted.begin + wanted.bytes);
  std::memcpy(wanted.to + (first - wanted.begin), bytes + (first - begin), last - first);
  return true;
}

void spill_file::refuse(const extent& from, std::size_t begin, std::size_t bytes,
                        std::string_view owner) {
  throw spill_error(fmt::format(
      "{}: the spill file in {} doesn't hold what was written there, at bytes {} to {}: the "
      "checksum of a page is another one, and was when it was read again; check the disk, or "
      "name a folder on another one (PAPPUS_SPILL or options::spill)",
      owner, folder(), from.offset_ + begin, from.offset_ + begin + bytes));
}

void spill_file::read(std::span<const part> parts, std::string_view owner,
                      const detail::workers* for_whom) {
  piece_list left(parts);
  std::size_t bytes = 0, count = 0;
  for (auto all = left; all.more(); ++count) bytes += all.next().bytes;
  if (count == 0) return;
  const pieces buffers(*this, count);
  io::transfers::batch requests(transfers_);
  std::vector<piece_list::piece> in(buffers.count());
  const auto submit = [&](std::size_t buffer) {
    const auto& [of, begin, n, again] = in[buffer];
    requests.submit({io::request::kind::read, file_, of->from->offset_ + begin,
                     detail::round_up(n, block_bytes), buffers.at(buffer), buffer});
  };
  for (std::size_t buffer = 0; buffer < buffers.count() && left.more(); ++buffer) {
    in[buffer] = left.next();
    submit(buffer);
  }
  while (requests.open() > 0) {
    const auto done = requests.wait();
    if (for_whom != nullptr && for_whom->stopping()) throw cancelled();
    if (done.problem != 0)
      fail(owner, "reading " + text_of(static_cast<double>(bytes)) + " back from", done.problem);
    auto& [of, begin, n, again] = in[done.number];
    if (take_over(*of, begin, n, buffers.at(done.number))) {
      if (!left.more()) continue;
      in[done.number] = left.next();
    } else if (std::exchange(again, true)) {
      refuse(*of->from, begin, n, owner);
    }
    submit(done.number);
  }
  if (!direct_)
    for (const auto& one : parts)
      ::posix_fadvise(file_, static_cast<off_t>(one.from->offset_ + one.begin),
                      static_cast<off_t>(one.bytes), POSIX_FADV_DONTNEED);
  read_back_ += bytes;
}

}  // namespace pappus::memory
