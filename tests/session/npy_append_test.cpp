// Records that are put behind those of an NPY file, whoever wrote it.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/support.h"
#include "pappus/pappus.h"

namespace pappus::npy_append {
namespace {

using testing::content_of;
using testing::create_file;
using ::testing::ElementsAre;
using testing::message_of;
using testing::temporary_folder;

session cpu() { return session({.threads = 2, .devices = "cpu"}); }

struct reading {
  std::int32_t id;
  double value;
};

/// As NumPy writes it: a header of a multiple of 64 bytes.
std::string npy_of(const std::string& descr, const std::string& shape, std::string_view data,
                   const std::string& order = "False", std::size_t bytes = 128, char version = 1) {
  std::string text("\x93NUMPY\x01\0", 8);
  text[6] = version;
  text += static_cast<char>(bytes - 10);
  text += '\0';
  text += "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  EXPECT_LT(text.size(), bytes);
  text.resize(bytes - 1, ' ');
  return text + '\n' + std::string(data);
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(npy_append, puts_records_behind_those_of_a_file) {
  const temporary_folder folder;
  auto s = cpu();
  const auto numbers = folder.file("a.npy"), pairs = folder.file("b.npy");
  std::int64_t all = 0;
  for (const int n : {0, 1, 999, 0, 40'000}) {
    s.range(all, all + n).append_to(numbers);
    s.range(all, all + n)
        .map([](std::int64_t i) { return std::array<float, 2>{static_cast<float>(i), 0.5F}; })
        .append_to(pairs);
    all += n;
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < all; ++i) expected.push_back(i);
    const auto found = s.npy<std::int64_t>(numbers).collect();
    EXPECT_TRUE(std::ranges::equal(found, expected));
    EXPECT_EQ((s.npy<std::array<float, 2>>(pairs).count().get()), all);
  }
  s.range(std::int64_t{0}, all).write(folder.file("whole.npy"));
  EXPECT_TRUE(content_of(numbers) == content_of(folder.file("whole.npy")));
  EXPECT_THAT(folder.names(), ::testing::SizeIs(3));
}

TEST(npy_append, tells_the_number_of_rows_in_headers_of_others) {
  const temporary_folder folder;
  auto s = cpu();
  const auto file = folder.file("a.npy");
  const std::vector<double> before{0.5, 1.5}, all{0.5, 1.5, 0, 1, 2, 3, 4, 5, 6, 7};
  const auto more = s.range(0, 8).map([](int i) { return 1.0 * i; });
  create_file(file, npy_of("'<f8'", "(2,)", bytes_of(before)));
  more.append_to(file);
  EXPECT_TRUE(content_of(file) == npy_of("'<f8'", "(10,)", bytes_of(all)));
  create_file(file, npy_of("'<f8'", "(1, 2)", bytes_of(before)));
  s.range(0, 4)
      .map([](int i) { return std::array<double, 2>{2.0 * i, 2.0 * i + 1}; })
      .append_to(file);
  EXPECT_TRUE(content_of(file) == npy_of("'<f8'", "(5, 2)", bytes_of(all)));
}

struct accented {
  std::int16_t x;
};

TEST(npy_append, leaves_the_rest_of_a_header_as_it_is) {
  const temporary_folder folder;
  auto s = cpu();
  const auto file = folder.file("a.npy");
  const auto header = [](std::string text, char version) {
    text.resize(128 - (version == 1 ? 11 : 13), ' ');
    return std::string("\x93NUMPY", 6) + version + '\0' + static_cast<char>(text.size() + 1) +
           '\0' + (version == 1 ? "" : std::string(2, '\0')) + text + '\n';
  };
  for (const auto& [name, version] : {std::pair{"\xE9", '\1'}, std::pair{"\xC3\xA9", '\3'}}) {
    const std::string behind =
        ",'descr':[('" + std::string(name) + "','<i2')],'fortran_order':False}";
    create_file(file, header("{'shape':(1L,)" + behind, version) + std::string(2, '\0'));
    s.range(0, 12)
        .map([](int i) { return accented{static_cast<std::int16_t>(i)}; })
        .append_to(file, column("\xC3\xA9", &accented::x));
    const auto found = content_of(file);
    EXPECT_EQ(found.substr(0, 128), header("{'shape': (13,)" + behind, version));
    EXPECT_EQ(found.size(), 128U + 26U);
  }
}

template <typename F>
std::string refused(const std::string& file, const std::string& content, F&& append) {
  create_file(file, content);
  const auto problem = message_of<error>([&] { append(file); });
  EXPECT_TRUE(content_of(file) == content);
  EXPECT_TRUE(problem.starts_with(file + ": ")) << problem;
  return problem.substr(std::min(file.size() + 2, problem.size()));
}

TEST(npy_append, refuses_other_items_and_headers_that_are_full) {
  const temporary_folder folder;
  auto s = cpu();
  const auto file = folder.file("a.npy");
  const auto doubles = [&](const std::string& to) {
    s.range(0, 99).map([](int i) { return i / 2.0; }).append_to(to);
  };
  const auto readings = [&](const std::string& to) {
    s.from({reading{1, 2}})
        .append_to(to, column("id", &reading::id), column("value", &reading::value));
  };
  const std::string eight(8, '\0'), twelve(12, '\0');
  const std::string remedy = "; only the same ones can be put behind them";
  EXPECT_EQ(refused(file, npy_of("'<f4'", "(2,)", eight), doubles),
            "expected shape [n] of <f8, got shape [2] of <f4");
  EXPECT_EQ(refused(file, npy_of("'>f8'", "(1,)", eight), doubles),
            "expected shape [n] of <f8, got shape [1] of >f8" + remedy);
  EXPECT_EQ(refused(file, npy_of("'<f8'", "(1, 2)", eight + eight), doubles),
            "expected shape [n] of <f8, got shape [1, 2] of <f8");
  const std::string expected =
      "expected fields \"id\" <i4, \"value\" <f8, got shape [1] of fields ";
  EXPECT_EQ(refused(file, npy_of("[('value', '<f8'), ('id', '<i4')]", "(1,)", twelve), readings),
            expected + "\"value\" <f8, \"id\" <i4" + remedy);
  EXPECT_EQ(refused(file,
                    npy_of("[('id', '<i4'), ('value', '<f8'), ('x', '|b1')]", "(1,)", twelve + '\1',
                           "False", 192),
                    readings),
            expected + "\"id\" <i4, \"value\" <f8, \"x\" |b1" + remedy);
  EXPECT_EQ(refused(file, npy_of("'<f8'", "(2,)", eight), doubles),
            "truncated: expected 2 records of 8 bytes, got 8 bytes");
  EXPECT_EQ(refused(file, "", doubles),
            "expected an NPY file, which begins with \"\\x93NUMPY\", got something else");
  const auto full = npy_of("'<f8'", "(1,)", eight, "False", 69);
  EXPECT_EQ(refused(file, full, doubles),
            "expected a header with room for 100 rows, got one that is full; write the file anew");
  create_file(file, full);
  s.range(0, 98).map([](int i) { return i / 2.0; }).append_to(file);
  EXPECT_EQ(s.npy<double>(file).count().get(), 99);
  EXPECT_EQ(
      message_of<usage_error>([&] { s.npy<double>(file).append_to(file); }),
      file +
          ": expected a file that the query doesn't read, as it would grow by what is read of "
          "it, got one that it reads; write another file");
}

TEST(npy_append, replaces_what_one_that_was_killed_left_behind) {
  const temporary_folder folder;
  auto s = cpu();
  const auto file = folder.file("a.npy");
  s.range(0, 3).write(file);
  for (const std::size_t left : {1U, 4U, 17U, 5'000U}) {
    create_file(file, content_of(file) + std::string(left, '\7'));
    const auto before = s.npy<int>(file).count().get();
    s.range(0, 2).append_to(file);
    EXPECT_EQ(s.npy<int>(file).count().get(), before + 2);
    EXPECT_EQ(content_of(file).size(), 128 + static_cast<std::size_t>(before + 2) * 4);
  }
  EXPECT_THAT(s.npy<int>(file).collect(), ElementsAre(0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 1));
}

/// In a process of its own, whose files can't be larger than 64 KiB.
void append_too_much(std::size_t left) {
  const temporary_folder folder;
  const auto file = folder.file("a.npy");
  session s({.threads = 1, .devices = "cpu"});
  s.range(0, 10'000).write(file);
  create_file(file, content_of(file) + std::string(left, '\7'));
  const rlimit most{std::size_t{64} << 10, std::size_t{64} << 10};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &most);
  try {
    s.range(0, 10'000).append_to(file);
  } catch (const format_error& problem) {
    std::cerr << problem.what() << '\n';
  }
  std::cerr << std::filesystem::file_size(file) << ' ' << s.npy<int>(file).count().get() << '\n';
}

TEST(npy_append, leaves_the_file_as_it_was_where_the_disk_is_full) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((append_too_much(0), append_too_much(100), std::exit(0)),
              ::testing::ExitedWithCode(0),
              "a.npy: writing failed: [^\n]*\n40128 10000\n"
              ".*a.npy: writing failed: [^\n]*\n40228 10000\n");
}

void append_until_killed(const std::string& file, std::chrono::microseconds after) {
  std::thread([after] {
    std::this_thread::sleep_for(after);
    ::raise(SIGKILL);
  }).detach();
  session s({.threads = 1, .devices = "cpu"});
  for (;;) {
    const auto there = static_cast<int>(s.npy<int>(file).count().get());
    s.range(there, there + 1'000).append_to(file);
  }
}

TEST(npy_append_death, leaves_a_file_of_whole_appends) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* variable = "PAPPUS_TEST_APPENDED_FILE";  // the child begins anew
  std::unique_ptr<temporary_folder> own;
  if (std::getenv(variable) == nullptr) {
    own = std::make_unique<temporary_folder>();
    ::setenv(variable, own->file("a.npy").c_str(), 1);
    cpu().range(0, 0).write(own->file("a.npy"));
  }
  const std::string file = std::getenv(variable);
  for (int i = 0; i < 10; ++i) {
    const std::chrono::microseconds after(i * 1'299'709 % 60'007);
    EXPECT_EXIT(append_until_killed(file, after), ::testing::KilledBySignal(SIGKILL), "");
    if (!own) continue;
    const auto rows = cpu().npy<int>(file).collect();
    EXPECT_EQ(rows.size() % 1'000, 0U);
    for (std::size_t row = 0; row < rows.size(); ++row) ASSERT_EQ(rows[row], static_cast<int>(row));
    EXPECT_EQ(own->names(), std::vector<std::string>{"a.npy"});
  }
  ::unsetenv(variable);
}

TEST(npy_append, keeps_the_records_of_several_writers_together) {
  const temporary_folder folder;
  constexpr int writers = 4, times = 5, rows = 2'000;
  const auto file = folder.file("a.npy");
  session({.threads = 1, .devices = "cpu"}).range(0, 0).write(file);
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      session s({.threads = 1, .devices = "cpu"});
      for (int time = 0; time < times; ++time)
        s.range((writer * times + time) * rows, (writer * times + time + 1) * rows).append_to(file);
    });
  for (auto& thread : threads) thread.join();
  const auto all = cpu().npy<int>(file).collect();
  ASSERT_EQ(all.size(), std::size_t{writers} * times * rows);
  std::vector<int> seen(writers * times);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i] % rows, static_cast<int>(i % rows)) << i;
    ++seen[static_cast<std::size_t>(all[i] / rows)];
  }
  EXPECT_THAT(seen, ::testing::Each(rows));
}

}  // namespace
}  // namespace pappus::npy_append
