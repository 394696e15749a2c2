// Where each stage runs, and what that should cost.
//
// A stage's time somewhere is its memory traffic over that place's bandwidth or its work over that
// place's rate (work.cpp), whichever takes longer, the launches, the build if its kernels are in no
// cache, and copies. Which combination of places is best is found in
// placement.cpp; here stages become its steps. The CPU is a place like any other, but it wins ties
// and queries too small to be worth a search.
//
// Rows in memory are read again by every iteration of a loop but copied once, so that in a loop's
// body a copy of what doesn't change (and the build) counts for one iteration of an assumed number.
// Of wide records a device may be sent only the bytes that are read (chunk_loop/sent_parts.h): the
// host reads all of a record and writes those, so that pays where the link is slower than that, and
// only where no other reader may want the rest. It takes rates that were measured.
//
// Devices of one kind may share a stage; the CPU never shares one with a device, because their
// floats may differ in the last bit.
//
// Not here: views of rows on devices: take and concat are made on the host.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/rows.h"
#include "ops/slice.h"
#include "plan/placement.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

constexpr double assumed_iterations = 10;
/// Of a device's memory: for rows that stay, and for the chunks that pass through.
constexpr double kept_part = 0.5, passing_part = 0.5;

/// Fewer bytes of rows are kept on devices for other readers, whole.
constexpr double sent_in_parts_bytes = 4 << 20;

/// What sending `read` bytes of each record takes, to sending whole records of `size` bytes.
double sent_part(double size, double read, const cost::device_rates& to, double host_gb_per_s) {
  if (to.host_memory || to.measured.empty()) return 1;
  const double packed = (size + read) / host_gb_per_s + read / to.to_gb_per_s;
  return std::min(packed / (size / to.to_gb_per_s), 1.0);
}

/// A stage that runs, and whose place is still open.
bool is_open(const stage& s) {
  return !s.is_there() && !s.outside && !s.measured && graph::is_run(*s.node);
}

/// Of the rows it yields.
double bytes_of(const stage& s) {
  return static_cast<double>(s.rows_out.rows) * static_cast<double>(s.node->out.size);
}

/// What a stage that streams files reads of them, as far as is known.
double streamed_bytes(const plan& p, const stage& s, const stage& from) {
  const auto& file = *from.node;
  if (file.op->adds_its_inputs()) {
    double bytes = 0;
    for (const auto input : from.inputs) {
      const auto& part = p.stages[index(input)];
      bytes += part.passes_on ? streamed_bytes(p, s, part) : bytes_of(part);
    }
    return bytes;
  }
  if (file.op->file_of(file) == nullptr) return bytes_of(from);
  const auto& params = *file.op->file_of(file);
  const auto* slice = s.node->op->slice_of(*s.node);
  if (slice == nullptr || params.rows <= 0) return params.bytes;
  const auto wanted = ops::rows_wanted(*slice, 0);
  const auto part = static_cast<double>(wanted) / static_cast<double>(params.rows);
  return params.bytes * std::min(part, 1.0);
}

/// What a stage is known to take somewhere, copies excluded.
std::optional<double> measured(const stage& s, const request& asked,
                               std::span<const unsigned> devices) {
  if (!asked.ask_measured) return std::nullopt;
  const auto a_row = asked.ask_measured(s, devices);
  return a_row ? std::optional(*a_row * s.expected_in) : std::nullopt;
}

/// What the CPU says to the question that devices are asked.
ops::answer ask_cpu(const graph::node& n) {
  if (!names_device(n.stage.devices, "cpu"))
    return {.why_not = fmt::format("on(\"{}\") asks for another place", n.stage.devices)};
  return {};
}

/// Scratch that memory has no room for goes to the disk.
void leave_rows_on_disk(stage& s, const request& asked) {
  const auto limit = static_cast<double>(asked.machine.host_memory);
  const double room = std::max(limit - (s.passes_on || s.in_parts ? 0 : s.bytes.output), 0.0);
  const double too_much = s.bytes.spillable - std::min(s.bytes.spillable, room);
  s.bytes.scratch -= too_much;
  s.bytes.spillable -= too_much;
  s.rows_rest =
      too_much > 0 || (s.windowed && s.node->op->holds_of_window(*s.node).wants_all_rows());
}

/// Scratch that adapts to memory takes a quarter of it at most.
void shrink_scratch(stage& s, const request& asked) {
  const double room = static_cast<double>(asked.machine.host_memory) / 4;
  s.bytes.scratch -= s.bytes.shrinks - std::min(s.bytes.shrinks, room);
}

void size_stages(plan& p, const request& asked) {
  for (auto& s : p.stages) {
    const auto& n = *s.node;
    const bool file = n.op->file_of(n) != nullptr;
    if (!s.measured) s.where = {}, s.estimates.clear();
    s.maths_note.clear();
    const bool idle = !graph::is_run(n) && !s.windowed && !file;
    if (s.is_there() || s.outside || idle) {
      s.bytes = {};
      s.seconds = 0;
      s.how = cost::trust::counted;
      if (s.outside) continue;
      s.expected_out = static_cast<double>(s.rows_out.rows);
      if (!s.inputs.empty() && s.rows_out.known == graph::bound::certainty::unknown)
        s.expected_out = p.stages[index(s.inputs.front())].expected_out;
      continue;
    }
    s.bytes =
        n.op->bytes(n, static_cast<double>(s.rows_in.rows), static_cast<double>(s.rows_out.rows));
    for (std::size_t side = 0; side < s.sides.size(); ++side)
      s.bytes.scratch += n.op->scratch_of_side_row(n, side) *
                         static_cast<double>(p.stages[index(s.sides[side])].rows_out.rows);
    if (asked.rows_can_rest) leave_rows_on_disk(s, asked);
    shrink_scratch(s, asked);
    if (s.windowed && n.op->slice_of(n) != nullptr) s.bytes.written = s.bytes.output = bytes_of(s);
    // A stage that streams a file reads the file, not rows that were put in memory before.
    if (s.windowed) {
      const auto& from = p.stages[index(s.inputs.front())];
      const auto& op = *from.node->op;
      if (from.passes_on && (op.file_of(*from.node) != nullptr || op.adds_its_inputs())) {
        s.bytes.read = streamed_bytes(p, s, from);
        for (const auto other : std::span(s.inputs).subspan(1))
          s.bytes.read += bytes_of(p.stages[index(other)]);
      }
    }
    if (s.passes_on) s.bytes.output = 0;
    if (s.passes_on && file) s.bytes = {};  // its reader's traffic
    size_work(p, asked, s);
    s.seconds = cpu_seconds(asked.machine, s);
    if (const auto found = measured(s, asked, {})) {
      s.seconds = *found;
      s.how = s.repeats.how;  // a loop may run longer than it did
    }
  }
}

/// One device or several of a kind.
struct team {
  std::vector<unsigned> devices;
  std::string name;
  cost::device_rates rates;  ///< of the slowest
};

class placing {
 public:
  placing(plan& p, const request& asked)
      : plan_(p), asked_(asked), devices_only_(!asked.machine.cpu || !asked.only.empty()) {}

  void run() {
    find_teams();
    if (teams_.empty() || too_small_to_ask()) return;
    problem_.sites.push_back({});
    for (const auto& t : teams_) {
      const auto parts = t.devices.size();
      problem_.sites.push_back(
          {.parts = parts,
           .latency_s = t.rates.transfer_us * 1e-6,
           .to_s = 1e-9 / t.rates.to_gb_per_s,
           .from_s = 1e-9 / t.rates.from_gb_per_s,
           .kept_bytes = t.rates.memory_bytes * kept_part * static_cast<double>(parts)});
    }
    in_body_ = std::ranges::any_of(plan_.stages,
                                   [](const stage& s) { return s.node->op->is_loop_state(); });
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) add_step(i);
    for (const auto root : plan_.roots) problem_.steps[index(root)].wanted_on_host = true;
    find_parts();
    take(problem_.solve());
  }

 private:
  void find_teams() {
    if (!asked_.ask_device) return;
    const auto& devices = asked_.machine.devices;
    for (unsigned d = 0; d < devices.size(); ++d)
      if (asked_.only.empty() || std::ranges::find(asked_.only, d) != asked_.only.end())
        teams_.push_back({{d}, devices[d].name, devices[d]});
    const auto single = teams_.size();
    for (std::size_t first = 0; first < single; ++first) {
      const auto same = [&](const team& t) { return t.rates.kind == teams_[first].rates.kind; };
      if (std::any_of(teams_.begin(), teams_.begin() + static_cast<std::ptrdiff_t>(first), same))
        continue;
      team all = teams_[first];
      for (std::size_t other = first + 1; other < single; ++other)
        if (same(teams_[other])) join(all, teams_[other]);
      if (all.devices.size() > 1) teams_.push_back(std::move(all));
    }
  }

  static void join(team& all, const team& one) {
    all.devices.push_back(one.devices.front());
    all.name += "+" + one.name;
    auto& a = all.rates;
    const auto& b = one.rates;
    a.memory_bytes = std::min(a.memory_bytes, b.memory_bytes);
    a.launch_us = std::max(a.launch_us, b.launch_us);
    a.transfer_us = std::max(a.transfer_us, b.transfer_us);
    a.to_gb_per_s = std::min(a.to_gb_per_s, b.to_gb_per_s);
    a.from_gb_per_s = std::min(a.from_gb_per_s, b.from_gb_per_s);
    a.memory_gb_per_s = std::min(a.memory_gb_per_s, b.memory_gb_per_s);
    a.gops_per_s = std::min(a.gops_per_s, b.gops_per_s);
    a.build_ms = std::max(a.build_ms, b.build_ms);
  }

  /// No device can win what the CPU does in the time of one launch, and asking takes time too. A
  /// loop's iterations are placed when they run, each by itself.
  bool too_small_to_ask() const {
    if (devices_only_ || asked_.keep_history) return false;
    for (const auto& s : plan_.stages)
      if (!s.node->stage.devices.empty()) return false;
    double cpu_s = 0, launch_s = impossible;
    for (const auto& s : plan_.stages)
      if (is_open(s) && s.body == nullptr) cpu_s += s.seconds;
    for (const auto& t : teams_) launch_s = std::min(launch_s, t.rates.launch_us * 1e-6);
    return cpu_s <= launch_s;
  }

  void add_step(std::size_t i) {
    auto& s = plan_.stages[i];
    step made;
    made.bytes = bytes_of(s);
    made.run_s.assign(problem_.sites.size(), impossible);
    made.wanted_on_host = s.node->is_cached();
    for (const auto input : s.inputs) made.inputs.push_back({index(input), false});
    for (const auto side : s.sides) made.inputs.push_back({index(side), true});
    for (const auto& input : made.inputs)
      problem_.steps[input.step].readers.push_back({i, input.whole});
    if (is_open(s))
      ask(i, made);
    else
      made.run_s[fixed_site(s)] = 0;
    const bool given = s.outside || (asked_.bound != nullptr && asked_.bound->contains(s.node));
    if (in_body_ && given && !s.node->op->is_loop_state())
      made.upload_fraction = 1 / assumed_iterations;
    if (s.known && asked_.bytes_there) made.resident_bytes = bytes_there(s.known);
    problem_.steps.push_back(std::move(made));
  }

  /// Rows that exist are on the host unless a stage that has run left them where it was.
  std::size_t fixed_site(const stage& s) const {
    if (!s.where.stays) return 0;
    for (std::size_t t = 0; t < teams_.size(); ++t)
      if (teams_[t].devices == s.where.devices) return t + 1;
    return 0;
  }

  std::vector<double> bytes_there(const detail::rows_ptr& rows) const {
    std::vector<double> there{0};
    for (const auto& t : teams_) {
      double bytes = 0;
      for (const auto d : t.devices) bytes += asked_.bytes_there(rows, d);
      there.push_back(bytes);
    }
    return there;
  }

  /// What a stage costs at each place, copies excluded, and why it can't run at some.
  void ask(std::size_t i, step& made) {
    auto& s = plan_.stages[i];
    s.estimates.push_back({.where = "cpu", .work_s = s.seconds, .how = s.how});
    std::vector<ops::answer> answers(asked_.machine.devices.size());
    bool possible = false;
    for (const auto& t : teams_) {
      if (t.devices.size() == 1) answers[t.devices[0]] = asked_.ask_device(*s.node, t.devices[0]);
      if (t.devices.size() == 1 && !answers[t.devices[0]].read_bytes.empty())
        read_bytes_[i] = answers[t.devices[0]].read_bytes;
      s.estimates.push_back(estimated(s, t, answers));
      possible |= s.estimates.back().why_not.empty();
    }
    if (possible) {  // the CPU runs what no device can, even where only devices were named
      auto cpu = ask_cpu(*s.node);
      if (cpu.possible() && devices_only_) cpu.why_not = "only devices were asked for";
      s.estimates.front().why_not = std::move(cpu.why_not);
    }
    for (std::size_t site = 0; site < s.estimates.size(); ++site)
      if (s.estimates[site].why_not.empty()) made.run_s[site] = s.estimates[site].total();
  }

  /// Inputs of which parts of records are worth sending, at the sites where they are.
  void find_parts() {
    if (in_body_) return;  // sent once, and kept
    for (const auto& [i, read] : read_bytes_) {
      const auto& inputs = plan_.stages[i].inputs;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        auto& rows = problem_.steps[index(inputs[k])];
        const bool partly_there =
            std::ranges::any_of(rows.resident_bytes, [](double b) { return b > 0; });
        if (rows.readers.size() != 1 || rows.bytes <= sent_in_parts_bytes || partly_there) continue;
        const auto size = static_cast<double>(plan_.stages[index(inputs[k])].node->out.size);
        rows.record_fraction = {1};
        for (const auto& t : teams_)
          rows.record_fraction.push_back(sent_part(size, static_cast<double>(read[k]), t.rates,
                                                   asked_.machine.memory_gb_per_s));
      }
    }
  }

  /// See placement::sent_bytes.
  std::vector<std::size_t> sent_bytes(std::size_t i, const placing_problem::sites_of_steps& at) {
    std::vector<std::size_t> sent;
    bool parts = false;
    const auto& inputs = plan_.stages[i].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto j = index(inputs[k]);
      const auto& rows = problem_.steps[j];
      sent.push_back(plan_.stages[j].node->out.size);
      if (rows.record_fraction.empty() || rows.record_fraction[at[i]] == 1 || at[j] == at[i])
        continue;
      sent.back() = read_bytes_[i][k];
      parts = true;
    }
    return parts ? sent : std::vector<std::size_t>();
  }

  estimate estimated(const stage& s, const team& t, const std::vector<ops::answer>& answers) const {
    estimate e{.where = t.name, .devices = t.devices};
    if (s.windowed) {
      const auto& from = plan_.stages[index(s.inputs.front())];
      e.why_not = from.in_parts    ? "it streams rows of which parts may rest on the disk"
                  : from.passes_on ? "it streams a file; cache() before it puts the rows in memory"
                                   : "its right rows may rest on the disk";
      return e;
    }
    const auto parts = static_cast<double>(t.devices.size());
    double launches = 1, scratch = 0;
    bool built = true;
    for (const auto d : t.devices) {
      const auto& answer = answers[d];
      if (!answer.possible()) e.why_not = answer.why_not;
      if (parts > 1 && !answer.shares) e.why_not = "devices can't share its rows";
      launches = std::max(launches, answer.launches);
      scratch = std::max(scratch, answer.scratch_row_bytes);
      built &= answer.built;
    }
    double whole = 0;
    for (const auto side : s.sides) whole += bytes_of(plan_.stages[index(side)]);
    const double room = t.rates.memory_bytes * passing_part;
    if (e.why_not.empty() && whole > room)
      e.why_not =
          fmt::format("the data shared with it ({}) takes more than half of its memory ({})",
                      base::bytes_text(whole), base::bytes_text(t.rates.memory_bytes));
    // Rows that don't fit pass in chunks, each with launches of its own.
    const auto rows = static_cast<double>(s.rows_in.rows);
    const double passing = rows * (ops::input_row_bytes(*s.node) + scratch) + bytes_of(s);
    const double chunks = std::max(1.0, passing / (room * parts));
    // More than one device: to start and to join the others.
    e.launch_s = (launches * chunks + parts - 1) * t.rates.launch_us * 1e-6;
    e.build_s = built ? 0 : t.rates.build_ms * 1e-3 / (in_body_ ? assumed_iterations : 1);
    const double traffic = (s.bytes.read + s.bytes.written) / (t.rates.memory_gb_per_s * 1e9);
    e.work_s = std::max(traffic, s.work.total() / (t.rates.gops_per_s * 1e9)) / parts;
    e.how = s.functions == nullptr ? cost::trust::at_least : s.functions->how;
    if (const auto found = measured(s, asked_, t.devices)) {
      e.work_s = *found;
      e.how = cost::trust::measured;
    }
    return e;
  }

  void take(placing_problem::sites_of_steps at) {
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      auto& s = plan_.stages[i];
      if (!is_open(s)) continue;
      const auto chosen = at[i];
      if (chosen != 0) {
        s.where.devices = teams_[chosen - 1].devices;
        s.where.sent_bytes = sent_bytes(i, at);
      }
      s.where.stays = problem_.stays(i, at);
      s.seconds = s.estimates[chosen].total() + problem_.copies_made_at(i, at);
      s.how = s.estimates[chosen].how;
      for (std::size_t site = 0; site < s.estimates.size(); ++site) {
        if (!s.estimates[site].why_not.empty()) continue;
        at[i] = site;
        s.estimates[site].transfer_s = problem_.copies_because_of(i, at);
      }
      at[i] = chosen;
    }
  }

  plan& plan_;
  const request& asked_;
  const bool devices_only_;
  bool in_body_ = false;
  std::vector<team> teams_;
  placing_problem problem_;
  std::map<std::size_t, std::vector<std::size_t>> read_bytes_;  // by stage, of each input
};

}  // namespace

void place_stages(plan& p, const request& asked) {
  size_stages(p, asked);
  placing(p, asked).run();
  for (auto& s : p.stages)
    if (is_open(s)) s.maths_note = maths_note(asked.machine, s);
}

}  // namespace pappus::plan
