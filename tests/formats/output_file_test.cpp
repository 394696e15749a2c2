#include "formats/output_file.h"

#include <gtest/gtest.h>

#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::output_file;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(output_file, appears_under_its_name_only_when_committed) {
  const temporary_folder folder;
  create_file(folder.file("x"), "old");
  {
    output_file file(folder.file("x"));
    file.write(3, bytes("def"));
    file.write(0, bytes("abc"));
    EXPECT_EQ(content_of(folder.file("x")), "old");
    file.commit();
    EXPECT_EQ(content_of(folder.file("x")), "abcdef");
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"x"});
}

TEST(output_file, leaves_no_trace_when_it_is_not_committed) {
  const temporary_folder folder;
  {
    output_file(folder.file("x")).write(0, bytes("abc"));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(output_file, replaces_what_a_link_points_to_and_keeps_the_link) {
  const temporary_folder folder;
  create_file(folder.file("target"), "old");
  std::filesystem::create_symlink("target", folder.file("link"));
  output_file file(folder.file("link"));
  file.write(0, bytes("new"));
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(content_of(folder.file("target")), "new");
}

TEST(output_file, refuses_folders_devices_and_places_that_do_not_exist) {
  const temporary_folder folder;
  const auto opening = [](const std::string& path) {
    return message_of<format_error>([&] { output_file{path}; });
  };
  EXPECT_EQ(opening("/dev/null"),
            "/dev/null: can't be replaced: expected a regular file or none, got a pipe or device");
  const std::string missing = folder.file("missing/x");
  EXPECT_EQ(opening(missing), missing + ": can't be created: No such file or directory");
  const std::string parent = folder.file(".");
  EXPECT_EQ(opening(parent),
            parent + ": can't be replaced: expected a regular file or none, got a folder");
}

TEST(byte_source, refuses_what_is_not_a_regular_file) {
  const temporary_folder folder;
  const auto opening = [](const std::string& path) {
    return message_of<format_error>([&] { formats::open_file(path); });
  };
  EXPECT_EQ(opening(folder.file("x.csv")),
            folder.file("x.csv") + ": can't be opened: No such file or directory");
  EXPECT_EQ(opening(folder.file(".")), folder.file(".") + ": is a folder, expected a file");
  EXPECT_EQ(opening("/dev/zero"),
            "/dev/zero: is a pipe or device, expected a regular file, which can be read in "
            "parallel; save it to a file first");
}

TEST(byte_source, reports_a_file_that_becomes_shorter_while_it_is_read) {
  const temporary_folder folder;
  create_file(folder.file("x"), "0123456789");
  const auto source = formats::open_file(folder.file("x"));
  std::filesystem::resize_file(folder.file("x"), 4);
  std::vector<std::byte> out(10);
  EXPECT_EQ(
      message_of<format_error>([&] { source->read(0, out); }),
      folder.file("x") + ": the file became shorter while it was read: expected 10 bytes, got 4");
}

}  // namespace
}  // namespace pappus::testing
