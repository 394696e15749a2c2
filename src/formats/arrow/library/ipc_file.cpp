#include "formats/arrow/library/ipc_file.h"

#include <arrow/extension_type.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/arrow/library/arrow_pieces.h"
#include "formats/arrow/library/arrow_streams.h"
#include "formats/arrow/library/ipc_bytes.h"
#include "formats/arrow/library/ipc_column.h"
#include "formats/arrow/library/ipc_list.h"
#include "formats/arrow/library/ipc_messages.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t bytes_max = std::int64_t{1} << 40;  // of a damaged file's column, anything

bool is_of_views(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING_VIEW || type.id() == arrow::Type::BINARY_VIEW;
}
bool is_any_union(const arrow::DataType& type) {
  return type.id() == arrow::Type::SPARSE_UNION || type.id() == arrow::Type::DENSE_UNION;
}

/// Goes past a column and those within it.
void pass(const arrow::DataType& type, const ipc_batch& batch, bool old_unions, ipc_place& at) {
  const auto layout = type.layout();
  ++at.node;
  for (const auto& one : layout.buffers)
    at.buffer +=
        one.kind != arrow::DataTypeLayout::ALWAYS_NULL || (old_unions && is_any_union(type));
  if (layout.variadic_spec) {
    const auto more = at.views < batch.view_buffers.size() ? batch.view_buffers[at.views] : 0;
    if (more < 0 || static_cast<std::uint64_t>(more) > batch.buffers.size())
      throw arrow_problem("a batch has fewer texts than it tells of");
    at.buffer += static_cast<std::size_t>(more);
    ++at.views;
  }
  if (type.id() == arrow::Type::DICTIONARY) return;
  const auto& storage = type.id() == arrow::Type::EXTENSION
                            ? *static_cast<const arrow::ExtensionType&>(type).storage_type()
                            : type;
  for (const auto& field : storage.fields()) pass(*field->type(), batch, old_unions, at);
}

/// Texts of several pieces as those of one.
std::shared_ptr<const arrow_piece> joined(const std::vector<arrow_piece>& pieces,
                                          const std::shared_ptr<charged_pool>& pool) {
  struct holder {
    std::shared_ptr<charged_pool> pool;
    std::shared_ptr<arrow::Buffer> places, text;
  };
  const auto place = [](const arrow_piece& piece, std::int64_t i) {
    return piece.fixed_text   ? i * piece.width
           : piece.width == 4 ? std::int64_t{static_cast<const std::int32_t*>(piece.values)[i]}
                              : static_cast<const std::int64_t*>(piece.values)[i];
  };
  std::int64_t rows = 0, bytes = 0;
  for (const auto& piece : pieces) {
    rows += piece.rows;
    bytes += place(piece, piece.rows);
  }
  const auto kept = std::make_shared<holder>();
  kept->pool = pool;
  kept->places = check(arrow::AllocateBuffer((rows + 1) * 8, pool.get()));
  kept->text = check(arrow::AllocateBuffer(bytes, pool.get()));
  auto* at = reinterpret_cast<std::int64_t*>(kept->places->mutable_data());
  std::int64_t end = 0;
  for (const auto& piece : pieces) {
    const auto size = place(piece, piece.rows);
    for (std::int64_t i = 0; i < piece.rows; ++i) *at++ = end + place(piece, i);
    if (size > 0)
      std::memcpy(kept->text->mutable_data() + end, piece.text, static_cast<std::size_t>(size));
    end += size;
  }
  *at = end;
  const auto result = std::make_shared<arrow_piece>();
  result->rows = rows;
  result->width = 8;
  result->values = kept->places->data();
  result->text = reinterpret_cast<const char*>(kept->text->data());
  result->text_bytes = end;
  result->text_owner = result->owner = kept;
  return result;
}

class ipc_file final : public arrow_file {
 public:
  ipc_file(const byte_source& source, detail::memory_source& memory, std::int64_t rows_at_once)
      : source_(source),
        pool_(std::make_shared<charged_pool>(memory, source.name() + ": columns")),
        rows_at_once_(rows_at_once),
        file_(read_ipc_messages(source, *pool_)),
        dictionaries_(static_cast<std::size_t>(file_.schema->num_fields())),
        ratios_(dictionaries_.size()) {
    for (const auto& field : file_.schema->fields()) {
      columns_.push_back(describe_column(*field));
    }
    for (std::size_t i = 0; i < file_.dictionaries.size(); ++i)
      if (auto& begins = begins_[file_.dictionaries[i].id];
          begins.empty() || !file_.dictionaries[i].adds)
        begins.push_back(i);
    for (const auto& batch : file_.batches) add(batch);
  }

  const std::vector<arrow_column>& columns() const noexcept override { return columns_; }
  const std::vector<arrow_group>& groups() const noexcept override { return groups_; }

  std::unique_ptr<arrow_rows> rows(std::size_t group, std::size_t column,
                                   std::int64_t first_row) override {
    if (first_row != 0) throw arrow_problem("a batch is read from its front");
    const auto& type = type_of(column);
    const bool lists = columns_[column].kind == arrow_kind::list;
    const auto& batch = file_.batches[group];
    const auto at = places_[group][column];
    auto dictionary = dictionary_of(column, lists ? *type.field(0)->type() : type, batch);
    if (lists)
      return std::make_unique<ipc_list>(source_, pool_, batch, at, type, std::move(dictionary),
                                        rows_at_once_);
    return std::make_unique<ipc_column>(source_, pool_, batch, at, batch.rows, own_type(type),
                                        std::move(dictionary), rows_at_once_);
  }

 private:
  /// Dictionaries of a column, by the number of the message that each begins with.
  struct known_dictionaries {
    std::map<std::size_t, std::weak_ptr<const arrow_piece>> read;
    std::shared_ptr<const arrow_piece> latest;  // of most files the only one
  };
  /// Of a column's texts that were looked at.
  struct ratio {
    double stored = 0, bytes = 0;
  };

  const arrow::DataType& type_of(std::size_t column) const {
    return *file_.schema->field(static_cast<int>(column))->type();
  }

  void add(const ipc_batch& batch) {
    auto& added = groups_.emplace_back();
    auto& places = places_.emplace_back();
    added.rows = batch.rows;
    ipc_place at;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const auto& type = type_of(column);
      const auto begin = at;
      pass(type, batch, file_.old_unions, at);
      if (at.node > batch.nodes.size() || at.buffer > batch.buffers.size())
        throw arrow_problem("a batch has fewer columns than the schema");
      places.push_back(begin);
      std::int64_t stored = 0;
      for (auto i = begin.buffer; i < at.buffer; ++i) stored += batch.buffers[i].bytes;
      added.stored_bytes.push_back(stored);
      const auto [rows, nulls] = batch.nodes[begin.node];
      if (rows != batch.rows)  // which is told even where no column is read
        throw arrow_problem("a column has another number of values than its batch of rows");
      added.nulls.push_back(nulls < 0 || nulls > batch.rows ? -1 : nulls);
      std::int64_t texts = 0;
      added.bytes.push_back(
          std::min(bytes_max, batch.codec == arrow::Compression::UNCOMPRESSED
                                  ? stored
                                  : uncompressed(column, batch, begin.buffer, at.buffer)));
      if (is_of_views(type) || columns_[column].kind == arrow_kind::list)
        texts = added.bytes.back();  // which are there at once
      added.held_bytes.push_back(held(batch, added.bytes.back()) + texts);
      added.extents.emplace_back();  // the format has none
    }
  }

  /// Some rows of a column, and what is read to decompress them.
  std::int64_t held(const ipc_batch& batch, std::int64_t bytes) const {
    const auto part = batch.rows <= rows_at_once_
                          ? 1.0
                          : static_cast<double>(rows_at_once_) / static_cast<double>(batch.rows);
    const auto inputs = batch.codec == arrow::Compression::UNCOMPRESSED ? 0 : 3;
    return static_cast<std::int64_t>(2 * part * static_cast<double>(bytes)) +
           inputs * ipc_bytes::read_bytes;
  }

  /// Texts are looked at in some batches, so that not all of a file is touched.
  std::int64_t uncompressed(std::size_t column, const ipc_batch& batch, std::size_t begin,
                            std::size_t end) {
    constexpr std::size_t batches_looked_at = 64;
    if (columns_[column].kind == arrow_kind::other) return 0;
    const auto& type = type_of(column);
    const auto rows = static_cast<double>(batch.rows);
    double bytes = rows / 8;
    if (type.id() == arrow::Type::DICTIONARY)
      bytes += rows * static_cast<const arrow::DictionaryType&>(type).index_type()->byte_width();
    else if (type.layout().buffers.size() > 1 &&
             type.layout().buffers[1].kind == arrow::DataTypeLayout::FIXED_WIDTH)
      bytes += rows * static_cast<double>(type.layout().buffers[1].byte_width);
    auto& texts = ratios_[column];
    for (auto i = begin + std::min<std::size_t>(type.layout().buffers.size(), 2); i < end; ++i) {
      const auto stored = static_cast<double>(batch.buffers[i].bytes);
      if (groups_.size() <= batches_looked_at) {
        const auto told =
            static_cast<double>(std::min(bytes_max, uncompressed_bytes(source_, batch.buffers[i])));
        texts.stored += stored;
        texts.bytes += told;
        bytes += told;
      } else {
        bytes += texts.stored == 0 ? stored : stored * (texts.bytes / texts.stored);
      }
    }
    return static_cast<std::int64_t>(std::min(bytes, static_cast<double>(bytes_max)));
  }

  /// The texts of which a batch's values of a column are numbers, read once; null: they aren't.
  std::shared_ptr<const arrow_piece> dictionary_of(std::size_t column,
                                                   const arrow::DataType& values,
                                                   const ipc_batch& batch) {
    if (values.id() != arrow::Type::DICTIONARY) return nullptr;
    const std::lock_guard alone(reading_);
    auto& known = dictionaries_[column];
    const auto begin = dictionary_for(file_.ids[column], batch);
    auto& read = known.read[begin];
    auto texts = read.lock();
    if (!texts) {
      texts = read_dictionary(begin, file_.ids[column],
                              *static_cast<const arrow::DictionaryType&>(values).value_type());
      read = texts;
    }
    return known.latest = std::move(texts);
  }

  /// The message that it begins with: in a stream the last one before the batch that takes the
  /// place of others.
  std::size_t dictionary_for(std::int64_t id, const ipc_batch& batch) const {
    const auto known = begins_.find(id);
    if (known == begins_.end()) {
      if (std::ranges::any_of(file_.batches, [](const auto& one) { return one.rows > 0; }))
        throw arrow_problem("its dictionary isn't there");
      return file_.dictionaries.size();
    }
    const auto& begins = known->second;
    if (begins.size() > 1 && !file_.stream)
      throw arrow_problem(
          "its dictionary is replaced by another, which streams (.arrows) may do and files may "
          "not; write it anew as text");
    const auto behind = std::ranges::lower_bound(begins, batch.dictionaries);
    return behind == begins.begin() ? begins.front() : *std::prev(behind);
  }

  /// With what is added to it.
  std::shared_ptr<const arrow_piece> read_dictionary(std::size_t begin, std::int64_t id,
                                                     const arrow::DataType& type) {
    std::vector<arrow_piece> pieces;
    for (auto i = begin; i < file_.dictionaries.size(); ++i) {
      const auto& one = file_.dictionaries[i];
      if (one.id != id) continue;
      if (i > begin && !one.adds) break;
      ipc_column texts(source_, pool_, one.values, {}, one.values.rows, type, nullptr,
                       one.values.rows);
      while (texts.next(pieces.emplace_back()))
        if (pieces.back().nulls > 0)
          throw arrow_problem(
              "its dictionary has a missing value among its texts, which isn't read; write it anew "
              "as text");
      pieces.pop_back();
    }
    return pieces.size() == 1 ? std::make_shared<const arrow_piece>(std::move(pieces.front()))
                              : joined(pieces, pool_);
  }

  const byte_source& source_;
  std::shared_ptr<charged_pool> pool_;
  const std::int64_t rows_at_once_;
  const ipc_messages file_;
  std::vector<arrow_column> columns_;
  std::vector<arrow_group> groups_;
  std::vector<std::vector<ipc_place>> places_;  // of each batch's columns
  std::mutex reading_;
  std::vector<known_dictionaries> dictionaries_;             // of each column
  std::map<std::int64_t, std::vector<std::size_t>> begins_;  // messages, of each dictionary's id
  std::vector<ratio> ratios_;
};

}  // namespace

std::unique_ptr<arrow_file> open_ipc_file(const byte_source& source, detail::memory_source& memory,
                                          std::int64_t rows_at_once) {
  return std::make_unique<ipc_file>(source, memory, rows_at_once);
}

}  // namespace pappus::formats
