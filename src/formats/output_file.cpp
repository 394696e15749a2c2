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

output_file::output_file(const std::string& path, const file_end* behind)
    : name_(path),
      behind_(behind != nullptr ? std::optional(*behind) : std::nullopt),
      file_(naming(path, [&] { return base::atomic_file(path); })) {}

void output_file::write(std::int64_t offset, std::span<const std::byte> bytes) {
  naming(name_, [&] { file_.write(offset, bytes); });
}

void output_file::commit() {
  using older = base::atomic_file::older;
  naming(name_, [&] {
    if (!behind_)
      file_.commit();
    else if (behind_->there)
      file_.commit_behind(behind_->how);
    else
      file_.commit(older::refused);
  });
}

}  // namespace pappus::formats
