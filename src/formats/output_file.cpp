#include "formats/output_file.h"

#include "pappus/error.h"

namespace pappus::formats {
namespace {

template <typename F>
auto naming(const std::string& name, F&& f) {
  try {
    return f();
  } catch (const base::file_problem& problem) {
    throw format_error(name + ": " + problem.what());
  }
}

}  // namespace

output_file::output_file(const std::string& path)
    : name_(path), file_(naming(path, [&] { return base::atomic_file(path); })) {}

void output_file::write(std::int64_t offset, std::span<const std::byte> bytes) {
  naming(name_, [&] { file_.write(offset, bytes); });
}

void output_file::commit() {
  naming(name_, [&] { file_.commit(); });
}

}  // namespace pappus::formats
