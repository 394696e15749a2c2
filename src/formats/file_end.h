// Files that records are put behind: whether they can be, and what has to stand between.
//
// Of a compressed file all is decompressed once, to learn how its text ends. What is put behind is
// a further gzip member or zstd frame, as the formats have it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "formats/byte_source.h"
#include "formats/codecs/codec.h"
#include "formats/codecs/decompressor.h"
#include "formats/output_file.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// What compresses text that is written; null: nothing does.
codec_pointer make_codec(compression by);
/// A text as a file of its own, or what is put behind another.
std::string packed(std::string_view text, compression by);

/// The file that is to be added to, or null where it isn't there. Throws format_error where it
/// can't be read, or written: before a query runs.
std::unique_ptr<byte_source> open_to_append(const std::string& path);

/// A file of lines. Where the last one has no newline, one is put behind it.
/// \param by            what the file's name says of its compression
/// \param blank_lines   whether readers pass over blank lines among others
/// Throws format_error where the file can't be read or written, is compressed otherwise, or ends in
/// blank lines that would stand among others.
file_end end_of_lines(const std::string& path, compression by, bool blank_lines,
                      detail::memory_source& memory);

/// A file of records of a size. Throws format_error where its bytes aren't a multiple of that.
file_end end_of_records(const std::string& path, std::size_t record_bytes);

}  // namespace pappus::formats
