#include "command/peers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pappus/error.h"
#include "system/device_texts.h"

namespace pappus::bench {
namespace {

/// The script as a file, while this exists.
class script_file {
 public:
  script_file()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("pappus-peers-{}.py", ::getpid())) {
    std::ofstream(path_) << text_file("peers.py");
  }
  ~script_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  script_file(const script_file&) = delete;
  script_file& operator=(const script_file&) = delete;
  std::string path() const { return path_.string(); }

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

result result_of(const nlohmann::json& line, const result& like, int threads) {
  result made;
  made.name = like.name;
  made.version = line.at("version");
  made.device = "cpu";
  made.n = like.n;
  made.seed = like.seed;
  made.threads = made.version == "numpy" || made.version == "scipy" ? 1 : threads;
  made.floor_s = like.floor_s;
  made.skipped = line.value("skipped", "");
  if (!made.skipped.empty()) return made;
  made.median_s = line.at("median_s");
  made.min_s = line.at("min_s");
  made.checksum = line.at("checksum");
  return made;
}

}  // namespace

std::vector<result> run_peers(const benchmark& of, const settings& asked, const result& like,
                              int threads) {
  const script_file script;
  const auto text = output_of(
      fmt::format("python3 -B '{}' {} --n {} --seed {} --threads {} --repeat {} --keys {} --k {} "
                  "--d {}{}",
                  script.path(), of.name, like.n, like.seed, threads, asked.repeat, asked.keys,
                  asked.k, asked.d, asked.domain ? " --domain" : ""));
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

}  // namespace pappus::bench
