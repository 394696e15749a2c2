// Kernels' texts that other tests dumped (PAPPUS_DUMP=FOLDER), through CUDA's compiler for sm_90.
//
//   pappus_compile_for_cuda FOLDER
//
// Equal texts are compiled once. What is refused is listed with the compiler's log. Exit status: 0
// all compile, 1 not, 2 wrong use, 77 there is no NVRTC or there are no texts, as without an OpenCL
// device.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/nvrtc.h"

namespace {

constexpr int skipped = 77, wrong_use = 2;

struct dumped_text {
  std::string file, text;
};

/// Sorted by the files' names, the first of equal texts.
std::vector<dumped_text> texts_in(const std::filesystem::path& folder) {
  std::error_code missing;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, missing))
    if (entry.path().extension() == ".cl") files.push_back(entry.path());
  std::ranges::sort(files);
  std::map<std::string, std::string> file_of;  // by text
  for (const auto& file : files) {
    std::ifstream stream(file);
    file_of.try_emplace(std::string(std::istreambuf_iterator<char>(stream), {}), file);
  }
  std::vector<dumped_text> all;
  for (const auto& [text, file] : file_of) all.push_back({file, text});
  std::ranges::sort(all, {}, &dumped_text::file);
  return all;
}

/// How many are refused.
std::size_t compile(const std::vector<dumped_text>& texts, const pappus::testing::nvrtc& compiler) {
  std::atomic<std::size_t> next = 0, refused = 0;
  std::mutex output;
  const auto work = [&] {
    for (auto i = next++; i < texts.size(); i = next++) {
      const auto log = compiler.refusal(texts[i].text);
      if (log.empty()) continue;
      ++refused;
      const std::lock_guard lock(output);
      std::cout << texts[i].file << ":\n" << log << '\n';
    }
  };
  std::vector<std::jthread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (auto& thread : threads) thread = std::jthread(work);
  threads.clear();
  return refused;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: pappus_compile_for_cuda FOLDER\n";
    return wrong_use;
  }
  const auto* const compiler = pappus::testing::nvrtc::installed();
  if (compiler == nullptr) {
    std::cout << "SKIP: NVRTC is not installed\n";
    return skipped;
  }
  const auto all = texts_in(argv[1]);
  if (all.empty()) {
    std::cout << "SKIP: no texts in " << argv[1] << ": they come from runs on OpenCL\n";
    return skipped;
  }
  const auto refused = compile(all, *compiler);
  std::cout << all.size() << " texts compiled, " << refused << " refused\n";
  return refused == 0 ? 0 : 1;
}
