#include "demo/support/byte_stream.h"

#include <random>

#include <gtest/gtest.h>
#include <lz4frame.h>
#include <lzma.h>

#include "pappus/error.h"
#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

using testing::message_of;
using testing::temporary_files;

/// Text that compresses a little, so that compressed files have several blocks.
std::string sample(std::size_t bytes) {
  std::mt19937 random(7);
  std::string text(bytes, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 16);
  return text;
}

std::string lz4(const std::string& text) {
  std::string out(LZ4F_compressFrameBound(text.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), nullptr));
  return out;
}

std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

std::string read_all(const std::string& path, std::size_t piece) {
  const auto bytes = open_bytes(path);
  std::string all, part(piece, '\0');
  while (const std::size_t got = bytes->read(part)) all.append(part, 0, got);
  EXPECT_EQ(bytes->read(part), 0u) << "bytes after the end";
  return all;
}

TEST(open_bytes, reads_the_same_bytes_plain_and_compressed) {
  const temporary_files files;
  const std::string text = sample(300'000);
  const auto paths = {files.write("plain", text), files.write("a.lz4", lz4(text)),
                      files.write("a.xz", xz(text))};
  for (const auto& path : paths)
    for (const std::size_t piece : {std::size_t{997}, std::size_t{1} << 18})
      EXPECT_TRUE(read_all(path, piece) == text) << path << ", " << piece << " bytes a call";
}

TEST(open_bytes, reads_frames_that_follow_each_other) {
  const temporary_files files;
  EXPECT_EQ(read_all(files.write("a.lz4", lz4("one ") + lz4("") + lz4("two")), 5), "one two");
  EXPECT_EQ(read_all(files.write("a.xz", xz("one ") + xz("") + xz("two")), 5), "one two");
}

TEST(open_bytes, reads_empty_content) {
  const temporary_files files;
  EXPECT_EQ(read_all(files.write("plain", ""), 5), "");
  EXPECT_EQ(read_all(files.write("a.lz4", lz4("")), 5), "");
  EXPECT_EQ(read_all(files.write("a.xz", xz("")), 5), "");
}

TEST(open_bytes, looks_at_the_content_where_the_name_promises_nothing) {
  const temporary_files files;
  EXPECT_EQ(read_all(files.write("a", lz4("text")), 5), "text");
  EXPECT_EQ(read_all(files.write("b", xz("text")), 5), "text");
}

TEST(open_bytes, notices_truncation_at_every_byte_that_follows_the_first_mark) {
  const temporary_files files;
  const std::string text = sample(100), lz4_bytes = lz4(text), xz_bytes = xz(text);
  for (std::size_t size = 4; size < lz4_bytes.size(); ++size)
    EXPECT_EQ(message_of<pappus::format_error>(
                  [&] { read_all(files.write("a.lz4", lz4_bytes.substr(0, size)), 64); }),
              files.path("a.lz4") + ": byte offset " + std::to_string(size) +
                  ": expected the rest of an LZ4 frame, got the end of the file (truncated); the "
                  "file is damaged: fetch it again (apt-get update)");
  for (std::size_t size = 6; size < xz_bytes.size(); ++size)
    EXPECT_EQ(message_of<pappus::format_error>(
                  [&] { read_all(files.write("a.xz", xz_bytes.substr(0, size)), 64); }),
              files.path("a.xz") + ": byte offset " + std::to_string(size) +
                  ": expected the rest of an XZ stream, got the end of the file (truncated); the "
                  "file is damaged: fetch it again (apt-get update)");
}

TEST(open_bytes, notices_corrupt_content) {
  const temporary_files files;
  std::string bytes = xz(sample(100'000));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const auto message =
      message_of<pappus::format_error>([&] { read_all(files.write("a.xz", bytes), 4096); });
  EXPECT_NE(message.find("a.xz: byte offset "), message.npos) << message;
  EXPECT_NE(message.find("expected an XZ stream, got corrupt data"), message.npos) << message;

  bytes = lz4(sample(100'000)) + "not a frame";
  const auto lz4_message =
      message_of<pappus::format_error>([&] { read_all(files.write("a.lz4", bytes), 4096); });
  EXPECT_NE(lz4_message.find("a.lz4: byte offset "), lz4_message.npos) << lz4_message;
  EXPECT_NE(lz4_message.find("expected an LZ4 frame, got corrupt data"), lz4_message.npos)
      << lz4_message;
}

TEST(open_bytes, refuses_a_name_that_promises_another_content) {
  const temporary_files files;
  EXPECT_EQ(message_of<pappus::format_error>([&] { open_bytes(files.write("a.lz4", "Package")); }),
            files.path("a.lz4") +
                ": byte offset 0: expected an LZ4 frame (04 22 4d 18), got 50 61 63 6b 61 67 65; "
                "the file is damaged: fetch it again (apt-get update)");
  EXPECT_EQ(message_of<pappus::format_error>([&] { open_bytes(files.write("a.xz", "")); }),
            files.path("a.xz") +
                ": byte offset 0: expected an XZ stream (fd 37 7a 58 5a 00), got an empty file; "
                "the file is damaged: fetch it again (apt-get update)");
}

TEST(open_bytes, names_a_file_that_is_not_there) {
  const temporary_files files;
  EXPECT_EQ(message_of<pappus::format_error>([&] { open_bytes(files.path("none")); }),
            files.path("none") + ": can't be opened: No such file or directory");
}

}  // namespace
}  // namespace demo
