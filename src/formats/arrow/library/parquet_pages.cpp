#include "formats/arrow/library/parquet_pages.h"

#include <arrow/io/buffered.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/arrow/library/parquet_extents.h"

namespace pappus::formats {
namespace {

/// Of the column alone, as files may have many; null: there are none.
std::shared_ptr<parquet::RowGroupPageIndexReader> indexes_of(const parquet_chunk& chunk) {
  const auto all = chunk.file.GetPageIndexReader();
  if (!all) return nullptr;
  all->WillNotNeed({chunk.group});  // of another column, as before
  all->WillNeed({chunk.group}, {chunk.leaf}, {.column_index = true, .offset_index = true});
  return all->RowGroup(chunk.group);
}

/// Where the column's pages lie, by its indexes; empty: nobody tells, or it can't be right.
std::vector<parquet::PageLocation> places_of(
    const parquet_chunk& chunk, const std::shared_ptr<parquet::RowGroupPageIndexReader>& indexes) {
  const auto index = indexes ? indexes->GetOffsetIndex(chunk.leaf) : nullptr;
  if (!index || index->page_locations().empty()) return {};
  auto places = index->page_locations();
  const auto metadata = chunk.file.metadata()->RowGroup(chunk.group);
  const auto column = metadata->ColumnChunk(chunk.leaf);
  const auto begin =
      column->has_dictionary_page() ? column->dictionary_page_offset() : column->data_page_offset();
  if (places.front().offset != column->data_page_offset() || places.front().first_row_index != 0 ||
      begin < 0 || begin > places.front().offset)
    return {};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool last = i + 1 == places.size();
    const auto size = static_cast<std::uint64_t>(places[i].compressed_page_size);
    const auto end = last ? static_cast<std::uint64_t>(begin) +
                                static_cast<std::uint64_t>(column->total_compressed_size())
                          : static_cast<std::uint64_t>(places[i + 1].offset);
    const auto end_row = last ? metadata->num_rows() : places[i + 1].first_row_index;
    if (places[i].compressed_page_size <= 0 || end_row <= places[i].first_row_index ||
        end - static_cast<std::uint64_t>(places[i].offset) != size)
      return {};
  }
  return places;
}

/// Two parts of a file, one behind the other.
class two_parts final : public arrow::io::InputStream {
 public:
  struct part {
    std::int64_t offset = 0, bytes = 0;
  };
  two_parts(source_file& source, part first, part second)
      : source_(source), parts_{first, second} {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }

  arrow::Result<std::int64_t> Read(std::int64_t n, void* out) override {
    auto* to = static_cast<std::uint8_t*>(out);
    std::int64_t done = 0;
    for (auto& [offset, bytes] : parts_) {
      const auto some = std::min(n - done, bytes);
      if (some <= 0) continue;
      ARROW_ASSIGN_OR_RAISE(const auto got, source_.ReadAt(offset, some, to + done));
      if (got != some) return arrow::Status::IOError("the file ends too soon");
      done += some;
      offset += some;
      bytes -= some;
    }
    at_ += done;
    return done;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t n) override {
    n = std::min(n, parts_[0].bytes + parts_[1].bytes);
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(n, source_.pool()));
    ARROW_RETURN_NOT_OK(Read(n, buffer->mutable_data()).status());
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  source_file& source_;
  part parts_[2];  // what is left of them
  std::int64_t at_ = 0;
  bool closed_ = false;
};

}  // namespace

std::vector<arrow_page> pages_of(const parquet_chunk& chunk, const arrow_column& column) {
  const auto indexes = indexes_of(chunk);
  const auto places = places_of(chunk, indexes);
  if (places.empty()) return {};
  const auto metadata = chunk.file.metadata()->RowGroup(chunk.group);
  std::vector<arrow_page> pages(places.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    pages[i].rows = (i + 1 < places.size() ? places[i + 1].first_row_index : metadata->num_rows()) -
                    places[i].first_row_index;
    pages[i].stored_bytes = places[i].compressed_page_size;
  }
  const auto stored = metadata->ColumnChunk(chunk.leaf);
  const auto statistics = stored->statistics();
  if (extent_of(statistics.get(), column).of == arrow_extent::what::unknown) return pages;
  const auto index = indexes->GetColumnIndex(chunk.leaf);
  if (!index || index->null_pages().size() != pages.size()) return pages;
  const auto extents = extents_of(*index, stored->type(), column.kind);
  const bool counted = index->has_null_counts() && index->null_counts().size() == pages.size();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    pages[i].extent = extents[i];
    pages[i].nulls = index->null_pages()[i] ? pages[i].rows
                     : counted              ? index->null_counts()[i]
                                            : -1;
  }
  return pages;
}

parquet_tail open_at(const parquet_chunk& chunk, std::int64_t row, source_file& source,
                     const parquet::ReaderProperties& properties) {
  const auto places =
      row == 0 ? std::vector<parquet::PageLocation>() : places_of(chunk, indexes_of(chunk));
  if (places.empty()) return {chunk.file.RowGroup(chunk.group)->GetColumnPageReader(chunk.leaf), 0};
  const auto behind =
      std::ranges::upper_bound(places, row, {}, &parquet::PageLocation::first_row_index);
  const auto& page = *(behind - 1);
  const auto metadata = chunk.file.metadata()->RowGroup(chunk.group);
  const auto column = metadata->ColumnChunk(chunk.leaf);
  const auto first = places.front().offset,
             end = places.back().offset + places.back().compressed_page_size;
  two_parts::part dictionary;
  if (column->has_dictionary_page())
    dictionary = {column->dictionary_page_offset(), first - column->dictionary_page_offset()};
  const auto stream = check(arrow::io::BufferedInputStream::Create(
      properties.buffer_size(), properties.memory_pool(),
      std::make_shared<two_parts>(source, dictionary,
                                  two_parts::part{page.offset, end - page.offset})));
  return {parquet::PageReader::Open(stream, metadata->num_rows() - page.first_row_index,
                                    column->compression(), properties,
                                    *chunk.file.metadata()->schema()->Column(chunk.leaf)),
          page.first_row_index};
}

}  // namespace pappus::formats
