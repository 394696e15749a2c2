// Arrays that programs open from files and write to them.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"
#include "support/spill_settings.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

struct pixel {
  std::uint8_t red, green, blue;
  friend bool operator==(const pixel&, const pixel&) = default;
};

struct mean_pixel {
  std::uint32_t red = 0, green = 0, blue = 0, n = 0;
  void accumulate(const pixel& p) { red += p.red, green += p.green, blue += p.blue, ++n; }
  void merge(const mean_pixel& o) { red += o.red, green += o.green, blue += o.blue, n += o.n; }
  pixel finalize() const {
    const auto mean = [&](std::uint32_t sum) {
      return static_cast<std::uint8_t>(n == 0 ? 0 : (sum + n / 2) / n);
    };
    return {mean(red), mean(green), mean(blue)};
  }
};

pixel pixel_at(std::int64_t i, std::int64_t j) {
  return {static_cast<std::uint8_t>(i * 3 + j), static_cast<std::uint8_t>(j * 5 + i / 4),
          static_cast<std::uint8_t>(i * j)};
}

constexpr std::int64_t height = 900, width = 1100;

/// 3 MB.
array<pixel, 2> picture(session& s) {
  std::vector<pixel> pixels;
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j) pixels.push_back(pixel_at(i, j));
  return s.to_array<2>(pixels, {height, width});
}

/// Names of files, and how they are written.
struct way {
  std::string name;
  array_file_options how;
};
const std::vector<way> ways{
    {"a.npy", {}},
    {"a.raw", {}},
    {"a.zarr", {}},
    {"b.zarr", {.chunk = {64, 100}, .codec = "blosc:lz4"}},
    {"c.zarr", {.chunk = {64, 64}, .shard = {256, 512}, .codec = "zstd:3"}},
    {"d.zarr", {.chunk = {900, 30}, .codec = "none"}},
};

array<pixel, 2> opened(session& s, const std::string& path) {
  if (path.ends_with(".raw")) return s.open<pixel, 2>(path, {height, width});
  return s.open<pixel, 2>(path);
}

/// Averages of blocks of 8 x 8 within a part of the picture, and one pixel of each.
void look_through_a_microscope(session& s, const array<pixel, 2>& slide) {
  constexpr std::int64_t k = 8;
  const box<2> window{{200, 304}, {840, 1024}};
  const idx<2> low = window.low;
  const auto view = s.zeros<mean_pixel, 2>(window.shape() / k);
  s.for_each(
      window,
      [low](idx<2> p, reads<pixel, 2> slide, reduces<mean_pixel, 2> view) {
        view[(p - low) / k].accumulate(slide[p]);
      },
      slide, view);
  const auto few = s.zeros<pixel, 2>(window.shape() / k);
  s.for_each(
      few.extents(),
      [low](idx<2> p, reads<pixel, 2> slide, writes<pixel, 2> few) { few[p] = slide[low + p * k]; },
      slide, few);
  const auto means = view.to_vector();
  const auto some = few.host();
  for (std::int64_t i = 0; i < view.extent(0); ++i)
    for (std::int64_t j = 0; j < view.extent(1); ++j) {
      mean_pixel expected;
      for (std::int64_t m = 0; m < k; ++m)
        for (std::int64_t n = 0; n < k; ++n)
          expected.accumulate(pixel_at(low[0] + i * k + m, low[1] + j * k + n));
      ASSERT_EQ(means[static_cast<std::size_t>(i * view.extent(1) + j)], expected.finalize());
      ASSERT_EQ(some(i, j), pixel_at(low[0] + i * k, low[1] + j * k));
    }
}

using array_files_in_little_memory = scaled_test;

TEST_F(array_files_in_little_memory, are_written_opened_and_reduced) {
  const spill_folder folder;
  for (const auto& [name, how] : ways) {
    SCOPED_TRACE(name);
    const auto path = folder.path() + "/" + name;
    {
      session s({.threads = 3});
      picture(s).write(path, how);
    }
    for (const std::size_t mib : {12, 512}) {
#ifndef PAPPUS_TEST_INFERRED  // nobody knows what is read, so that it is all
      if (mib == 12) continue;
#endif
      session s(settings(folder, mib * scaled_mib));
      look_through_a_microscope(s, opened(s, path));
    }
  }
}

TEST(array_files, are_written_from_parts_reducers_and_other_files) {
  const spill_folder folder;
  session s({.threads = 3});
  const auto all = picture(s);
  const box<2> where{{10, 20}, {300, 1000}};
  all.write(folder.path() + "/all.zarr");
  const auto file = s.open<pixel, 2>(folder.path() + "/all.zarr");
  for (const auto& from : {all[where], file[where]}) {
    from.write(folder.path() + "/part.npy");
    const auto part = s.open<pixel, 2>(folder.path() + "/part.npy");
    EXPECT_EQ(part.extents(), where.shape());
    EXPECT_EQ(part.to_vector(), all[where].to_vector());
  }
  const auto sums = s.zeros<mean_pixel, 2>({9, 11});
  s.for_each(
      {height, width},
      [](idx<2> p, reads<pixel, 2> from, reduces<mean_pixel, 2> to) {
        to[p / 100].accumulate(from[p]);
      },
      file, sums);
  sums.write(folder.path() + "/means.npy");
  EXPECT_EQ((s.open<pixel, 2>(folder.path() + "/means.npy").to_vector()), sums.to_vector());
  EXPECT_EQ(sums.to_vector().size(), 99U);
}

TEST(array_files, of_one_dimension_are_tables) {
  const spill_folder folder;
  session s({.threads = 2});
  const auto path = folder.path() + "/squares.zarr";
  s.range(std::int64_t{0}, std::int64_t{500'000})
      .map([](std::int64_t x) { return x * x; })
      .to_array()
      .write(path);
  const auto rows = s.open<std::int64_t>(path).rows();
  EXPECT_EQ(rows.count(), 500'000);
  EXPECT_EQ(rows.filter([](std::int64_t x) { return x % 2 == 1; }).count(), 250'000);
}

TEST(array_files, of_one_dimension_may_be_told_their_extent) {
  const spill_folder folder;
  session s({.threads = 2});
  const auto path = folder.path() + "/line.raw";
  const std::vector<std::int16_t> numbers{3, 1, 4, 1, 5};
  s.to_array<1>(numbers, {5}).write(path);
  EXPECT_EQ((s.open<std::int16_t, 1>(path, {5}).to_vector()), numbers);
}

TEST(array_files, may_be_empty) {
  const spill_folder folder;
  session s({.threads = 2});
  for (const auto* name : {"/e.npy", "/e.zarr"}) {
    s.zeros<float, 2>({0, 7}).write(folder.path() + name);
    const auto back = s.open<float, 2>(folder.path() + name);
    EXPECT_EQ(back.extents(), (idx<2>{0, 7}));
    EXPECT_TRUE(back.to_vector().empty());
    EXPECT_EQ(back.rows().count(), 0);
  }
}

std::string refused_in(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(array_files, are_refused_in_words) {
  const spill_folder folder;
  const auto path = folder.path() + "/a.npy";
  session s({.threads = 2});
  s.zeros<float, 2>({30, 20}).write(path);
  EXPECT_THAT(refused_in([&] { s.open<double, 2>(path); }),
              HasSubstr("expected an array of 2 dimensions of <f8, got shape [30, 20] of <f4"));
  EXPECT_THAT(refused_in([&] { s.open<float>(path); }), HasSubstr("of 1 dimension"));
  EXPECT_THAT(refused_in([&] { s.open<float, 2>(path, {30, 21}); }),
              HasSubstr("expected extents [30, 21], got [30, 20]"));
  EXPECT_THAT(refused_in([&] { s.open<float, 2>(path, {30, -1}); }),
              HasSubstr("-1 in dimension 1"));
  EXPECT_THAT(refused_in([&] { s.zeros<float>({3}).write(folder.path() + "/a.tiff"); }),
              HasSubstr(".npy, .raw, .zarr"));
  EXPECT_THAT(refused_in([&] { s.unwritten<float>({3}).write(path); }), HasSubstr("nobody has"));
  EXPECT_THAT(refused_in([&] { s.zeros<float>({3}).write(folder.path() + "/none/a.npy"); }),
              HasSubstr("a.npy"));
  EXPECT_EQ((s.open<float, 2>(path).to_vector()), std::vector<float>(600));
}

}  // namespace
}  // namespace pappus::testing
