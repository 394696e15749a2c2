#include "session/session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/environment.h"
#include "graph/operator_entry.h"
#include "levels/kernels.h"
#include "pappus/error.h"
#include "report/query_facts.h"
#include "session/settings.h"

namespace pappus::detail {

session_core::session_core(const options& settings)
    : settings_(resolved(settings)),
      machine_(cost::this_machine(settings_.threads, settings_.host_memory)),
      memory_(std::make_shared<memory::pool>(settings_.host_memory)),
      store_(memory::store::make(memory_, spill_settings_of(settings_))),
      chunks_(std::make_shared<memory::chunk_cache>(memory_)),
      devices_(settings_.devices, settings_.device_memory, memory_),
      team_(threads::make_team(settings_.threads)),
      progress_(settings_.progress < 0 ? ::isatty(STDERR_FILENO) == 1 : settings_.progress > 0),
      checks_(check_setting_of_environment()),
      when_launches_run_(launch_setting_of(settings_.launch)),
      explain_only_(base::environment("PAPPUS_EXPLAIN")) {
  levels::use(levels::level_of_environment());
  if (!settings_.trace.empty()) tracer_ = trace::open_sink(settings_.trace);
  if (settings_.report.empty()) return;
  collector_ = report::open_collector(settings_.report);
  collector_->begin_session(
      this,
      {cost::processor_name(), settings_.threads, static_cast<double>(memory_->limit()),
       static_cast<double>(machine_.last_cache_bytes)},
      memory_, store_);
}

std::shared_ptr<report::collector> session_core::collector() const {
  if (settings_.report.empty()) return nullptr;
  const std::lock_guard lock(tracer_mutex_);
  return collector_;
}

launch_queue& session_core::launches() {
  std::call_once(launches_made_, [this] {
    // Those that are merely there have drivers, for which launched functions have no code.
    const bool on_devices = devices_.named();
    run::launch_devices devices;
    std::function<ops::answer(const node&, unsigned)> ask_device;
    if (on_devices) {
      devices = {devices_.all(), [this](const std::string& text) { remember_fault(text); }};
      ask_device = [this](const node&, unsigned d) {
        return run::can_run_launches(*devices_.all()[d]);
      };
    }
    launches_ = std::make_unique<launch_queue>(
        *team_, on_devices ? machine_with_devices() : machine_, cancels_,
        [this](std::shared_ptr<const arrays::launch> launch) {
          const record_type about{0, 1, launch->footprint};
          auto name = text(*launch);
          return add({arrays::launch_operator(), std::move(name), about, {}, std::move(launch)});
        },
        [this](const plan::plan& p) { return listen_to_launches(p); },
        explain_only_ == nullptr ? launch_queue::waiting_hook()
                                 : [this](const auto& explained) { explain_if_chosen(explained); },
        when_launches_run_, std::move(devices), std::move(ask_device));
  });
  return *launches_;
}

std::unique_ptr<trace::recorder> session_core::listen_to_launches(const plan::plan& p) const {
  auto recorder = listen(p, false);
  if (const auto page = collector(); page != nullptr && !p.stages.empty())
    recorder->at_end([page, facts = report::facts_of_launches(p)](double seconds) {
      try {
        auto done = facts;
        done.seconds = seconds;
        page->add(std::move(done));
      } catch (...) {  // no memory for the page
      }
    });
  return recorder;
}

node_ptr session_core::add(node_request request) {
  check_alive();
  auto n = std::make_shared<node>(node_table_);
  n->id = node_count_.fetch_add(1, std::memory_order_relaxed);
  n->op = &request.op;
  n->name = std::move(request.name);
  n->out = request.out;
  n->stage = std::move(request.stage);
  n->params = std::move(request.params);
  n->session = weak_from_this();
  graph::verify(*n);
  return n;
}

void session_core::end() noexcept {
  ended_ = true;
  cancel();
  if (launches_) launches_->end();
  try {
    if (const auto page = collector()) page->end_session(this, device_faults());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pappus: the report lacks what a session told: %s\n", e.what());
  }
  std::shared_ptr<trace::sink> last;  // the last session that traces to a file writes it
  std::shared_ptr<report::collector> last_collector;  // and so with pages
  const std::lock_guard lock(tracer_mutex_);
  tracer_.swap(last);
  collector_.swap(last_collector);
}

bool session_core::worth_devices(const plan::plan& on_cpu) {
  const bool asked_for = std::ranges::any_of(
      on_cpu.stages, [](const plan::stage& s) { return !s.node->stage.devices.empty(); });
  double seconds = 0;  // a loop's iterations ask for devices themselves
  for (const auto& s : on_cpu.stages)
    if (s.body == nullptr) seconds += s.seconds;
  return (asked_for || session_devices::worth_loading(seconds)) &&
         !machine_with_devices().devices.empty();
}

const cost::machine& session_core::machine_with_devices() {
  std::call_once(devices_added_, [&] {
    machine_with_devices_ = machine_;
    devices_.add_to(machine_with_devices_);
  });
  return machine_with_devices_;
}

void session_core::remember_fault(const std::string& text) {
  const std::lock_guard lock(faults_mutex_);
  faults_.push_back(text);
}

void session_core::remember_failure(const failure& where) {
  const std::lock_guard lock(faults_mutex_);
  last_failure_ = where;
}

std::optional<failure> session_core::last_failure() const {
  const std::lock_guard lock(faults_mutex_);
  return last_failure_;
}

std::vector<std::string> session_core::device_faults() {
  auto all = devices_.faults();
  const std::lock_guard lock(faults_mutex_);
  all.insert(all.end(), faults_.begin(), faults_.end());
  return all;
}

void session_core::check_alive() const {
  if (ended_)
    throw usage_error(
        "this handle's session has ended; keep the session until its last query is done");
}

void session_core::check_owner(const node& n) const {
  if (n.session.lock().get() != this)
    throw usage_error(
        fmt::format("run: expected results of this session, got \"{}\" of another one; run it "
                    "there",
                    graph::label(n)));
}

}  // namespace pappus::detail
