// Reads the lines of a text file, in parallel and in bounded memory.
//
// Records are views of the lines where they lie: the file goes through memory in slabs, each in
// memory of its own, which lives as long as somebody needs a line of it. Copying lines, as the CSV
// reader does with cells, would cost more than all the rest here. As in csv_slab.h workers read
// pieces and count the lines that end there; a pass over the pieces tells which line each begins
// with. What follows the last end is copied to the next slab.
//
// Lines end with \n or \r\n, which aren't part of them. All other bytes are, whatever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/byte_source.h"
#include "formats/format.h"
#include "formats/text_stream.h"

namespace pappus::formats {

class lines_reader final : public reader {
 public:
  /// `memory` must outlive the reader and its strings.
  /// \param slack_bytes  that may be loaded behind a line, whatever they are
  lines_reader(std::unique_ptr<byte_source> source, detail::memory_source& memory,
               std::size_t slab_bytes = std::size_t{16} << 20,
               std::size_t piece_bytes = std::size_t{256} << 10, std::size_t slack_bytes = 0);

  std::size_t record_bytes() const noexcept override { return sizeof(std::string_view); }
  std::optional<std::int64_t> rows() const noexcept override { return std::nullopt; }
  std::int64_t count(detail::workers& team) override;
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override { return text_->bytes_read(); }
  text_length text() const noexcept override { return length_; }
  void rewind() override;
  std::size_t scratch_bytes() const noexcept override;
  std::shared_ptr<void> take_strings() noexcept override { return std::exchange(held_, nullptr); }
  std::size_t string_bytes() const noexcept override;
  void limit_strings(std::size_t bytes) noexcept override { string_bytes_max_ = bytes; }

  /// Nobody needs the lines read so far: the next may lie in their memory.
  void forget_lines() noexcept {
    held_.reset();
    forgotten_ = true;
  }

 private:
  using slab = std::shared_ptr<detail::buffer>;

  /// Some lines of the slab, for one worker.
  struct piece {
    std::int64_t lines = 0;       ///< that end in it
    std::size_t last_end = 0;     ///< the position behind the last of them
    std::int64_t first_line = 0;  ///< its number in the slab
    std::size_t first_begin = 0;  ///< the position of that, maybe in an earlier piece
  };

  bool load(detail::workers& team);
  void enlarge();
  void fill(detail::workers& team);
  void settle();
  void hold();
  std::size_t put_lines(const piece& from, std::int64_t end, std::byte* out) const;
  const char* data() const noexcept { return slab_->as<const char>(); }

  std::unique_ptr<byte_source> source_;
  detail::memory_source& memory_;
  std::unique_ptr<text_stream> text_;
  text_length length_;
  const std::size_t slab_bytes_, piece_bytes_, slack_bytes_;
  std::size_t string_bytes_max_ = SIZE_MAX;
  std::shared_ptr<std::vector<slab>> held_;  // whose lines were read since take_strings()

  slab slab_;
  bool forgotten_ = false;         // none of its lines is needed but those that are left
  std::size_t usual_bytes_ = 0;    // of the next slab, unless a line is longer
  std::size_t size_ = 0;           // bytes of text in it
  std::size_t complete_ = 0;       // bytes up to the end of its last line
  std::int64_t lines_before_ = 0;  // of the file, before the slab
  std::int64_t lines_ = 0;         // in the slab
  std::int64_t taken_ = 0;         // of these
  std::size_t next_begin_ = 0;     // where the first line not taken begins
  std::vector<piece> pieces_;
};

}  // namespace pappus::formats
