#include "formats/arrow/library/ipc_messages.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/message.h>
#include <arrow/ipc/reader.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "formats/arrow/library/arrow_streams.h"
#include "formats/arrow/library/flat_table.h"

namespace pappus::formats {
namespace {

constexpr std::string_view magic = "ARROW1", magic_of_version_1 = "FEA1";
constexpr std::int64_t file_begin = 8;  // the magic, and two bytes

/// The fields of these tables, as the format numbers them.
enum record_batch_field {
  batch_length,
  batch_nodes,
  batch_buffers,
  batch_compression,
  batch_views
};
enum dictionary_field { dictionary_id, dictionary_data, dictionary_is_delta };
enum schema_field { schema_endianness, schema_fields };
enum field_field {
  field_name,
  field_nullable,
  field_type_type,
  field_type,
  field_dictionary,
  field_children
};
enum footer_field { footer_version, footer_schema, footer_dictionaries, footer_batches };
struct footer_block {
  std::int64_t offset;
  std::int32_t metadata_bytes, unused;
  std::int64_t body_bytes;
};

struct found_message {
  std::unique_ptr<arrow::ipc::Message> message;  // null: the stream ends
  std::int64_t body = 0, end = 0;
};

class messages_of {
 public:
  messages_of(const byte_source& source, arrow::MemoryPool& pool) : source_(source), pool_(pool) {}

  ipc_messages all() {
    const auto front = text_at(0, std::min<std::int64_t>(source_.bytes(), file_begin));
    if (front.starts_with(magic_of_version_1))
      throw arrow_problem(
          "it is in the first version of Feather, which isn't Arrow's format; read it with pyarrow "
          "and write it anew");
    if (!front.starts_with(magic)) {
      result_.stream = true;
      walk(take_schema());
      return std::move(result_);
    }
    const auto footer = read_footer();
    take_schema(footer);  // not all writers have it in front, too
    const auto table =
        flat_table::root_of({reinterpret_cast<const std::uint8_t*>(footer.data()), footer.size()});
    take_ids(table.table(footer_schema));
    for (const auto field : {footer_dictionaries, footer_batches})
      for (const auto& block : table.values<footer_block>(field)) {
        const auto found = message_at(block.offset);
        if (!found.message) throw arrow_problem("its footer tells of a batch that isn't there");
        take(found);
      }
    return std::move(result_);
  }

 private:
  [[noreturn]] static void ends_too_soon() {
    throw arrow_problem("it ends too soon: it was cut off, or isn't complete yet");
  }

  std::string text_at(std::int64_t offset, std::int64_t n) const {
    std::string text(static_cast<std::size_t>(n), '\0');
    source_.read(offset, std::as_writable_bytes(std::span(text)));
    return text;
  }

  std::string read_footer() const {
    constexpr std::int64_t end_bytes = 10;  // the footer's length, and the magic
    const auto end = source_.bytes() - end_bytes;
    if (end < file_begin) ends_too_soon();
    const auto text = text_at(end, end_bytes);
    if (!text.ends_with(magic)) ends_too_soon();
    std::int32_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    if (bytes <= 0 || bytes > end - file_begin)
      throw arrow_problem("its footer is damaged: it is longer than the file");
    return text_at(end - bytes, bytes);
  }

  /// Most messages are read at once.
  found_message message_at(std::int64_t offset) const {
    constexpr std::int64_t usual_bytes = 4096, prefix_bytes = 8;
    if (offset < 0 || offset > source_.bytes() - 4) ends_too_soon();
    const auto left = source_.bytes() - offset;
    const auto there = std::min(usual_bytes, left);
    const auto text = text_at(offset, there);
    std::array<std::int32_t, 2> words{};
    std::memcpy(words.data(), text.data(), std::min<std::size_t>(text.size(), sizeof(words)));
    const bool old = words[0] != -1;  // before Arrow 0.15
    const std::int64_t bytes = old ? words[0] : words[1], begin = old ? 4 : prefix_bytes;
    if (!old && left < prefix_bytes) ends_too_soon();
    if (bytes == 0) return {};
    if (bytes < 0 || (offset == 0 && bytes > left - begin))
      throw arrow_problem("it isn't in Arrow's format, or is damaged");
    if (bytes > left - begin) ends_too_soon();
    std::shared_ptr<arrow::Buffer> metadata = check(arrow::AllocateBuffer(bytes, &pool_));
    const auto had = std::min(bytes, there - begin);
    std::memcpy(metadata->mutable_data(), text.data() + begin, static_cast<std::size_t>(had));
    source_.read(offset + begin + had,
                 std::as_writable_bytes(std::span(metadata->mutable_data() + had,
                                                  static_cast<std::size_t>(bytes - had))));
    found_message found;
    calling_arrow([&] { found.message = check(arrow::ipc::Message::Open(metadata, nullptr)); });
    found.body = offset + begin + bytes;
    const auto body_bytes = found.message->body_length();
    if (body_bytes < 0 || body_bytes > source_.bytes() - found.body) ends_too_soon();
    found.end = found.body + body_bytes;
    return found;
  }

  /// By a file of Arrow's that has a footer alone.
  void take_schema(const std::string& footer) {
    calling_arrow([&] {
      std::string file(magic);
      const auto bytes = static_cast<std::int32_t>(footer.size());
      file.append(file_begin - magic.size(), '\0').append(footer);
      file.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes)).append(magic);
      const auto reader = check(arrow::ipc::RecordBatchFileReader::Open(
          std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::move(file)))));
      result_.schema = reader->schema();
      result_.old_unions = reader->version() < arrow::ipc::MetadataVersion::V5;
    });
  }

  static std::int64_t id_of(const flat_table& field) {
    if (field.has(field_dictionary))
      return field.table(field_dictionary).number<std::int64_t>(dictionary_id, 0);
    const auto items = field.tables(field_children);
    if (items.size() != 1 || !items.front().has(field_dictionary)) return -1;
    return items.front().table(field_dictionary).number<std::int64_t>(dictionary_id, 0);
  }

  void take_ids(const flat_table& schema) {
    for (const auto& field : schema.tables(schema_fields)) result_.ids.push_back(id_of(field));
    if (std::ssize(result_.ids) != result_.schema->num_fields())
      throw arrow_problem("what describes it is damaged");
    if (!result_.schema->is_native_endian())
      throw arrow_problem("its numbers have their bytes in the order of another machine");
  }

  /// Of a stream. Returns where what follows begins.
  std::int64_t take_schema() {
    const auto found = message_at(0);
    if (!found.message || found.message->type() != arrow::ipc::MessageType::SCHEMA)
      throw arrow_problem("it isn't in Arrow's format: it doesn't begin with a schema");
    calling_arrow([&] {
      arrow::ipc::DictionaryMemo ids;
      result_.schema = check(arrow::ipc::ReadSchema(*found.message, &ids));
    });
    take_ids(header_of(found));
    result_.old_unions = found.message->metadata_version() < arrow::ipc::MetadataVersion::V5;
    return found.end;
  }

  void walk(std::int64_t offset) {
    while (offset < source_.bytes()) {
      const auto found = message_at(offset);
      if (!found.message) break;
      take(found);
      offset = found.end;
    }
  }

  static flat_table header_of(const found_message& found) {
    const auto& metadata = *found.message->metadata();
    const auto* const header = static_cast<const std::uint8_t*>(found.message->header());
    return {{metadata.data(), static_cast<std::size_t>(metadata.size())},
            static_cast<std::size_t>(header - metadata.data())};
  }

  void take(const found_message& found) {
    const auto table = header_of(found);
    switch (found.message->type()) {
      case arrow::ipc::MessageType::RECORD_BATCH:
        result_.batches.push_back(batch_of(table, found));
        result_.batches.back().dictionaries = result_.dictionaries.size();
        break;
      case arrow::ipc::MessageType::DICTIONARY_BATCH:
        if (!table.has(dictionary_data)) throw arrow_problem("a dictionary has no values");
        result_.dictionaries.push_back({table.number<std::int64_t>(dictionary_id, 0),
                                        table.number<std::uint8_t>(dictionary_is_delta, 0) != 0,
                                        batch_of(table.table(dictionary_data), found)});
        break;
      default:
        throw arrow_problem("a message is neither a batch of records nor a dictionary");
    }
  }

  static ipc_batch batch_of(const flat_table& table, const found_message& found) {
    ipc_batch batch;
    batch.rows = table.number<std::int64_t>(batch_length, 0);
    batch.nodes = table.values<ipc_node>(batch_nodes);
    batch.buffers = table.values<ipc_buffer>(batch_buffers);
    batch.view_buffers = table.values<std::int64_t>(batch_views);
    if (batch.rows < 0) throw arrow_problem("a batch has fewer rows than none");
    const auto body_bytes = found.end - found.body;
    for (auto& [offset, bytes] : batch.buffers) {
      if (offset < 0 || bytes < 0 || offset > body_bytes || bytes > body_bytes - offset)
        throw arrow_problem("a column lies beyond its batch");
      offset += found.body;
    }
    if (table.has(batch_compression)) {
      const auto by = table.table(batch_compression).number<std::int8_t>(0, 0);
      if (by != 0 && by != 1)
        throw arrow_problem("expected columns compressed by LZ4 or zstd, got another codec");
      batch.codec = by == 0 ? arrow::Compression::LZ4_FRAME : arrow::Compression::ZSTD;
    }
    return batch;
  }

  const byte_source& source_;
  arrow::MemoryPool& pool_;
  ipc_messages result_;
};

}  // namespace

ipc_messages read_ipc_messages(const byte_source& source, arrow::MemoryPool& pool) {
  return messages_of(source, pool).all();
}

}  // namespace pappus::formats
