// Files that are cut off, damaged, or none of HDF5; and names that can't be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>

#include "formats/array_registry.h"
#include "formats/byte_source.h"
#include "formats/hdf5/hdf5_dataset.h"
#include "formats/hdf5/hdf5_layout.h"
#include "formats/hdf5/hdf5_support.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class hdf5_damage : public ::testing::Test {
 protected:
  const hdf5_written_plan plan{
      .extents = {90, 70}, .chunk = {30, 20}, .entries = 2, .compressed = true};

  std::string path(const std::string& name = "x.h5") const { return folder_.file(name); }

  std::vector<formats::hdf5_chunk> write() const {
    hdf5_written file(path(), plan);
    file.write();
    return file.chunks();
  }

  std::unique_ptr<formats::array_file> open(const std::string& name = "x.h5:/x") const {
    return formats::open_array(path(name), detail::layout_of<std::int32_t>(), 2, {});
  }

  std::string problem(const std::string& name = "x.h5:/x") const {
    return message_of<format_error>([&] { open(name); });
  }

  /// What loading a chunk says of a file whose bytes there are replaced.
  std::string chunk_problem(const formats::hdf5_chunk& chunk, const std::string& bytes) const {
    const std::string whole = content_of(path());
    const extents_type place{chunk.number / 4, chunk.number % 4};
    std::string content = whole;
    content.replace(static_cast<std::size_t>(chunk.offset), bytes.size(), bytes);
    create_file(path(), content);
    test_memory memory;
    std::vector<std::byte> out(2400);
    const auto file = open();
    const auto text = message_of<format_error>([&] { file->load(place, memory, out.data()); });
    create_file(path(), whole);
    return text;
  }

 private:
  temporary_folder folder_;
};

TEST_F(hdf5_damage, of_a_chunk_tells_its_place_and_what_its_codec_says) {
  const auto chunks = write();
  EXPECT_EQ(chunk_problem(chunks[6], "xxxxxx"),
            path("x.h5:/x") +
                ": chunk [1, 2]: zlib: expected compressed bytes, got others, or some that don't "
                "agree with their checksum; the file is damaged, or was cut off: write it again");
}

TEST_F(hdf5_damage, that_cuts_the_file_off_is_found_when_it_is_opened) {
  write();
  create_file(path(), content_of(path()).substr(0, 3000));
  EXPECT_THAT(problem(), AllOf(StartsWith(path("x.h5:/x") + ": libhdf5 can't open it: truncated"),
                               HasSubstr("file")));
}

TEST_F(hdf5_damage, of_a_file_that_is_another) {
  EXPECT_EQ(problem(), path() + ": can't be opened: No such file or directory");
  create_file(path(), "neither that nor this");
  EXPECT_EQ(problem(), path("x.h5:/x") + ": expected an HDF5 file, got another file");
  create_file(path(), "");
  EXPECT_EQ(problem(), path("x.h5:/x") + ": expected an HDF5 file, got another file");
  create_file(path("x.nc"), std::string("CDF\1", 4) + std::string(100, '\0'));
  EXPECT_EQ(problem("x.nc:/x"),
            path("x.nc:/x") +
                ": expected an HDF5 file, got a netCDF file of the classic format; "
                "convert it: nccopy -k nc4 OLD NEW");
}

TEST_F(hdf5_damage, of_what_is_read_here_is_found) {
  constexpr unsigned seed = 7;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const auto chunks = write();
  const auto dataset = formats::describe_hdf5(formats::array_path(path("x.h5:/x")));
  const std::string whole = content_of(path());
  int refused = 0, same = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = whole;
    for (unsigned n = 1 + random() % 6; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 4 == 0 ? random() : 0);
    if (random() % 8 == 0) damaged.resize(random() % damaged.size());
    const auto file = formats::borrow_bytes("x.h5", std::as_bytes(std::span(damaged)));
    try {
      const auto layout = formats::read_hdf5_layout(*file, dataset.addresses, dataset.header);
      const auto found =
          formats::read_hdf5_btree(*file, dataset.addresses, layout.address, dataset.grid());
      ASSERT_LE(found.all().size(), chunks.size());
      for (const auto& each : found.all())
        ASSERT_LE(each.offset + each.bytes, static_cast<std::int64_t>(damaged.size()));
      ++same;
    } catch (const formats::hdf5_problem&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(same, 500);
}

TEST_F(hdf5_damage, of_chunks_is_read_or_refused) {
  constexpr unsigned seed = 9;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const auto chunks = write();
  const std::string whole = content_of(path());
  test_memory memory(std::size_t{64} << 20);
  std::vector<std::byte> out(2400);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole;
    const auto& chunk = chunks[random() % chunks.size()];
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      damaged[static_cast<std::size_t>(chunk.offset) +
              random() % static_cast<std::size_t>(chunk.bytes)] = static_cast<char>(random());
    create_file(path(), damaged);
    const auto file = open();
    const extents_type place{chunk.number / 4, chunk.number % 4};
    file->announce(place);
    try {
      file->load(place, memory, out.data());
    } catch (const format_error&) {
    }
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST_F(hdf5_damage, cant_be_done_by_writing) {
  EXPECT_EQ(message_of<usage_error>(
                [&] { formats::create_array(path(), detail::layout_of<float>(), {3}, {}); }),
            path() +
                ": expected the name of a file that can be written, which ends in one of .npy, "
                ".raw, .zarr, got one that is only read; write one of these");
}

}  // namespace
}  // namespace pappus::testing
