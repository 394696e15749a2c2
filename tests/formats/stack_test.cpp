// Files that are stacked: elements of the files, one after another, whatever their format and
// however few of them may be open.
#include "formats/stack.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/array_registry.h"
#include "formats/zarr/zarr_support.h"
#include "pappus/error.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Writes arrays of numbers, each from another one on, and remembers all of them.
template <typename T>
struct days {
  days(const temporary_folder& folder, const std::vector<std::string>& names,
       const extents_type& extents, const formats::array_options& options = {}) {
    for (const auto& name : names) {
      auto one = counted<T>(extents);
      for (auto& element : one) element = static_cast<T>(element + static_cast<T>(paths.size()));
      paths.push_back(folder.file(name));
      const auto writer =
          formats::create_array(paths.back(), detail::layout_of<T>(), extents, options);
      for_places(chunks_of(writer->shape()),
                 [&](const extents_type& place) { put_chunk(*writer, place, one); });
      writer->close();
      elements.insert(elements.end(), one.begin(), one.end());
    }
  }

  std::vector<std::string> paths;
  std::vector<T> elements;
};

std::vector<std::string> numbered(std::size_t n, const std::string& suffix) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(std::to_string(i) + suffix);
  return names;
}

template <typename T>
std::unique_ptr<formats::array_file> opened(const days<T>& of, std::size_t rank,
                                            const extents_type& extents = {}) {
  return formats::open_stack(of.paths, detail::layout_of<T>(), rank, extents);
}

TEST(stack, has_the_elements_of_its_files_one_after_another) {
  for (const extents_type& extents : {extents_type{5}, {30, 20}, {700, 600}, {3, 7, 5}}) {
    auto whole = extents;
    whole.insert(whole.begin(), 4);
    for (const auto* suffix : {".npy", ".raw", ".zarr"}) {
      const temporary_folder folder;
      const days<float> made(folder, numbered(4, suffix), extents);
      const auto stack =
          opened(made, extents.size(), std::string(suffix) == ".raw" ? extents : extents_type());
      EXPECT_EQ(stack->shape().extents, whole);
      EXPECT_EQ(stack->shape().chunk[0], 1);
      EXPECT_EQ(read_array<float>(*stack), made.elements);
    }
  }
}

TEST(stack, has_the_chunks_of_its_files) {
  const temporary_folder folder;
  const days<std::int16_t> made(folder, numbered(3, ".zarr"), {50, 40},
                                {.chunk = {8, 16}, .shard = {16, 32}});
  const auto stack = opened(made, 2);
  EXPECT_EQ(stack->shape().chunk, (extents_type{1, 8, 16}));
  EXPECT_EQ(stack->storage().kind, "zarr 3 in shards");
  EXPECT_EQ(read_array<std::int16_t>(*stack), made.elements);
  EXPECT_GT(stack->bytes_read(), 0);
}

TEST(stack, may_have_files_of_several_formats_and_one_alone) {
  const temporary_folder folder;
  const days<float> alike(folder, {"a.npy", "b.zarr", "c.npy"}, {6, 5}, {.chunk = {6, 5}});
  const auto stack = opened(alike, 2);
  EXPECT_EQ(read_array<float>(*stack), alike.elements);
  EXPECT_THAT(stack->storage().kind, "npy, zarr 3");
  EXPECT_EQ(stack->storage().bytes, -1);
  const days<float> alone(folder, {"d.npy"}, {6, 5});
  EXPECT_EQ(opened(alone, 2)->shape().extents, (extents_type{1, 6, 5}));
  EXPECT_EQ(read_array<float>(*opened(alone, 2)), alone.elements);
}

TEST(stack, has_the_fill_value_where_a_file_has_no_chunk) {
  const temporary_folder folder;
  const days<float> made(folder, {"a.zarr", "b.zarr"}, {6, 5}, {.chunk = {3, 5}});
  std::filesystem::remove(made.paths[1] + "/c/1/0");
  auto expected = made.elements;
  std::fill(expected.end() - 15, expected.end(), 0.F);
  EXPECT_EQ(read_array<float>(*opened(made, 2)), expected);
}

TEST(stack, reads_small_boxes_of_several_files_alone) {
  const temporary_folder folder;
  const days<double> made(folder, numbered(5, ".npy"), {600, 400});
  const auto stack = opened(made, 2);
  const extents_type low{1, 17, 30}, high{4, 20, 39}, ones{1, 1, 1};
  ASSERT_TRUE(stack->reads_alone({low, high, ones}));
  const extents_type none{0, 0, 0};
  EXPECT_FALSE(stack->reads_alone({none, extents_type{1, stack->shape().chunk[1], 400}, ones}));
  // Several chunks would be copied together.
  EXPECT_TRUE(stack->reads_alone({none, extents_type{5, 600, 400}, ones}));
  std::vector<double> box(3 * 3 * 9), expected;
  stack->read_alone({low, high, ones}, extents_type{27, 9, 1},
                    reinterpret_cast<std::byte*>(box.data()));
  for (auto n = low[0]; n < high[0]; ++n)
    for (auto i = low[1]; i < high[1]; ++i)
      for (auto j = low[2]; j < high[2]; ++j)
        expected.push_back(made.elements[static_cast<std::size_t>((n * 600 + i) * 400 + j)]);
  EXPECT_EQ(box, expected);
  EXPECT_LT(stack->bytes_read(), 8 * 600 * 400);
}

TEST(stack, reads_every_so_manieth_row_alone) {
  const temporary_folder folder;
  const days<double> made(folder, numbered(5, ".npy"), {600, 400});
  const auto stack = opened(made, 2);
  // Whole rows, 50 apart, of every other file; two elements lie behind the three rows of a file.
  const extents_type low{0, 40, 0}, high{5, 141, 400}, steps{2, 50, 1}, strides{601, 8, 1};
  const auto before = stack->bytes_read();
  ASSERT_TRUE(stack->reads_alone({low, high, steps}));
  std::vector<double> found(3 * 2 * 601, -1);
  stack->read_alone({low, high, steps}, strides, reinterpret_cast<std::byte*>(found.data()));
  stack->announce_alone({low, high, steps});
  EXPECT_EQ(stack->bytes_read() - before, 3 * 3 * 400 * 8);
  for (std::size_t n = 0; n < 5; n += 2)
    for (std::size_t i = 40; i < 141; i += 50)
      for (std::size_t j = 0; j < 400; ++j) {
        auto& one = found[n * 601 + (i - 40) * 8 + j];
        ASSERT_EQ(one, made.elements[(n * 600 + i) * 400 + j]) << n << ' ' << i << ' ' << j;
        one = -1;
      }
  EXPECT_EQ(std::ranges::count(found, -1), std::ssize(found));  // nothing went elsewhere
}

/// The process may have few open files, as long as it exists.
class few_files {
 public:
  explicit few_files(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~few_files() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  few_files(const few_files&) = delete;
  few_files& operator=(const few_files&) = delete;

 private:
  rlimit before_{};
};

std::size_t files_open_now() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++n;
  return n;
}

TEST(stack, may_have_more_files_than_can_be_open) {
  const temporary_folder folder;
  const days<float> plain(folder, numbered(1200, ".npy"), {4, 3});
  const days<float> sharded(folder, numbered(40, ".zarr"), {8, 8},
                            {.chunk = {2, 2}, .shard = {4, 4}});
  const few_files limit(256);
  const auto before = files_open_now();
  for (const auto* made : {&plain, &sharded}) {
    const auto stack = opened(*made, 2);
    for (int times = 0; times < 2; ++times) EXPECT_EQ(read_array<float>(*stack), made->elements);
    EXPECT_LE(files_open_now(), before + stack->open_files_max());
    EXPECT_LE(stack->open_files_max(), 16U);
    EXPECT_GE(stack->bytes_read(), 2 * std::ssize(made->elements) * 4);
  }
}

TEST(stack, tells_of_a_file_that_another_one_replaced) {
  const temporary_folder folder;
  const days<float> made(folder, numbered(100, ".npy"), {4, 3});
  const few_files limit(256);
  const auto stack = opened(made, 2);
  test_memory memory;
  std::vector<float> chunk(12);
  const auto load = [&](std::int64_t n) {
    try {
      stack->load(extents_type{n, 0, 0}, memory, reinterpret_cast<std::byte*>(chunk.data()));
    } catch (const format_error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  std::filesystem::copy_file(made.paths[7], folder.file("other.npy"));
  std::filesystem::rename(folder.file("other.npy"), made.paths[2]);
  EXPECT_THAT(load(2), AllOf(HasSubstr("2.npy: expected the file that was there"),
                             HasSubstr("open the stack again")));
  std::filesystem::remove(made.paths[3]);
  EXPECT_THAT(load(3), HasSubstr("3.npy: can't be opened"));
  EXPECT_EQ(load(4), "nothing");
}

template <typename T>
std::string stack_refusal(const std::vector<std::string>& paths, std::size_t rank,
                          const extents_type& extents = {}) {
  try {
    formats::open_stack(paths, detail::layout_of<T>(), rank, extents);
  } catch (const pappus::error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(stack, refuses_files_that_differ_and_tells_how) {
  const temporary_folder folder;
  const days<float> first(folder, {"a.zarr"}, {6, 5}, {.chunk = {3, 5}});
  const auto with = [&](const std::string& name) {
    return std::vector{first.paths[0], folder.file(name)};
  };
  const days<float> longer(folder, {"longer.zarr"}, {7, 5}, {.chunk = {3, 5}});
  EXPECT_EQ(stack_refusal<float>(with("longer.zarr"), 2),
            folder.file("longer.zarr") + ": expected extents [6, 5], as " + first.paths[0] +
                " has, got [7, 5]; all files of a stack have the same");
  const days<float> cut(folder, {"cut.zarr"}, {6, 5}, {.chunk = {2, 5}});
  EXPECT_EQ(stack_refusal<float>(with("cut.zarr"), 2),
            folder.file("cut.zarr") + ": expected chunks of [3, 5], as " + first.paths[0] +
                " has, got [2, 5]; write it with the others' chunks");
  const days<double> wide(folder, {"wide.zarr"}, {6, 5}, {.chunk = {3, 5}});
  EXPECT_THAT(stack_refusal<float>(with("wide.zarr"), 2),
              HasSubstr("wide.zarr: expected an array of 2 dimensions of <f4, got shape [6, 5] of "
                        "<f8"));
  const days<float> filled(folder, {"filled.zarr"}, {6, 5}, {.chunk = {3, 5}});
  auto metadata = nlohmann::json::parse(std::ifstream(filled.paths[0] + "/zarr.json"));
  metadata["fill_value"] = 1.5;
  std::ofstream(filled.paths[0] + "/zarr.json") << metadata.dump();
  EXPECT_EQ(stack_refusal<float>(with("filled.zarr"), 2),
            folder.file("filled.zarr") + ": expected a fill value with the bytes 00 00 00 00, as " +
                first.paths[0] + " has, got 00 00 c0 3f; write it with the others' fill value");
  EXPECT_THAT(stack_refusal<float>(with("none.zarr"), 2), HasSubstr("none.zarr"));
  EXPECT_EQ(stack_refusal<float>({}, 2),
            "open: expected one path or more to stack, got an empty list");
  const days<float> raw(folder, numbered(2, ".raw"), {6, 5});
  EXPECT_THAT(stack_refusal<float>(raw.paths, 2), HasSubstr("0.raw: expected extents"));
  EXPECT_EQ(stack_refusal<float>(raw.paths, 2, {6, 5}), "nothing");
  EXPECT_THAT(stack_refusal<float>(raw.paths, 2, {6, 4}), HasSubstr("0.raw: expected 96 bytes"));
}

}  // namespace
}  // namespace pappus::testing
