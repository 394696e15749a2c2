#include "command/peers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "memory/spill_file.h"
#include "pappus/error.h"
#include "session/settings.h"
#include "system/device_texts.h"

namespace pappus::bench {
namespace {

/// The scripts as files of a folder, while this exists.
class script_folder {
 public:
  script_folder()
      : path_(std::filesystem::temp_directory_path() / fmt::format("pappus-peers-{}", ::getpid())) {
    std::filesystem::create_directory(path_);
    for (const auto& file : device_texts)
      if (file.path.ends_with(".py")) std::ofstream(path_ / file.path) << file.text;
  }
  ~script_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  script_folder(const script_folder&) = delete;
  script_folder& operator=(const script_folder&) = delete;
  std::string peers() const { return (path_ / "peers.py").string(); }

 private:
  std::filesystem::path path_;
};

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw usage_error("bench --peers: python3 can't be started");
  char part[4096];
  while (const auto n = std::fread(part, 1, sizeof part, pipe)) text.append(part, n);
  if (const int status = ::pclose(pipe); status != 0)
    throw usage_error(
        fmt::format("bench --peers: expected python3 to time its libraries, got exit status {}",
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1));
  return text;
}

/// Names of a library's versions with less memory begin so; that of ours with as much follows.
constexpr std::string_view duckdb_with = "duckdb ";

/// The one of our results whose budget the library's version has.
const result& counterpart(std::span<const result> ours, std::string_view version) {
  if (version.starts_with(duckdb_with))
    if (const auto* found = find(ours, version.substr(duckdb_with.size()))) return *found;
  return ours.front();
}

result result_of(const nlohmann::json& line, std::span<const result> ours, int threads) {
  const std::string version = line.at("version");
  const result& like = counterpart(ours, version);
  result made;
  made.name = like.name;
  made.version = version;
  made.device = line.value("device", "cpu");
  made.n = like.n;
  made.seed = like.seed;
  made.threads =
      version == "numpy" || version == "scipy" || version == "h5py" || made.device != "cpu"
          ? 1
          : threads;
  made.budget_bytes = like.budget_bytes;
  made.floor_s = like.floor_s;
  made.skipped = line.value("skipped", "");
  if (!made.skipped.empty()) return made;
  made.median_s = line.at("median_s");
  made.min_s = line.at("min_s");
  made.checksum = line.at("checksum");
  return made;
}

/// Budgets of versions that have one, and where rows that exceed them are spilled.
std::string budget_arguments(std::span<const result> ours) {
  if (std::ranges::all_of(ours, [](const result& r) { return r.budget_bytes == 0; })) return "";
  const auto spill = detail::spill_settings_of(detail::resolved({}));
  const auto folder = std::make_shared<memory::spill_file>(spill)->folder();
  std::string text = folder.empty() ? "" : fmt::format(" --folder '{}'", folder);
  for (const auto& r : ours) text += fmt::format(" --budget {}={}", r.version, r.budget_bytes);
  return text;
}

}  // namespace

std::vector<result> run_peers(const benchmark& of, const settings& asked,
                              std::span<const result> like, int threads, bool on_gpu) {
  const script_folder scripts;
  const auto& first = like.front();
  const auto text = output_of(fmt::format(
      "python3 -B '{}' {} --n {} --seed {} --threads {} --repeat {} --keys {} --k {} "
      "--d {}{}{}{}{}{}",
      scripts.peers(), of.name, first.n, first.seed, threads, asked.repeat, asked.keys, asked.k,
      asked.d, asked.domain ? " --domain" : "", asked.cold ? " --cold" : "",
      on_gpu ? " --cuda" : "", asked.resident ? " --resident" : "", budget_arguments(like)));
  std::vector<result> results;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    if (end > begin)
      results.push_back(
          result_of(nlohmann::json::parse(text.substr(begin, end - begin)), like, threads));
    begin = end + 1;
  }
  return results;
}

const result* duckdb_beside(std::span<const result> results, const result& ours) {
  const auto* found =
      find(results,
           ours.version == "pappus" ? "duckdb" : fmt::format("{}{}", duckdb_with, ours.version));
  return found == nullptr || !found->skipped.empty() ? nullptr : found;
}

}  // namespace pappus::bench
