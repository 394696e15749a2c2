#include "session/core.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "base/environment.h"
#include "base/text.h"
#include "pappus/error.h"

namespace pappus::detail {
options resolved(options settings) {
  if (settings.threads == 0) {
    const char* text = base::environment("PAPPUS_THREADS");
    settings.threads =
        text != nullptr
            ? static_cast<unsigned>(base::parse_count(text, "PAPPUS_THREADS", 1, threads_max))
            : threads::available_cores();
  }
  if (settings.threads > threads_max)
    throw usage_error(fmt::format("options::threads: expected at most {}, got {}", threads_max,
                                  settings.threads));
  if (settings.host_memory == 0) {
    const char* text = base::environment("PAPPUS_HOST_MEMORY");
    settings.host_memory =
        text != nullptr ? base::parse_bytes(text, "PAPPUS_HOST_MEMORY") : memory::default_limit();
  }
  if (settings.chunk_rows == 0)
    if (const char* text = base::environment("PAPPUS_CHUNK_ROWS"))
      settings.chunk_rows = base::parse_count(text, "PAPPUS_CHUNK_ROWS", 1);
  if (settings.chunk_rows < 0)
    throw usage_error(
        fmt::format("options::chunk_rows: expected 0 (the planner's choice) or more, "
                    "got {}",
                    settings.chunk_rows));
  // More rows than memory holds is one chunk; the bound keeps sums of sizes within 64 bits.
  settings.chunk_rows = std::min(settings.chunk_rows, std::int64_t{1} << 40);
  if (settings.devices.empty())
    if (const char* text = base::environment("PAPPUS_DEVICES")) settings.devices = text;
  if (settings.device_memory == 0)
    if (const char* text = base::environment("PAPPUS_DEVICE_MEMORY"))
      settings.device_memory = base::parse_bytes(text, "PAPPUS_DEVICE_MEMORY");
  if (settings.trace.empty())
    if (const char* text = base::environment("PAPPUS_TRACE")) settings.trace = text;
  return settings;
}

session_core::session_core(const options& settings)
    : settings_(resolved(settings)),
      machine_(cost::this_machine(settings_.threads, settings_.host_memory)),
      memory_(std::make_shared<memory::pool>(settings_.host_memory)),
      devices_(settings_.devices, settings_.device_memory, memory_),
      team_(threads::make_team(settings_.threads)),
      progress_(settings_.progress < 0 ? ::isatty(STDERR_FILENO) == 1 : settings_.progress > 0),
      explain_only_(base::environment("PAPPUS_EXPLAIN")) {
  if (!settings_.trace.empty()) tracer_ = trace::open_sink(settings_.trace);
}

node_ptr session_core::add(node_request request) {
  check_alive();
  auto n = std::make_shared<node>();
  n->id = nodes_.fetch_add(1, std::memory_order_relaxed);
  n->kind = request.kind;
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
  std::shared_ptr<trace::sink> last;  // the last session that traces to a file writes it
  const std::lock_guard lock(tracer_mutex_);
  tracer_.swap(last);
}

bool session_core::worth_devices(const plan::plan& on_cpu) {
  const bool asked_for = std::ranges::any_of(
      on_cpu.stages, [](const plan::stage& s) { return !s.node->stage.devices.empty(); });
  return (asked_for || session_devices::worth_loading(on_cpu.seconds())) &&
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

node_ptr make_node(const session_ptr& session, node_request request) {
  return session->add(std::move(request));
}

void refuse_range(const std::string& begin, const std::string& end, std::string_view type) {
  throw usage_error(
      fmt::format("range: expected ends of the type that both have in common, {}, got {} and {}; "
                  "convert one of them",
                  type, begin, end));
}

std::int64_t range_rows(std::uint64_t n) {
  if (n > INT64_MAX)
    throw usage_error(
        fmt::format("range: expected at most {} integers, got {}; split the range", INT64_MAX, n));
  return static_cast<std::int64_t>(n);
}

std::uint64_t next_op_id() noexcept {
  static std::atomic<std::uint64_t> ids{1};
  return ids.fetch_add(1, std::memory_order_relaxed);
}

std::vector<rows_ptr> evaluate(const session_ptr& session, std::span<const node_ptr> roots) {
  return session->evaluate(roots);
}

rows_ptr evaluate_contiguous(const session_ptr& session, const node_ptr& root) {
  const std::array roots{root};
  return session->make_contiguous(session->evaluate(roots).front());
}

node_ptr cached_node(const session_ptr& session, const node_ptr& rows, bool others_have_it) {
  auto kept = rows;
  if (others_have_it) {
    auto everything = std::make_shared<slice_params>();
    everything->take = INT64_MAX;
    stage_spec stage;
    stage.inputs = {rows};
    kept = make_node(session,
                     {op_kind::slice, "cache", rows->out, std::move(stage), std::move(everything)});
  }
  kept->cached = true;
  return kept;
}

std::string explain(const session_ptr& session, const node_ptr& root, explain_format format) {
  return session->explain({&root, 1}, format);
}

std::string explain_analyze(const session_ptr& session, const node_ptr& root) {
  std::string report;
  const std::array roots{root};
  session->evaluate(roots, {}, &report);
  return report;
}

rows_ptr copy_rows(const session_ptr& session, record_type layout, const void* data,
                   std::int64_t n) {
  session->check_alive();
  const auto bytes = static_cast<std::size_t>(n) * layout.size;
  block memory(*session->memory(), bytes, "from");
  if (bytes != 0) std::memcpy(memory.data(), data, bytes);
  return algorithms::rows_in(std::move(memory), layout, n, session->memory());
}

}  // namespace pappus::detail

namespace pappus {

session::session(const options& settings, detail::build_settings)
    : core_(std::make_shared<detail::session_core>(settings)) {}
session::~session() {
  if (core_) core_->end();
}
session::session(session&&) noexcept = default;
session& session::operator=(session&& other) noexcept {
  if (this != &other) {
    if (core_) core_->end();
    core_ = std::move(other.core_);
  }
  return *this;
}

std::vector<std::string> session::device_faults() const { return core_->device_faults(); }
std::optional<failure> session::last_failure() const { return core_->last_failure(); }
void session::cancel() noexcept { core_->cancel(); }
unsigned session::threads() const noexcept { return core_->settings().threads; }
std::size_t session::host_memory() const noexcept { return core_->memory()->limit(); }
std::size_t session::host_memory_used() const noexcept { return core_->memory()->in_use(); }
std::size_t session::host_memory_peak() const noexcept { return core_->memory()->peak(); }

}  // namespace pappus
