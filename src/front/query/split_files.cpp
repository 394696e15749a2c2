// Records of a query that go to a file for each key.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/csv/csv_cell.h"
#include "formats/registry.h"
#include "front/query/own_sources.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

namespace fs = std::filesystem;

/// Each file is open until the end, and systems allow a process some 1,000.
constexpr std::size_t files_max = 500;
/// Systems take names of 255 bytes; an unfinished file's has some more than the file's own.
constexpr std::size_t name_bytes_max = 220;

using name_of_record = std::function<void(const std::byte* record, std::string& name)>;
using open_writer = std::function<std::unique_ptr<formats::writer>(const std::string& path)>;

class split_writer {
 public:
  /// \param call  what the user called, for errors
  /// \param open  makes a file's writer
  split_writer(const char* call, session_core& session, const record_type& record,
               const std::string& pattern, name_of_record name_of, open_writer open)
      : call_(call),
        memory_(session.memory()),
        record_bytes_(record.size),
        name_of_(std::move(name_of)),
        open_(std::move(open)) {
    constexpr std::string_view mark = "{}";
    const auto at = pattern.find(mark);
    if (at == pattern.npos || pattern.find(mark, at + 1) != pattern.npos)
      throw usage_error(fmt::format(
          "{}: expected a pattern with {{}} once, in place of which keys stand, such as "
          "\"flights/{{}}.csv\", got \"{}\"",
          call_, pattern));
    before_ = pattern.substr(0, at);
    behind_ = pattern.substr(at + mark.size());
  }

  /// A path as those of the files.
  std::string sample() const { return before_ + "key" + behind_; }

  /// Records of each file, in their order.
  void append(workers& team, const std::byte* records, std::int64_t n) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<std::uint32_t> numbers(count);
    number(team, records, numbers);
    std::vector<std::size_t> next(files_.size() + 1, 0);
    for (const auto file : numbers) ++next[file + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    const auto begins = next;
    buffer sorted(*memory_, count * record_bytes_, fmt::format("{}: records", call_));
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(records + i * record_bytes_, record_bytes_,
                  sorted.data() + next[numbers[i]]++ * record_bytes_);
    for (std::size_t file = 0; file < files_.size(); ++file)
      if (const auto own = begins[file + 1] - begins[file]; own > 0)
        files_[file]->append(team, sorted.data() + begins[file] * record_bytes_,
                             static_cast<std::int64_t>(own));
  }

  /// What can fail comes before any file is put in place.
  void close() {
    for (const auto& file : files_) file->complete();
    for (const auto& file : files_) file->close();
  }

 private:
  using numbers_of_names = std::map<std::string, std::uint32_t, std::less<>>;

  /// Sets the file of each record. Files are numbered by their first record, whoever finds it.
  void number(workers& team, const std::byte* records, std::vector<std::uint32_t>& numbers) {
    constexpr std::size_t piece = 4096;
    const auto pieces = ceil_div(numbers.size(), piece);
    std::vector<std::vector<std::string>> names(pieces);
    parallel_chunks(team, pieces, [&](std::size_t p, unsigned) {
      numbers_of_names own;
      std::string name;
      for (auto i = p * piece; i < std::min(numbers.size(), (p + 1) * piece); ++i) {
        name_of_(records + i * record_bytes_, name);
        auto known = own.find(name);
        if (known == own.end()) {
          known = own.emplace(name, static_cast<std::uint32_t>(own.size())).first;
          names[p].push_back(name);
        }
        numbers[i] = known->second;
      }
    });
    std::vector<std::vector<std::uint32_t>> files(pieces);
    for (std::size_t p = 0; p < pieces; ++p)
      for (const auto& name : names[p]) files[p].push_back(file_of(name));
    parallel_chunks(team, pieces, [&](std::size_t p, unsigned) {
      for (auto i = p * piece; i < std::min(numbers.size(), (p + 1) * piece); ++i)
        numbers[i] = files[p][numbers[i]];
    });
  }

  std::uint32_t file_of(const std::string& name) {
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    check(name);
    const auto path = before_ + name + behind_;
    std::error_code problem;
    if (const auto folder = fs::path(path).parent_path(); !folder.empty())
      fs::create_directories(folder, problem);  // what is wrong with it the file's writer tells
    files_.push_back(open_(path));
    return numbers_.emplace(name, static_cast<std::uint32_t>(files_.size() - 1)).first->second;
  }

  void check(const std::string& name) const {
    using namespace std::string_view_literals;
    if (name.empty() || name == "." || name == ".." || name.find_first_of("/\0"sv) != name.npos)
      throw usage_error(fmt::format(
          "{}: expected keys that can be part of a file's name, got \"{}\"; let a function "
          "make them such",
          call_, name));
    const auto around = bytes_around();
    if (around + name.size() > name_bytes_max)
      throw usage_error(fmt::format(
          "{}: expected keys of {} bytes at most, as names of files have no room for more, "
          "got one of {}: {}; let a function make them shorter",
          call_, name_bytes_max - std::min(around, name_bytes_max), name.size(),
          formats::shown(name)));
    if (files_.size() == files_max)
      throw usage_error(fmt::format(
          "{}: expected {} different keys at most, as each has a file, got \"{}\" besides; "
          "group records by fewer",
          call_, files_max, name));
  }

  /// Of the name, of a file or folder, that keys are a part of.
  std::size_t bytes_around() const {
    const auto begin = before_.rfind('/') + 1;  // 0: there is none
    return before_.size() - begin + std::min(behind_.find('/'), behind_.size());
  }

  const char* const call_;
  const std::shared_ptr<memory_source> memory_;
  const std::size_t record_bytes_;
  const name_of_record name_of_;
  const open_writer open_;
  std::string before_, behind_;
  std::vector<std::unique_ptr<formats::writer>> files_;
  numbers_of_names numbers_;
};

void deliver_to(split_writer& writer, const session_ptr& session, node_request request) {
  auto params =
      std::make_shared<deliver_params>(static_cast<const deliver_params&>(*request.params));
  params->take = [&](workers& team, const std::byte* records, std::int64_t n) {
    writer.append(team, records, n);
  };
  request.params = std::move(params);
  deliver(session, std::move(request));
  writer.close();
}

}  // namespace

void deliver_to_files(const session_ptr& session, node_request request, record_layout layout,
                      const std::string& pattern, name_of_record name_of) {
  split_writer writer("write_by", *session, request.out, pattern, std::move(name_of),
                      [&](const std::string& path) {
                        return formats::format_of(path).create(path, layout, *session->memory());
                      });
  formats::format_of(writer.sample());
  deliver_to(writer, session, std::move(request));
}

void append_to_files(const session_ptr& session, node_request request, record_layout layout,
                     const std::string& pattern, name_of_record name_of) {
  const auto stage = request.stage;
  split_writer writer("append_by", *session, request.out, pattern, std::move(name_of),
                      [&](const std::string& path) {
                        refuse_own_sources(stage, path);
                        return formats::growing_format_of(path).append(path, layout,
                                                                       *session->memory());
                      });
  formats::growing_format_of(writer.sample());
  deliver_to(writer, session, std::move(request));
}

}  // namespace pappus::detail
