// Arrays in NPY and raw files: chunks of any shape hold the elements that the file holds.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/array_registry.h"
#include "formats/npy/npy_header.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using extents_list = std::vector<std::int64_t>;
using ::testing::HasSubstr;

std::int64_t volume(const extents_list& of) {
  return std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>());
}

/// Calls f(place) for all places below the extents, those along the last dimension first.
template <typename F>
void each_place(const extents_list& extents, F&& f) {
  if (volume(extents) == 0) return;
  extents_list at(extents.size());
  while (true) {
    f(std::as_const(at));
    auto d = extents.size();
    while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

extents_list chunk_counts(const formats::array_shape& shape) {
  extents_list result;
  for (std::size_t d = 0; d < shape.extents.size(); ++d)
    result.push_back((shape.extents[d] + shape.chunk[d] - 1) / shape.chunk[d]);
  return result;
}

/// All elements in row-major order, loaded chunk by chunk.
template <typename T>
std::vector<T> all_of(const formats::array_file& file, detail::memory_source& memory) {
  const auto& shape = file.shape();
  std::vector<T> result(static_cast<std::size_t>(volume(shape.extents)));
  std::vector<T> chunk(static_cast<std::size_t>(volume(shape.chunk)));
  each_place(chunk_counts(shape), [&](const extents_list& at) {
    file.announce(at);
    EXPECT_TRUE(file.load(at, memory, reinterpret_cast<std::byte*>(chunk.data())));
    each_place(shape.chunk, [&](const extents_list& in_chunk) {
      std::int64_t to = 0, from = 0;
      for (std::size_t d = 0; d < at.size(); ++d) {
        const auto place = at[d] * shape.chunk[d] + in_chunk[d];
        if (place >= shape.extents[d]) return;
        to = to * shape.extents[d] + place;
        from = from * shape.chunk[d] + in_chunk[d];
      }
      result[static_cast<std::size_t>(to)] = chunk[static_cast<std::size_t>(from)];
    });
  });
  return result;
}

/// Writes them by chunks.
template <typename T>
void write(formats::array_writer& to, const std::vector<T>& elements,
           detail::memory_source& memory) {
  const auto& shape = to.shape();
  each_place(chunk_counts(shape), [&](const extents_list& at) {
    std::vector<T> chunk;
    each_place(shape.chunk, [&](const extents_list& in_chunk) {
      std::int64_t from = 0;
      for (std::size_t d = 0; d < at.size(); ++d) {
        const auto place = at[d] * shape.chunk[d] + in_chunk[d];
        if (place >= shape.extents[d]) return;
        from = from * shape.extents[d] + place;
      }
      chunk.push_back(elements[static_cast<std::size_t>(from)]);
    });
    to.put(at, memory, reinterpret_cast<const std::byte*>(chunk.data()));
  });
  to.close();
}

struct pixel {
  std::uint8_t red, green, blue;
  friend bool operator==(const pixel&, const pixel&) = default;
};
struct reading {
  double value;
  std::int16_t place;
  friend bool operator==(const reading&, const reading&) = default;
};

template <typename T>
std::vector<T> numbered(std::int64_t n) {
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i) {
    if constexpr (std::is_same_v<T, pixel>)
      result[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i / 7), 9};
    else if constexpr (std::is_same_v<T, reading>)
      result[i] = {static_cast<double>(i) / 3, static_cast<std::int16_t>(i)};
    else
      result[i] = static_cast<T>(i * 13 + 1);
  }
  return result;
}

template <typename T>
void round_trips(const std::string& suffix) {
  const temporary_folder folder;
  test_memory memory;
  for (const extents_list& extents : {extents_list{0},
                                      {1},
                                      {1000},
                                      {300'000},
                                      {7, 5},
                                      {3, 0},
                                      {1, 200'000},
                                      {700, 300},
                                      {2, 300, 400},
                                      {5, 1, 9, 2}}) {
    const auto path = folder.file("a" + suffix);
    const auto elements = numbered<T>(volume(extents));
    write(*formats::create_array(path, detail::layout_of<T>(), extents, {}), elements, memory);
    const auto file = formats::open_array(path, detail::layout_of<T>(), extents.size(),
                                          suffix == ".raw" ? extents : extents_list());
    EXPECT_EQ(file->shape().extents, extents);
    EXPECT_EQ(file->element_bytes(), sizeof(T));
    EXPECT_TRUE(all_of<T>(*file, memory) == elements) << fmt::format("{}", fmt::join(extents, " "));
    EXPECT_EQ(folder.names().size(), 1U);
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(array_files, hold_what_was_written) {
  for (const auto* suffix : {".npy", ".raw"}) {
    round_trips<float>(suffix);
    round_trips<std::uint8_t>(suffix);
    round_trips<pixel>(suffix);
    round_trips<reading>(suffix);
  }
}

/// A file of a header and bytes.
std::string npy(const temporary_folder& folder, const std::string& dictionary,
                const std::string& bytes) {
  std::string header = "\x93NUMPY";
  header += '\1';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  const auto path = folder.file("x.npy");
  std::ofstream(path, std::ios::binary) << header << dictionary << bytes;
  return path;
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string result(values.size() * sizeof(T), '\0');
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

TEST(array_files, whose_first_dimension_is_contiguous_are_transposed) {
  const temporary_folder folder;
  test_memory memory;
  for (const extents_list& extents :
       {extents_list{3, 5}, {900, 700}, {4, 300, 500}, {2, 3, 4, 5}}) {
    const auto n = volume(extents);
    std::vector<std::int32_t> stored(static_cast<std::size_t>(n)), expected(stored.size());
    std::size_t number = 0;
    each_place(extents, [&](const extents_list& at) {
      std::int64_t offset = 0;
      for (auto d = extents.size(); d-- > 0;) offset = offset * extents[d] + at[d];
      stored[static_cast<std::size_t>(offset)] = expected[number] =
          static_cast<std::int32_t>(number * 7);
      ++number;
    });
    const auto path = npy(folder,
                          fmt::format("{{'descr': '<i4', 'fortran_order': True, 'shape': ({})}}",
                                      fmt::join(extents, ", ")),
                          bytes_of(stored));
    const auto file =
        formats::open_array(path, detail::layout_of<std::int32_t>(), extents.size(), {});
    EXPECT_TRUE(all_of<std::int32_t>(*file, memory) == expected);
  }
}

TEST(array_files, may_have_the_other_order_of_bytes) {
  const temporary_folder folder;
  test_memory memory;
  const std::vector<double> values{1.5, -2.25, 1e300, 0, 3, 4};
  auto swapped = bytes_of(values);
  for (std::size_t i = 0; i < swapped.size(); i += 8)
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                 swapped.begin() + static_cast<std::ptrdiff_t>(i) + 8);
  for (const bool fortran : {false, true}) {
    const auto path = npy(folder,
                          fmt::format("{{'descr': '>f8', 'fortran_order': {}, 'shape': (2, 3)}}",
                                      fortran ? "True" : "False"),
                          swapped);
    const auto file = formats::open_array(path, detail::layout_of<double>(), 2, {});
    const auto expected = fortran ? std::vector<double>{1.5, 1e300, 3, -2.25, 0, 4} : values;
    EXPECT_EQ(all_of<double>(*file, memory), expected);
  }
}

TEST(array_files, give_their_last_dimensions_to_elements) {
  const temporary_folder folder;
  test_memory memory;
  const auto pixels = numbered<pixel>(20);
  const auto path =
      npy(folder, "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 5, 3)}", bytes_of(pixels));
  const auto file = formats::open_array(path, detail::layout_of<pixel>(), 2, {});
  EXPECT_EQ(file->shape().extents, (extents_list{4, 5}));
  EXPECT_EQ(all_of<pixel>(*file, memory), pixels);
  const auto bytes = formats::open_array(path, detail::layout_of<std::uint8_t>(), 3, {});
  EXPECT_EQ(bytes->shape().extents, (extents_list{4, 5, 3}));
}

template <typename T>
std::string refusal(const std::string& path, std::size_t rank, const extents_list& extents = {}) {
  try {
    formats::open_array(path, detail::layout_of<T>(), rank, extents);
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(array_files, are_refused_by_what_is_wrong) {
  const temporary_folder folder;
  const auto file = [&](const std::string& descr, const std::string& shape, bool fortran = false) {
    return npy(folder,
               fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}}}", descr,
                           fortran ? "True" : "False", shape),
               std::string(1000, '\0'));
  };
  EXPECT_THAT(
      refusal<float>(file("'<f8'", "(4, 5)"), 2),
      HasSubstr("x.npy: expected an array of 2 dimensions of <f4, got shape [4, 5] of <f8"));
  EXPECT_THAT(refusal<double>(file("'<f8'", "(4, 5)"), 1), HasSubstr("got shape [4, 5] of <f8"));
  EXPECT_THAT(refusal<double>(file("'<f8'", "(4, 5)"), 3),
              HasSubstr("expected an array of 3 dimensions of <f8, got shape [4, 5]"));
  EXPECT_THAT(
      refusal<pixel>(file("'|u1'", "(4, 5, 4)"), 2),
      HasSubstr("expected an array of 2 dimensions of |u1 x 3, got shape [4, 5, 4] of |u1"));
  EXPECT_THAT(refusal<pixel>(file("'|u1'", "(4, 5, 3)", true), 2), HasSubstr("fortran_order"));
  EXPECT_THAT(refusal<double>(file("'<f8'", "(126,)"), 1),
              HasSubstr("truncated: expected 126 elements of 8 bytes, got 1000 bytes"));
  EXPECT_THAT(refusal<double>(file("'<f8'", "(4611686018427387904, 4)"), 2), HasSubstr("2^63"));
  EXPECT_THAT(refusal<double>(file("'<f8'", "(5, 5)"), 2, {5, 6}),
              HasSubstr("expected extents [5, 6], got [5, 5]"));
  EXPECT_THAT(refusal<double>(folder.file("none.npy"), 1), HasSubstr("can't be opened"));
  EXPECT_THAT(refusal<double>(folder.file("a.tiff"), 1), HasSubstr(".npy, .raw, .zarr"));
  EXPECT_THAT(refusal<double>(folder.file("x.npy") + ":/level0", 1),
              HasSubstr("\"level0\" as a name within it"));
  std::ofstream(folder.file("b.raw")) << std::string(24, '\0');
  EXPECT_THAT(refusal<double>(folder.file("b.raw"), 1), HasSubstr("expected extents"));
  EXPECT_THAT(refusal<double>(folder.file("b.raw"), 1, {4}),
              HasSubstr("expected 32 bytes, [4] elements of 8 bytes, got 24 bytes"));
  EXPECT_EQ(refusal<double>(folder.file("b.raw"), 1, {3}), "nothing");
}

TEST(array_files, that_become_shorter_are_told) {
  const temporary_folder folder;
  test_memory memory;
  const auto path = folder.file("a.raw");
  std::ofstream(path) << std::string(std::size_t{4} << 20, 'x');
  const auto file =
      formats::open_array(path, detail::layout_of<std::uint8_t>(), 1, {std::int64_t{4} << 20});
  std::filesystem::resize_file(path, 1 << 20);
  EXPECT_THROW(all_of<std::uint8_t>(*file, memory), format_error);
}

TEST(array_files, refuse_options_that_they_dont_know) {
  const temporary_folder folder;
  const auto refused = [&](const formats::array_options& options) -> std::string {
    try {
      formats::create_array(folder.file("a.npy"), detail::layout_of<float>(), {40, 30}, options);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_THAT(refused({.codec = "zstd"}), HasSubstr("got \"zstd\"; write a .zarr"));
  EXPECT_THAT(refused({.shard = {40, 30}}), HasSubstr("shards"));
  EXPECT_THAT(refused({.chunk = {20, 10}}), HasSubstr("got [20, 10] of [40, 30]"));
  EXPECT_THAT(refused({.chunk = {20}}), HasSubstr("got [20] of [40, 30]"));
  EXPECT_EQ(refused({.chunk = {1, 10}}), "nothing");
  EXPECT_EQ(refused({.chunk = {7, 30}}), "nothing");
  EXPECT_EQ(refused({.codec = "none"}), "nothing");
}

}  // namespace
}  // namespace pappus::testing
