// Files as sources and as destinations of queries.
#include <array>
#include <filesystem>
#include <system_error>

#include "formats/registry.h"
#include "session/session.h"

namespace pappus::detail {

node_ptr open_rows(const session_ptr& session, record_type record, record_layout layout,
                   const std::string& path, const char* format) {
  session->check_alive();
  const auto& kind = format != nullptr ? formats::format_named(format) : formats::format_of(path);
  auto params = std::make_shared<file_params>();
  params->path = path;
  const auto opened = kind.open(path, layout, *session->memory());
  params->rows = opened->rows().value_or(-1);
  params->text_bytes = opened->text().bytes;
  params->text_bytes_known = opened->text().exact;
  std::error_code unknown;  // then the size is left out of predictions
  if (const auto bytes = std::filesystem::file_size(path, unknown); !unknown)
    params->bytes = static_cast<double>(bytes);
  params->open = [&kind, path, layout](memory_source& memory) -> std::shared_ptr<formats::reader> {
    return kind.open(path, layout, memory);
  };
  return session->add({file_operator(), path, record, {}, std::move(params)});
}

void deliver(const session_ptr& session, node_request request) {
  const std::array roots{session->add(std::move(request))};
  session->evaluate(roots);
}

void deliver_to_file(const session_ptr& session, node_request request, record_layout layout,
                     const std::string& path) {
  const auto writer = formats::format_of(path).create(path, layout, *session->memory());
  auto params =
      std::make_shared<deliver_params>(static_cast<const deliver_params&>(*request.params));
  params->take = [&](workers& team, const std::byte* records, std::int64_t n) {
    writer->append(team, records, n);
  };
  request.params = std::move(params);
  deliver(session, std::move(request));
  writer->close();
}

}  // namespace pappus::detail
