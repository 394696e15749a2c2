#include "system/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/error.h"

namespace pappus::bench {
namespace {

constexpr std::int64_t told_bytes = 64 << 20;  // takes a second, or more

/// Calls part(bytes done so far) until it has done all; it returns how many it did, or -1.
template <typename Part>
bool all_parts(std::size_t bytes, Part&& part) {
  for (std::size_t done = 0; done < bytes;) {
    const auto more = part(done);
    if (more > 0)
      done += static_cast<std::size_t>(more);
    else if (more == 0 || errno != EINTR)
      return false;
  }
  return true;
}

std::string name_pattern(std::string_view suffix) {
  const char* const folder = std::getenv("TMPDIR");
  return fmt::format("{}/pappus-bench-XXXXXX{}", folder != nullptr ? folder : "/var/tmp", suffix);
}

}  // namespace

scratch_file::scratch_file(std::string_view suffix) : path_(name_pattern(suffix)) {
  if (const int file = ::mkstemps(path_.data(), static_cast<int>(suffix.size())); file >= 0)
    ::close(file);
}

scratch_file::scratch_file(scratch_file&& other) noexcept : path_(std::exchange(other.path_, {})) {}

scratch_file::~scratch_file() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

scratch_folder::scratch_folder() : path_(name_pattern("")) {
  if (::mkdtemp(path_.data()) == nullptr)
    throw format_error(fmt::format("{}: the benchmark's folder can't be made", path_));
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void scratch_folder::settle() const {
  const int folder = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool settled = folder >= 0 && ::syncfs(folder) == 0;
  if (folder >= 0) ::close(folder);
  if (!settled)
    throw format_error(fmt::format("{}: the benchmark's input can't be written", path_));
}

void scratch_folder::leave_page_cache() const noexcept {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_, ignored)) {
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

input_bytes::input_bytes(scratch_file file, std::int64_t bytes, std::int64_t piece, team& workers,
                         const maker& make)
    : file_(std::move(file)), bytes_(bytes), descriptor_(::open(path().c_str(), O_RDWR)) {
  if (bytes >= told_bytes)
    std::cerr << fmt::format("pappus: bench: making an input of {} in {}\n",
                             base::bytes_text(static_cast<double>(bytes)), path());
  std::vector<std::vector<std::byte>> made(static_cast<std::size_t>(workers.threads()));
  workers.run_pieces(bytes, piece, [&](std::int64_t begin, std::int64_t end, int worker) {
    auto& to = made[static_cast<std::size_t>(worker)];
    to.resize(static_cast<std::size_t>(end - begin));
    make(begin, to);
    if (!all_parts(to.size(), [&](std::size_t done) {
          return ::pwrite(descriptor_, to.data() + done, to.size() - done,
                          begin + static_cast<std::int64_t>(done));
        }))
      failed_ = true;
  });
  if (::fsync(descriptor_) == 0 && !failed_) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw format_error(fmt::format("{}: the benchmark's input can't be written", path()));
}

input_bytes::~input_bytes() { ::close(descriptor_); }

void input_bytes::read(std::int64_t offset, std::span<std::byte> to) const noexcept {
  if (!all_parts(to.size(), [&](std::size_t done) {
        return ::pread(descriptor_, to.data() + done, to.size() - done,
                       offset + static_cast<std::int64_t>(done));
      }))
    failed_ = true;
}

void input_bytes::announce(std::int64_t offset, std::int64_t bytes) const noexcept {
  if (cold_ && offset < bytes_)
    ::posix_fadvise(descriptor_, offset, std::min(bytes, bytes_ - offset), POSIX_FADV_WILLNEED);
}

void input_bytes::check() const {
  if (failed_) throw format_error(fmt::format("{}: the benchmark's input can't be read", path()));
}

void input_bytes::leave_page_cache() noexcept {
  cold_ = true;
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace pappus::bench
