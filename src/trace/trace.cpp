#include "trace/trace.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "pappus/error.h"

namespace pappus::trace {
namespace {

constexpr std::size_t buffered_bytes = 64 << 10;

/// Names may hold anything: those of files are the user's.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// \param rest  the members that events of the kind have besides.
std::string event(char kind, std::string_view name, std::string_view rest) {
  return fmt::format(R"({{"name":{},"ph":"{}","pid":1,{}}})", json_text(name), kind, rest);
}

}  // namespace

unsigned thread_number() noexcept {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

sink::sink(std::string path, std::int64_t most)
    : path_(std::move(path)),
      most_(most),
      buffer_("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n") {}

sink::~sink() {
  if (written_) return;
  try {
    write();
  } catch (const error& problem) {
    std::fprintf(stderr, "pappus: %s\n", problem.what());
  }
}

double sink::micros(clock::time_point t) const {
  return std::chrono::duration<double, std::micro>(t - start_).count();
}

/// Counts an event. False: it is one too many.
bool sink::has_room() {
  const auto before = events_.fetch_add(1, std::memory_order_relaxed);
  if (before == most_)
    add(event('i', base::count_text(most_) + " events: later ones are only counted",
              fmt::format(R"("tid":0,"s":"g","ts":{:.3f})", micros(clock::now()))));
  return before < most_;
}

void sink::span(std::string_view name, clock::time_point begin, clock::time_point end,
                std::int64_t items, double bytes) {
  if (!has_room()) return;
  auto arguments = items >= 0 ? fmt::format(R"("items":{})", items) : std::string();
  if (bytes >= 0) arguments += fmt::format(R"({}"bytes":{:.0f})", items >= 0 ? "," : "", bytes);
  add(event('X', name,
            fmt::format(R"("tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}})", thread_number(),
                        micros(begin), micros(end) - micros(begin), arguments)));
}

void sink::counter(std::string_view name, double value) {
  if (!has_room()) return;
  add(event('C', name,
            fmt::format(R"("ts":{:.3f},"args":{{"bytes":{:.0f}}})", micros(clock::now()), value)));
}

void sink::add(std::string_view event) {
  const std::lock_guard lock(mutex_);
  if (written_) return;
  threads_.insert(thread_number());
  buffer_ += event;
  buffer_ += ",\n";
  if (buffer_.size() >= buffered_bytes) flush();
}

void sink::flush() {
  if (problem_.empty()) {
    try {
      if (!file_) file_.emplace(path_);
      file_->append(buffer_);
    } catch (const base::file_problem& problem) {
      problem_ = problem.what();  // a query doesn't fail for its trace
    }
  }
  buffer_.clear();
}

void sink::write() {
  const std::lock_guard lock(mutex_);
  written_ = true;
  for (const unsigned thread : threads_)
    buffer_ += event('M', "thread_name",
                     fmt::format(R"("tid":{},"args":{{"name":"worker {}"}})", thread, thread)) +
               ",\n";
  const auto dropped = std::max<std::int64_t>(0, events_.load() - most_);
  buffer_ += event('M', "process_name", R"("args":{"name":"pappus"})") +
             fmt::format("],\n\"otherData\":{{\"dropped_events\":{}}}}}\n", dropped);
  flush();
  try {
    if (problem_.empty()) file_->commit();
  } catch (const base::file_problem& problem) {
    problem_ = problem.what();
  }
  if (!problem_.empty()) throw format_error(fmt::format("{}: the trace {}", path_, problem_));
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
