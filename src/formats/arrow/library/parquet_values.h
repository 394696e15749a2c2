// Values of a Parquet column that is not nested, page after page: those that are there, one behind
// another, and a bitmap of the rows that have them. Arrow fetches, checks and inflates pages, and
// decodes values; which rows have them is read here (../parquet_levels.h). Text comes as numbers of
// a dictionary's texts, or where a writer gave that up, as itself.
#pragma once

#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/encoding.h>
#include <parquet/schema.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/arrow/parquet_levels.h"

namespace pappus::formats {

/// \tparam Type  of Parquet's
template <typename Type>
class parquet_values {
 public:
  static constexpr bool texts = std::is_same_v<Type, parquet::ByteArrayType>;
  /// Of texts: the number of one, in pages that have these in their place.
  using value = std::conditional_t<texts, std::int32_t, typename Type::c_type>;

  /// `column` and `pool` must outlive it.
  parquet_values(std::unique_ptr<parquet::PageReader> pages,
                 const parquet::ColumnDescriptor& column, arrow::MemoryPool& pool)
      : pages_(std::move(pages)), column_(column), pool_(pool) {}

  /// Whether there are more rows.
  bool has_next() {
    while (left_ == 0)
      if (!open_page()) return false;
    return true;
  }

  /// Of the page that has_next() has found.
  std::int64_t rows_left() const { return left_; }

  struct counts {
    std::int64_t rows = 0, there = 0;
  };
  /// At most n rows of the page that has_next() has found, and which of them have values: as bits
  /// from number `first` of `bits` on, which isn't touched where no value can be missing.
  /// \throws arrow_problem  and what Arrow throws
  counts read(std::int64_t n, std::uint8_t* bits, std::int64_t first, value* values) {
    return read_with(n, bits, first, [&](int there) {
      if constexpr (texts)
        return dictionary_->DecodeIndices(there, values);
      else
        return decoder_->Decode(values, there);
    });
  }

  /// The same where that page has texts. These lie where they do until the next call.
  counts read(std::int64_t n, std::uint8_t* bits, std::int64_t first, parquet::ByteArray* values)
    requires texts
  {
    return read_with(n, bits, first, [&](int there) { return decoder_->Decode(values, there); });
  }

  /// Whether the page that has_next() has found has texts, and not numbers of a dictionary's.
  bool has_texts() const { return texts && decoder_ != dictionary_.get(); }

  bool may_miss() const { return column_.max_definition_level() > 0; }

  /// The texts that values are numbers of, as far as pages have been opened.
  std::span<const parquet::ByteArray> dictionary() const
    requires texts
  {
    const parquet::ByteArray* found = nullptr;
    std::int32_t count = 0;
    if (dictionary_) dictionary_->GetDictionary(&found, &count);
    return {found, static_cast<std::size_t>(count)};
  }

 private:
  using decoder = parquet::TypedDecoder<Type>;

  /// \param decode  (number of values) -> how many were decoded
  template <typename Decode>
  counts read_with(std::int64_t n, std::uint8_t* bits, std::int64_t first, Decode decode) {
    const auto rows = std::min(n, left_);
    const auto there = may_miss() ? levels_.read(rows, bits, first) : rows;
    if (decode(static_cast<int>(there)) != there)
      throw arrow_problem("it has fewer values than are said to be there");
    left_ -= rows;
    return {rows, there};
  }

  /// False: there is none. A dictionary is taken on the way.
  bool open_page() {
    for (;;) {
      page_ = pages_->NextPage();
      if (!page_) return false;
      switch (page_->type()) {
        case parquet::PageType::DICTIONARY_PAGE:
          open_dictionary(static_cast<const parquet::DictionaryPage&>(*page_));
          break;
        case parquet::PageType::DATA_PAGE:
          open(static_cast<const parquet::DataPageV1&>(*page_));
          return true;
        case parquet::PageType::DATA_PAGE_V2:
          open(static_cast<const parquet::DataPageV2&>(*page_));
          return true;
        default:  // of no rows
          break;
      }
    }
  }

  void open_dictionary(const parquet::DictionaryPage& page) {
    if (dictionary_) throw arrow_problem("it has more than one dictionary");
    if (page.encoding() != parquet::Encoding::PLAIN &&
        page.encoding() != parquet::Encoding::PLAIN_DICTIONARY)
      throw arrow_problem("its dictionary is encoded as " +
                          parquet::EncodingToString(page.encoding()) + ", expected PLAIN");
    const auto plain = parquet::MakeTypedDecoder<Type>(parquet::Encoding::PLAIN, &column_, &pool_);
    plain->SetData(page.num_values(), page.data(), page.size());
    dictionary_ = parquet::MakeDictDecoder<Type>(&column_, &pool_);
    dictionary_->SetDict(plain.get());
  }

  void open(const parquet::DataPageV1& page) {
    std::span<const std::uint8_t> bytes(page.data(), static_cast<std::size_t>(page.size()));
    if (may_miss()) {
      if (page.definition_level_encoding() != parquet::Encoding::RLE)
        throw arrow_problem("its definition levels are encoded as " +
                            parquet::EncodingToString(page.definition_level_encoding()) +
                            ", expected RLE");
      std::uint32_t length = 0;
      if (bytes.size() >= sizeof(length)) std::memcpy(&length, bytes.data(), sizeof(length));
      if (bytes.size() < sizeof(length) || length > bytes.size() - sizeof(length))
        throw arrow_problem("its definition levels are longer than their page");
      bytes = bytes.subspan(sizeof(length));
      levels_.open(bytes.first(length));
      bytes = bytes.subspan(length);
    }
    open_values(page, bytes);
  }

  void open(const parquet::DataPageV2& page) {
    std::span<const std::uint8_t> bytes(page.data(), static_cast<std::size_t>(page.size()));
    const auto of_lists = static_cast<std::uint32_t>(page.repetition_levels_byte_length()),
               length = static_cast<std::uint32_t>(page.definition_levels_byte_length());
    if (of_lists > bytes.size() || length > bytes.size() - of_lists)
      throw arrow_problem("its definition levels are longer than their page");
    if (may_miss()) levels_.open(bytes.subspan(of_lists, length));
    open_values(page, bytes.subspan(of_lists + length));
  }

  void open_values(const parquet::DataPage& page, std::span<const std::uint8_t> bytes) {
    if (page.num_values() < 0) throw arrow_problem("a page has a negative number of values");
    left_ = page.num_values();
    decoder_ = decoder_of(page.encoding());
    decoder_->SetData(page.num_values(), bytes.data(), static_cast<int>(bytes.size()));
  }

  decoder* decoder_of(parquet::Encoding::type encoding) {
    if (encoding == parquet::Encoding::PLAIN_DICTIONARY ||
        encoding == parquet::Encoding::RLE_DICTIONARY) {
      if (!dictionary_) throw arrow_problem("its pages need a dictionary, which isn't there");
      return dictionary_.get();
    }
    for (const auto& [of, one] : others_)
      if (of == encoding) return one.get();
    others_.emplace_back(encoding, parquet::MakeTypedDecoder<Type>(encoding, &column_, &pool_));
    return others_.back().second.get();
  }

  std::unique_ptr<parquet::PageReader> pages_;
  const parquet::ColumnDescriptor& column_;
  arrow::MemoryPool& pool_;
  std::shared_ptr<parquet::Page> page_;  // whose bytes are read
  std::int64_t left_ = 0;                // rows of the page
  parquet_levels levels_;
  std::unique_ptr<parquet::DictDecoder<Type>> dictionary_;
  std::vector<std::pair<parquet::Encoding::type, std::unique_ptr<decoder>>> others_;
  decoder* decoder_ = nullptr;  // of the page
};

}  // namespace pappus::formats
