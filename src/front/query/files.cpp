// Files as sources and as destinations of queries.
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/files_reader.h"
#include "formats/paths.h"
#include "formats/registry.h"
#include "front/query/own_sources.h"
#include "pappus/error.h"
#include "session/session.h"

namespace pappus::detail {

namespace {

/// A file that is there, and how it is opened.
struct known_file {
  std::string path;
  const formats::format* kind = nullptr;
  std::optional<std::int64_t> rows;
  double bytes = 0;
  formats::text_length text;
  double record_bytes = 0;  ///< of its records, about
};

/// Of several formats, perhaps.
struct known_files {
  record_layout layout;
  std::vector<known_file> files;
  std::optional<std::int64_t> rows = 0;  ///< if all tell
  double bytes = 0;
  formats::text_length text;
};

/// Opens it, so that what's wrong with it is told.
known_file look_at(const std::string& path, const char* format, const record_layout& layout,
                   memory_source& memory) {
  constexpr double of_text = 2.5;  // bytes of records, and their text, for each of a file's text
  known_file file;
  file.path = path;
  file.kind = format != nullptr ? &formats::format_named(format, path) : &formats::format_of(path);
  const auto opened = file.kind->open(path, layout, memory);
  std::error_code unknown;  // then the size is left out of predictions
  const auto bytes = std::filesystem::file_size(path, unknown);
  file.bytes = unknown ? 0 : static_cast<double>(bytes);
  file.rows = opened->rows();
  file.text = opened->text();
  file.record_bytes =
      file.rows ? static_cast<double>(*file.rows) * static_cast<double>(opened->record_bytes())
                : of_text * file.text.bytes;
  return file;
}

known_files look_at(const std::vector<std::string>& paths, const char* format,
                    const record_layout& layout, session_core& session) {
  known_files all;
  all.layout = layout;
  all.files.resize(paths.size());
  auto team = session.workers();
  parallel_chunks(team, paths.size(), [&](std::size_t i, unsigned) {
    all.files[i] = look_at(paths[i], format, layout, *session.memory());
  });
  for (const auto& one : all.files) {
    all.rows = one.rows && all.rows ? std::optional(*one.rows + *all.rows) : std::nullopt;
    all.bytes += one.bytes;
    all.text.bytes += one.rows ? one.bytes : one.text.bytes;
    all.text.exact &= one.text.exact;
  }
  return all;
}

record_layout layout_for(const record_layout& all, const looked_at& wanted) {
  auto layout = all;
  for (std::size_t i = 0; i < wanted.columns.size(); ++i)
    layout.columns[i].wanted = wanted.columns[i];
  layout.rows = wanted.rows;
  return layout;
}

std::shared_ptr<formats::reader> open_all(const std::shared_ptr<const known_files>& all,
                                          memory_source& memory, const looked_at& wanted) {
  const auto layout = std::make_shared<const record_layout>(layout_for(all->layout, wanted));
  std::vector<formats::files_reader::file> files;
  for (const auto& one : all->files)
    files.push_back(
        {[all, layout, &one, &memory] { return one.kind->open(one.path, *layout, memory); },
         one.record_bytes});
  if (files.size() == 1) return files.front().open();
  using by_column = formats::files_reader::by_column;
  const bool alike = std::ranges::all_of(
      all->files, [&](const known_file& one) { return one.kind == all->files.front().kind; });
  const auto how = !alike                ? by_column::never
                   : wanted.rows.empty() ? by_column::where_large
                                         : by_column::always;
  return std::make_shared<formats::files_reader>(std::move(files), all->rows, all->text, memory,
                                                 how);
}

}  // namespace

node_ptr open_rows(const session_ptr& session, record_type record, const record_layout& layout,
                   const std::vector<std::string>& paths, const char* format) {
  session->check_alive();
  const auto files = formats::files_of(paths);
  auto params = std::make_shared<file_params>();
  params->path = formats::shown_paths(paths, files.size());
  const auto all = std::make_shared<const known_files>(look_at(files, format, layout, *session));
  params->files = files;
  params->rows = all->rows.value_or(-1);
  params->bytes = all->bytes;
  params->text_bytes = all->text.bytes;
  params->text_bytes_known = all->text.exact;
  params->columns = layout.columns;
  params->tells_ranges =
      std::ranges::all_of(all->files, [](const known_file& one) { return one.kind->tells_ranges; });
  params->open = [all](memory_source& memory, const looked_at& wanted) {
    return open_all(all, memory, wanted);
  };
  const auto name = params->path;
  return session->add({file_operator(), name, record, {}, std::move(params)});
}

void deliver(const session_ptr& session, node_request request) {
  const std::array roots{session->add(std::move(request))};
  session->evaluate(roots);
}

namespace {

void deliver_to(formats::writer& writer, const session_ptr& session, node_request request) {
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

void deliver_to_file(const session_ptr& session, node_request request, record_layout layout,
                     const std::string& path) {
  const auto writer = formats::format_of(path).create(path, layout, *session->memory());
  deliver_to(*writer, session, std::move(request));
}

void append_to_file(const session_ptr& session, node_request request, record_layout layout,
                    const std::string& path) {
  const auto& format = formats::growing_format_of(path);
  refuse_own_sources(request.stage, path);
  const auto writer = format.append(path, layout, *session->memory());
  deliver_to(*writer, session, std::move(request));
}

}  // namespace pappus::detail
