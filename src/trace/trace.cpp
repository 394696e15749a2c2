#include "trace/trace.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::trace {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"";
}

}  // namespace

unsigned thread_number() noexcept {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

sink::sink(std::string path) : path_(std::move(path)) {}

sink::~sink() {
  if (written_) return;
  try {
    write();
  } catch (const error& problem) {
    std::fprintf(stderr, "pappus: %s\n", problem.what());
  }
}

void sink::span(std::string_view name, clock::time_point begin, clock::time_point end,
                std::int64_t items, double bytes) {
  std::lock_guard lock(mutex_);
  events_.push_back({std::string(name), begin, end, thread_number(), items, bytes, false});
}

void sink::counter(std::string_view name, double value) {
  const auto now = clock::now();
  std::lock_guard lock(mutex_);
  events_.push_back({std::string(name), now, now, 0, -1, value, true});
}

void sink::write() {
  std::lock_guard lock(mutex_);
  written_ = true;
  const auto micros = [&](clock::time_point t) {
    return std::chrono::duration<double, std::micro>(t - start_).count();
  };
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  std::set<unsigned> threads;
  for (const auto& e : events_) {
    if (e.is_counter) {
      text +=
          fmt::format(R"({{"name":{},"ph":"C","pid":1,"ts":{:.3f},"args":{{"bytes":{:.0f}}}}},)",
                      trace::quoted(e.name), micros(e.begin), e.value);
    } else {
      threads.insert(e.thread);
      text += fmt::format(
          R"({{"name":{},"ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{)",
          trace::quoted(e.name), e.thread, micros(e.begin), micros(e.end) - micros(e.begin));
      if (e.items >= 0) text += fmt::format("\"items\":{}", e.items);
      if (e.value >= 0) text += fmt::format("{}\"bytes\":{:.0f}", e.items >= 0 ? "," : "", e.value);
      text += "}},";
    }
    text += "\n";
  }
  for (const unsigned thread : threads)
    text += fmt::format(
        R"({{"name":"thread_name","ph":"M","pid":1,"tid":{},"args":{{"name":"worker {}"}}}},)"
        "\n",
        thread, thread);
  text += R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"pappus"}}]})"
          "\n";

  const std::string beside = fmt::format("{}.{}.tmp", path_, ::getpid());
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  const bool complete =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!complete || !closed || std::rename(beside.c_str(), path_.c_str()) != 0) {
    std::remove(beside.c_str());
    throw format_error(fmt::format("{}: the trace can't be written there", path_));
  }
}

std::shared_ptr<sink> open_sink(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<sink>> open;
  std::lock_guard lock(mutex);
  auto& known = open[path];
  auto found = known.lock();
  if (!found) known = found = std::make_shared<sink>(path);
  return found;
}

}  // namespace pappus::trace
