// Tells the user why a stage runs where it does.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/text.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

const estimate* chosen_of(const stage& s) {
  for (const auto& e : s.estimates)
    if (e.devices == s.where.devices) return &e;
  return nullptr;
}

/// "transfer 2.00 ms, launch 40.0 us, work 1.06 ms".
std::string parts_text(const estimate& e) {
  std::string text;
  const auto add = [&](const char* name, double seconds) {
    if (seconds <= 0) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", name, base::time_text(seconds));
  };
  add("transfer", e.transfer_s);
  add("launch", e.launch_s);
  add("build", e.build_s);
  add("work", e.work_s);
  return text;
}

/// "; sends 12 of 80 bytes a row; its rows stay there".
std::string rows_text(const stage& s) {
  std::string text;
  if (const auto& sent = s.where.sent_bytes; !sent.empty()) {
    std::size_t all = 0;
    for (const auto& input : s.node->stage.inputs) all += input->out.size;
    text = fmt::format("; sends {} of {} bytes a row",
                       std::accumulate(sent.begin(), sent.end(), std::size_t{0}), all);
  }
  return s.where.stays ? text + "; its rows stay there" : text;
}

}  // namespace

bool names_device(std::string_view list, std::string_view device) {
  if (list.empty()) return true;
  const auto kind = device.substr(0, device.find(':'));
  const auto names = base::comma_list(list);
  return std::ranges::any_of(names, [&](auto name) { return name == device || name == kind; });
}

std::string predicted_text(double seconds, cost::trust how) {
  const auto time = base::time_text(seconds);
  if (how == cost::trust::guessed) return "guess " + time;
  return how == cost::trust::at_least ? "at least " + time : time;
}

std::string where_text(const stage& s) {
  if (const auto* e = chosen_of(s)) return e->where;
  if (s.where.devices.empty()) return "cpu";
  std::string text = "device";
  for (const auto d : s.where.devices) text += fmt::format(" {}", d);
  return text;
}

std::string reasons_text(const stage& s) {
  const auto* chosen = chosen_of(s);
  if (chosen == nullptr) return {};
  const estimate* next = nullptr;  // the best of the others that could run it
  const estimate* refused = nullptr;
  bool same_refusal = true;
  for (const auto& e : s.estimates) {
    if (!e.why_not.empty()) {
      same_refusal &= refused == nullptr || refused->why_not == e.why_not;
      refused = &e;
    } else if (&e != chosen && (next == nullptr || e.total() < next->total())) {
      next = &e;
    }
  }
  if (chosen->devices.empty() && next == nullptr && refused != nullptr && same_refusal)
    return fmt::format("     on the CPU: {}\n", refused->why_not);
  std::string text =
      fmt::format("     on {}, {}", chosen->devices.empty() ? "the CPU" : chosen->where,
                  predicted_text(chosen->total(), chosen->how));
  if (next != nullptr)
    text +=
        fmt::format("; {} would take {}", next->where, predicted_text(next->total(), next->how));
  if (s.rows_in.known == graph::bound::certainty::unknown)
    text += "; decided again once its rows are known";
  text += "\n";
  for (const auto& e : s.estimates)
    text += e.why_not.empty() ? fmt::format("       {}: {}{}\n", e.where, parts_text(e),
                                            &e == chosen ? rows_text(s) : "")
                              : fmt::format("       not on {}: {}\n", e.where, e.why_not);
  return text;
}

}  // namespace pappus::plan
