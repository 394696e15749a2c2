#include "io/calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "io/faulty.h"
#include "pappus/error.h"

namespace pappus::io {
namespace {

class system_calls final : public calls {
 public:
  std::int64_t read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset) override {
    const auto n = ::pread(file, to, bytes, static_cast<off_t>(offset));
    return n < 0 ? -errno : n;
  }
  std::int64_t write(int file, const std::byte* from, std::size_t bytes,
                     std::uint64_t offset) override {
    const auto n = ::pwrite(file, from, bytes, static_cast<off_t>(offset));
    return n < 0 ? -errno : n;
  }
  std::int64_t allocate(int file, std::size_t bytes, std::uint64_t offset) override {
    const int failed = ::fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    // Some file systems can't: they tell when bytes are written.
    return failed == 0 || errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
  }
};

std::shared_ptr<calls> made(std::string_view text, bool with_flips) {
  auto real = std::make_shared<system_calls>();
  if (text.empty()) return real;
  constexpr std::string_view prefix = "faulty:";
  if (!text.starts_with(prefix))
    throw usage_error(
        fmt::format("PAPPUS_IO: expected faulty:KEY=VALUE+..., or nothing, got \"{}\"", text));
  auto asked = parse_faults(text.substr(prefix.size()));
  if (!with_flips) asked.flip = 0;
  return std::make_shared<faulty_calls>(asked, std::move(real));
}

}  // namespace

std::shared_ptr<calls> make_calls(std::string_view text) { return made(text, true); }

std::shared_ptr<calls> make_calls_on_users_files(std::string_view text) {
  return made(text, false);
}

}  // namespace pappus::io
