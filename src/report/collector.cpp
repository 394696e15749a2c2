#include "report/collector.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/svg.h"
#include "pappus/error.h"
#include "report/query_facts.h"

namespace pappus::report {
namespace {

base::atomic_file file_for(const std::string& path) try {
  return base::atomic_file(path);
} catch (const base::file_problem& e) {
  throw usage_error(
      fmt::format("PAPPUS_REPORT or options::report: expected a file that can be written, got {}: "
                  "{}",
                  path, e.what()));
}

/// Makes room for another one: the one goes that took least, and is handed to `gone`.
template <typename Facts, typename Gone>
void make_room(std::map<std::uint64_t, Facts>& in, Gone&& gone) {
  if (in.size() < collector::kept_max) return;
  const auto least = std::ranges::min_element(
      in, [](const auto& a, const auto& b) { return a.second.sum_s < b.second.sum_s; });
  gone(least->second);
  in.erase(least);
}

}  // namespace

collector::collector(std::string path)
    : path_(std::move(path)),
      file_(file_for(path_)),
      timeline_(std::make_shared<trace::timeline>(start_)) {
  rest_.start = start_;
  timeline_->sample_by([this] { return levels(); });
  io::listen_to_activity(this);
}

collector::~collector() {
  io::stop_listening(this);
  timeline_->sample_by(nullptr);  // queries that others still run may have it
  try {
    if (!written_) write();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pappus: %s\n", e.what());
  }
}

void collector::begin_session(const void* session, const machine_facts& on,
                              std::shared_ptr<memory::pool> pool,
                              std::shared_ptr<memory::store> store) {
  const std::lock_guard lock(mutex_);
  if (rest_.sessions++ == 0) {
    rest_.machine = on;
  } else {
    rest_.machine.threads = std::max(rest_.machine.threads, on.threads);
    rest_.machine.budget = std::max(rest_.machine.budget, on.budget);
  }
  open_[session] = {std::move(pool), std::move(store)};
}

void collector::end_session(const void* session, const std::vector<std::string>& device_faults) {
  timeline_->sample();
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(session);
  if (found == open_.end()) return;
  const auto& [pool, store] = found->second;
  rest_.peak = std::max(rest_.peak, static_cast<double>(pool->peak()));
  rest_.spilled += static_cast<double>(store->spilled_bytes());
  rest_.read_back += static_cast<double>(store->bytes_read_back());
  open_.erase(found);
  for (const auto& fault : device_faults)
    if (device_faults_.size() < faults_max) device_faults_.insert(fault);
}

trace::memory_levels collector::levels() const {
  const std::lock_guard lock(mutex_);
  trace::memory_levels all{0, 0, rest_.spilled};
  for (const auto& [session, of] : open_) {
    all.in_use += static_cast<double>(of.pool->in_use());
    all.held += static_cast<double>(of.pool->held());
    all.spilled += static_cast<double>(of.store->spilled_bytes());
  }
  return all;
}

bool collector::is_new(std::uint64_t shape) const {
  const std::lock_guard lock(mutex_);
  return !queries_.contains(shape);
}

/// What is computed in no time may be computed again.
void collector::note_computed(const query_facts& query) {
  constexpr double long_s = 1e-3;
  for (const auto& s : query.stages) {
    if (s.what != stage_facts::kind::computes || s.seconds < long_s) continue;
    const auto found = computed_.find(s.node);
    if (found == computed_.end() && computed_.size() == nodes_max) continue;
    auto& known = found == computed_.end() ? computed_[s.node] : found->second;
    if (known.label.empty()) known.label = s.label;
    ++known.times;
    known.seconds += s.seconds;
  }
}

void collector::add(query_facts query) {
  const std::lock_guard lock(mutex_);
  note_computed(query);
  ++rest_.runs;
  rest_.runs_s += query.seconds;
  query.sum_s = query.least_s = query.seconds;
  const auto found = queries_.find(query.shape);
  if (found == queries_.end()) {
    make_room(queries_, [&](const query_facts& gone) {
      rest_.other_runs += gone.runs;
      rest_.other_runs_s += gone.sum_s;
    });
    queries_.emplace(query.shape, std::move(query));
    return;
  }
  auto& known = found->second;
  ++known.runs;
  known.sum_s += query.seconds;
  known.least_s = std::min(known.least_s, query.seconds);
  known.spilled += query.spilled;
  known.read_back += query.read_back;
  if (query.seconds <= known.seconds || query.stages.size() != known.stages.size()) return;
  known.seconds = query.seconds;
  for (std::size_t i = 0; i < known.stages.size(); ++i)  // records are counted in the first run
    query.stages[i].operators.swap(known.stages[i].operators);
  known.stages.swap(query.stages);
}

void collector::add(launches_facts launches) {
  const std::lock_guard lock(mutex_);
  ++rest_.batches;
  rest_.batches_s += launches.seconds;
  launches.sum_s = launches.seconds;
  if (const auto found = launches_.find(launches.shape); found != launches_.end()) {
    auto& known = found->second;
    ++known.runs;
    known.sum_s += launches.seconds;
    known.seconds = std::max(known.seconds, launches.seconds);
    return;
  }
  make_room(launches_, [](const launches_facts&) {});
  launches_.emplace(launches.shape, std::move(launches));
}

void collector::add_failure(std::string_view what) {
  const std::lock_guard lock(mutex_);
  ++rest_.failures;
  rest_.last_failure = base::shortened(what, letters_max);
}

void collector::was_active(io::activity what, clock::time_point begin,
                           clock::time_point end) noexcept try {
  using trace::track_kind;
  if (what == io::activity::decompressing)
    timeline_->add(track_kind::decompression, "decompression", "decompress", begin, end);
  else if (what == io::activity::reading)
    timeline_->add(track_kind::disk, "spill: reads", "read", begin, end);
  else
    timeline_->add(track_kind::disk, "spill: writes", "write", begin, end);
} catch (...) {  // no memory for a picture
}

page_content collector::content() const {
  auto over_time = timeline_->taken();
  const std::lock_guard lock(mutex_);
  auto all = rest_;
  all.seconds = over_time.seconds;
  all.over_time = std::move(over_time);
  for (const auto& [session, of] : open_)
    all.peak = std::max(all.peak, static_cast<double>(of.pool->peak()));
  for (const auto& [shape, query] : queries_) all.queries.push_back(query);
  std::ranges::sort(all.queries, {}, &query_facts::begin);
  for (const auto& [node, of] : computed_)
    if (of.times > 1) all.recomputed.push_back(of);
  for (const auto& [shape, batch] : launches_) all.launches.push_back(batch);
  std::ranges::sort(all.launches, std::greater<>(), &launches_facts::sum_s);
  all.device_faults.assign(device_faults_.begin(), device_faults_.end());
  return all;
}

void collector::write() {
  written_ = true;
  try {
    file_.append(page_text(content()));
    file_.commit();
  } catch (const base::file_problem& problem) {
    throw format_error(fmt::format("{}: the report {}", path_, problem.what()));
  }
}

std::shared_ptr<collector> open_collector(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<collector>> open;
  const std::lock_guard lock(mutex);
  auto& known = open[path];
  auto found = known.lock();
  if (!found) known = found = std::make_shared<collector>(path);
  return found;
}

}  // namespace pappus::report
