// Random pipelines over files, in sessions with less and less memory: the bits of the result are
// those of a session with plenty, or the query is refused with memory_error, and nothing is left.
//
// PAPPUS_FUZZ_PIPELINES=5000 runs as many, PAPPUS_FUZZ_FIRST=4711 begins with that one. Either
// tells each pipeline before it runs, and what was refused.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/random_pipelines.h"
#include "support/sanitizers.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"

namespace pappus::random_pipelines {
namespace {

using testing::scaled_mib;
using testing::spill_folder;

constexpr std::size_t plenty = 4096 * scaled_mib;

// Under ThreadSanitizer these stand for the tests of spilling/.
constexpr std::uint64_t usual_pipelines = testing::threads_sanitized ? 100
                                          : testing::sanitized       ? 40
                                                                     : 240;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
bool tells() {
  return std::getenv("PAPPUS_FUZZ_PIPELINES") != nullptr ||
         std::getenv("PAPPUS_FUZZ_FIRST") != nullptr;
}

template <typename T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void append_rows(std::string& to, std::span<const record> rows) {
  for (const auto& r : rows) {
    append(to, as_stored(r));
    append(to, r.text.size());
    to += r.text;
  }
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::filesystem::file_size(path), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// What a query yields, as bytes.
struct sink {
  const char* name;
  std::string (*run)(session&, const rows&, const std::string& path);
};
std::string folds(session& s, const rows& of) {
  const auto sum = of.sum(&record::value);
  const auto mean = of.mean(&record::value);
  const auto order = of.map(&record::number).reduce<sequence>();
  s.run(sum, mean, order);
  std::string result;
  append(result, sum.get());
  append(result, mean.get());
  append(result, order.get());
  return result;
}
const std::vector<sink>& sinks() {
  static const std::vector<sink> all{
      {"collect",
       [](session&, const rows& of, const std::string&) {
         std::string result;
         append_rows(result, of.collect());
         return result;
       }},
      {"for_each_chunk",
       [](session&, const rows& of, const std::string&) {
         std::string result;
         of.for_each_chunk([&](std::span<const record> chunk) { append_rows(result, chunk); });
         return result;
       }},
      {"raw file",
       [](session&, const rows& of, const std::string& path) {
         of.map(as_stored).write(path + ".raw");
         return file_bytes(path + ".raw");
       }},
      {"csv file",
       [](session&, const rows& of, const std::string& path) {
         of.write(path + ".csv", column("text", &record::text), column("value", &record::value),
                  column("key", &record::key));
         return file_bytes(path + ".csv");
       }},
      {"sum",
       [](session&, const rows& of, const std::string&) {
         std::string result;
         append(result, of.sum(&record::value).get());
         return result;
       }},
      {"sequence",
       [](session&, const rows& of, const std::string&) {
         std::string result;
         append(result, of.map(&record::key).reduce<sequence>().get());
         return result;
       }},
      {"folds", [](session& s, const rows& of, const std::string&) { return folds(s, of); }},
      {"queries of a cache",
       [](session& s, const rows& of, const std::string&) {
         const auto kept = of.cache();
         auto result = folds(s, kept);
         kept.for_each_chunk([&](std::span<const record> chunk) { append_rows(result, chunk); });
         append(result, kept.sort_by(&record::value).map(&record::key).reduce<sequence>().get());
         return result;
       }},
      {"first",
       [](session&, const rows& of, const std::string&) {
         std::string result;
         const auto first = of.first().get();
         append_rows(result, std::span<const record>(&first, 1));
         return result;
       }},
      {"count", [](session&, const rows& of,
                   const std::string&) { return std::to_string(of.count().get()); }},
  };
  return all;
}

/// Whether a session has made a file in the folder, which then has no name.
bool has_spilled(const spill_folder& folder) {
  for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto to = std::filesystem::read_symlink(open.path(), gone);
    if (!gone && to.string().starts_with(folder.path() + "/")) return true;
  }
  return false;
}

struct outcome {
  // One of them: a result, memory_error, spill_error, format_error.
  std::string bytes{}, refusal{}, failure{}, unread{};
  std::string pipeline{};
  std::vector<std::string> steps{};
  std::size_t peak = 0;
  bool spilled = false;
  bool has_result() const { return refusal.empty() && failure.empty() && unread.empty(); }
};

/// Runs the pipeline of a seed. A usage_error is a result, too.
outcome run(const options& with, const drawn_files& files, const spill_folder& folder,
            std::uint64_t seed) {
  session s(with);
  outcome got;
  {
    pipeline made(s, files, seed);
    try {
      const auto result = made.make();  // files are opened
      const auto& last =
          sinks()[static_cast<std::size_t>(made.number(0, static_cast<int>(sinks().size()) - 1))];
      got.steps = made.names();
      got.steps.emplace_back(last.name);
      got.pipeline = fmt::format("{}: {} → {}", files.name(), made.name(), last.name);
      if (tells() && with.host_memory == plenty)
        std::fprintf(stderr, "PAPPUS_FUZZ_FIRST=%lu %s\n", static_cast<unsigned long>(seed),
                     got.pipeline.c_str());
      got.bytes = last.run(s, result, folder.path() + "/result");
    } catch (const memory_error& e) {
      got.refusal = e.what();
    } catch (const spill_error& e) {
      got.failure = e.what();
    } catch (const format_error& e) {
      got.unread = e.what();
    } catch (const usage_error& e) {
      got.bytes = e.what();
    }
  }
  got.peak = s.host_memory_peak();
  got.spilled = has_spilled(folder);
  EXPECT_EQ(s.host_memory_used(), 0u) << got.refusal << got.failure;
  EXPECT_LE(got.peak, s.host_memory());
  EXPECT_EQ(s.range(0, 1000).sum().get(), 499'500);
  return got;
}

std::size_t least(unsigned threads) { return (8 + 2 * threads) * scaled_mib; }

/// Two budgets at most: the least, and what plenty took or a part of it.
std::vector<std::size_t> budgets(std::size_t taken, unsigned threads, testing::random& numbers) {
  std::vector<std::size_t> all{least(threads)};
  const auto other = taken >> numbers.between(0, 5);
  if (other > all.front()) all.push_back(other);
  return all;
}

/// How many runs there were, and how many were refused: by steps, and by the name in the message.
class counts {
 public:
  std::size_t runs = 0, results = 0, spilled = 0, failures = 0, unread = 0;

  void add(const outcome& got, std::size_t budget, std::size_t taken) {
    ++runs;
    results += got.has_result();
    spilled += got.has_result() && got.spilled;
    failures += !got.failure.empty();
    unread += !got.unread.empty();
    for (const auto& step : got.steps) {
      ++by_step_[step].runs;
      by_step_[step].refused += !got.refusal.empty();
    }
    if (got.refusal.empty()) return;
    const auto whole = got.refusal.substr(0, got.refusal.find(": "));
    ++by_message_[whole.substr(whole.rfind('/') + 1)];
    if (tells())
      std::fprintf(stderr, "  %zu of %zu KiB: %s\n", budget >> 10, taken >> 10,
                   got.refusal.c_str());
  }
  void tell() const {
    if (!tells()) return;
    for (const auto& [name, times] : by_message_)
      std::fprintf(stderr, "refused %d times: %s\n", times, name.c_str());
    for (const auto& [name, of] : by_step_)
      std::fprintf(stderr, "refused %d of %d with %s\n", of.refused, of.runs, name.c_str());
    std::fprintf(
        stderr, "%zu runs, %zu results, of which %zu spilled, %zu spill_errors, %zu files unread\n",
        runs, results, spilled, failures, unread);
  }

 private:
  struct of_step {
    int runs = 0, refused = 0;
  };
  std::map<std::string, int> by_message_;
  std::map<std::string, of_step> by_step_;
};

/// Calls check(files, folder, seed, what it yields with plenty of memory) for each pipeline.
template <typename Check>
void for_each_pipeline(std::uint64_t first, std::uint64_t pipelines, Check check) {
  constexpr std::uint64_t pipelines_a_draw = 20;
  const spill_folder folder;
  std::unique_ptr<drawn_files> files;
  for (auto seed = first; seed < first + pipelines; ++seed) {
    if (!files || seed % pipelines_a_draw == 0) {
      files.reset();  // removes them
      files = std::make_unique<drawn_files>(folder.path(), seed / pipelines_a_draw);
    }
    const auto expected =
        run({.threads = 2, .host_memory = plenty, .devices = "cpu", .spill = "off"}, *files, folder,
            seed);
    SCOPED_TRACE(fmt::format("PAPPUS_FUZZ_FIRST={}: {}", seed, expected.pipeline));
    EXPECT_TRUE(expected.has_result()) << expected.refusal << expected.failure << expected.unread;
    if (!::testing::Test::HasFailure()) check(*files, folder, seed, expected);
    if (::testing::Test::HasFailure()) return;
  }
}

/// A file of the pipeline's that couldn't be read is named, and so is the reason.
void expect_names_the_file(const outcome& got, const spill_folder& folder) {
  if (got.unread.empty()) return;
  EXPECT_TRUE(got.unread.starts_with(folder.path() + "/")) << got.unread;
  EXPECT_TRUE(got.unread.ends_with(": reading failed: Input/output error")) << got.unread;
}

/// A result is that of plenty of memory.
void expect_same(const outcome& got, const outcome& expected) {
  if (!got.has_result()) return;
  EXPECT_TRUE(got.bytes == expected.bytes)
      << got.bytes.size() << " bytes, expected " << expected.bytes.size();
}

using spilled_pipelines = testing::scaled_test;

TEST_F(spilled_pipelines, have_the_same_bits_in_any_memory) {
  const auto pipelines = from_environment("PAPPUS_FUZZ_PIPELINES", usual_pipelines);
  counts all;
  for_each_pipeline(from_environment("PAPPUS_FUZZ_FIRST", 1), pipelines,
                    [&](const drawn_files& files, const spill_folder& folder, std::uint64_t seed,
                        const outcome& expected) {
                      testing::random numbers(seed);
                      const auto threads =
                          static_cast<unsigned>(numbers.between(1, numbers.between(1, 4)));
                      for (const auto budget : budgets(expected.peak, threads, numbers)) {
                        SCOPED_TRACE(fmt::format("{} B, {} threads", budget, threads));
                        const auto got = run({.threads = threads,
                                              .host_memory = budget,
                                              .chunk_rows = numbers.between(0, 3) == 0 ? 1000 : 0,
                                              .devices = "cpu",
                                              .spill = folder.path()},
                                             files, folder, seed);
                        EXPECT_EQ(got.failure + got.unread, "");
                        expect_same(got, expected);
                        all.add(got, budget, expected.peak);
                      }
                    });
  all.tell();
  if (pipelines < 240) return;
  EXPECT_GT(all.results, all.runs / 2) << "most are refused";
  EXPECT_GT(all.spilled, all.runs / 20) << "hardly any needs the disk";
}

TEST_F(spilled_pipelines, on_a_bad_disk_have_the_same_bits_or_the_error) {
  const auto pipelines = from_environment("PAPPUS_FUZZ_PIPELINES", usual_pipelines / 6);
  counts all;
  for_each_pipeline(from_environment("PAPPUS_FUZZ_FIRST", 1), pipelines,
                    [&](const drawn_files& files, const spill_folder& folder, std::uint64_t seed,
                        const outcome& expected) {
                      const auto threads = 1 + static_cast<unsigned>(seed % 3);
                      if (expected.peak <= least(threads)) return;
                      const auto faults = fmt::format(
                          "faulty:seed={}+short=0.1+eio=0.004+flip=0.004+delay_us=20+full={}", seed,
                          seed % 3 == 0 ? "512KiB" : "1GiB");
                      ::setenv("PAPPUS_IO", faults.c_str(), 1);
                      const auto got = run({.threads = threads,
                                            .host_memory = least(threads),
                                            .devices = "cpu",
                                            .spill = folder.path()},
                                           files, folder, seed);
                      ::unsetenv("PAPPUS_IO");
                      expect_same(got, expected);
                      expect_names_the_file(got, folder);
                      all.add(got, least(threads), expected.peak);
                    });
  all.tell();
  if (pipelines < 40) return;
  EXPECT_GT(all.spilled, 0u);
  EXPECT_GT(all.failures, 0u);
  EXPECT_GT(all.unread, 0u);
}

}  // namespace
}  // namespace pappus::random_pipelines
