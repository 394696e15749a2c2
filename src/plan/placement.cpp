#include "plan/placement.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pappus::plan {
namespace {

constexpr std::size_t host = 0;

std::size_t least(const std::vector<double>& costs) {
  return static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
}

}  // namespace

bool placing_problem::kept(std::size_t i, std::size_t site) const {
  return site == host || steps[i].bytes <= sites[site].kept_bytes;
}

double placing_problem::upload(std::size_t i, std::size_t to, bool whole) const {
  const auto& s = steps[i];
  const double missing =
      s.resident_bytes.empty() ? s.bytes : std::max(s.bytes - s.resident_bytes[to], 0.0);
  if (missing == 0) return 0;
  // What doesn't fit is sent again each time.
  const double fitting = std::min(1.0, sites[to].kept_bytes / s.bytes);
  const double paid = 1 - fitting * (1 - s.upload_fraction);
  const auto parts = static_cast<double>(whole ? 1 : sites[to].parts);
  const double sent = s.record_fraction.empty() ? 1 : s.record_fraction[to];
  return paid * (sites[to].latency_s + missing * sent * sites[to].to_s / parts);
}

double placing_problem::download(std::size_t i, std::size_t from) const {
  return sites[from].latency_s +
         steps[i].bytes * sites[from].from_s / static_cast<double>(sites[from].parts);
}

bool placing_problem::comes_back(std::size_t i, const sites_of_steps& at,
                                 std::size_t ignored) const {
  if (at[i] == host) return false;
  return steps[i].wanted_on_host || std::ranges::any_of(steps[i].readers, [&](const auto& reader) {
           return reader.step != ignored && (at[reader.step] != at[i] || !kept(i, at[i]));
         });
}

double placing_problem::uploads_to(std::size_t i, std::size_t to, const sites_of_steps& at,
                                   std::size_t ignored) const {
  if (to == host || (to == at[i] && kept(i, to))) return 0;
  bool whole = false;
  int readers = 0;
  for (const auto& reader : steps[i].readers) {
    if (reader.step == ignored || at[reader.step] != to) continue;
    ++readers;
    whole |= reader.whole;
  }
  if (readers == 0) return 0;
  return upload(i, to, whole) * (kept(i, to) ? 1 : readers);
}

double placing_problem::copies_of(std::size_t i, const sites_of_steps& at,
                                  std::size_t ignored) const {
  double seconds = comes_back(i, at, ignored) ? download(i, at[i]) : 0;
  for (std::size_t to = host + 1; to < sites.size(); ++to)
    seconds += uploads_to(i, to, at, ignored);
  return seconds;
}

double placing_problem::total(const sites_of_steps& at) const {
  double seconds = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    seconds += steps[i].run_s[at[i]] + copies_of(i, at, nobody);
  return seconds;
}

double placing_problem::copies_because_of(std::size_t i, const sites_of_steps& at) const {
  double seconds = copies_of(i, at, nobody);
  const auto& inputs = steps[i].inputs;
  for (auto input = inputs.begin(); input != inputs.end(); ++input) {
    const auto same = [&](const step::edge& e) { return e.step == input->step; };
    if (std::any_of(inputs.begin(), input, same)) continue;
    seconds += copies_of(input->step, at, nobody) - copies_of(input->step, at, i);
  }
  return seconds;
}

double placing_problem::copies_made_at(std::size_t i, const sites_of_steps& at) const {
  double seconds = comes_back(i, at, nobody) ? download(i, at[i]) : 0;
  for (const auto& input : steps[i].inputs) {
    const double all = uploads_to(input.step, at[i], at, nobody);
    if (all == 0) continue;
    const auto& readers = steps[input.step].readers;
    const auto here = [&](const step::edge& e) { return at[e.step] == at[i]; };
    if (!kept(input.step, at[i]))
      seconds += all / static_cast<double>(std::ranges::count_if(readers, here));
    else if (std::ranges::find_if(readers, here)->step == i)
      seconds += all / static_cast<double>(std::ranges::count_if(
                           steps[i].inputs, [&](const auto& e) { return e.step == input.step; }));
  }
  return seconds;
}

bool placing_problem::stays(std::size_t i, const sites_of_steps& at) const {
  return at[i] != host && !comes_back(i, at, nobody);
}

/// What step i costs at a site whoever reads it.
double placing_problem::alone(std::size_t i, std::size_t site) const {
  const double back = site != host && steps[i].wanted_on_host ? download(i, site) : 0;
  return steps[i].run_s[site] + back;
}

/// What one reader at `to` adds.
double placing_problem::link(std::size_t i, std::size_t from, std::size_t to, bool whole) const {
  if (from == to && kept(i, from)) return 0;
  const double back = from != host && !steps[i].wanted_on_host ? download(i, from) : 0;
  return back + (to == host ? 0 : upload(i, to, whole));
}

placing_problem::sites_of_steps placing_problem::from_the_leaves() const {
  std::vector<std::vector<double>> best(steps.size(), std::vector<double>(sites.size()));
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t site = 0; site < sites.size(); ++site) {
      best[i][site] = alone(i, site);
      for (const auto& input : steps[i].inputs) {
        const auto share = static_cast<double>(steps[input.step].readers.size());
        double cheapest = impossible;
        for (std::size_t from = 0; from < sites.size(); ++from)
          cheapest = std::min(cheapest,
                              best[input.step][from] + link(input.step, from, site, input.whole));
        best[i][site] += cheapest / share;
      }
    }
  sites_of_steps at(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    for (std::size_t site = 0; site < sites.size(); ++site)
      for (const auto& reader : steps[i].readers)
        best[i][site] += link(i, site, at[reader.step], reader.whole);
    at[i] = least(best[i]);
  }
  return at;
}

placing_problem::sites_of_steps placing_problem::all_at(std::size_t site) const {
  sites_of_steps at(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& run = steps[i].run_s;
    at[i] = run[site] != impossible ? site : run[host] != impossible ? host : least(run);
  }
  return at;
}

void placing_problem::improve(sites_of_steps& at) const {
  constexpr int sweeps_max = 16;
  bool better = true;
  for (int sweep = 0; better && sweep < sweeps_max; ++sweep) {
    better = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::size_t best = at[i];
      double least_s = steps[i].run_s[best] + copies_because_of(i, at);
      for (std::size_t site = 0; site < sites.size(); ++site) {
        if (steps[i].run_s[site] == impossible || site == best) continue;
        const auto before = std::exchange(at[i], site);
        const double seconds = steps[i].run_s[site] + copies_because_of(i, at);
        at[i] = before;
        if (seconds < least_s * (1 - 1e-9)) {  // rounding must not send it to and fro
          least_s = seconds;
          best = site;
        }
      }
      better |= best != at[i];
      at[i] = best;
    }
  }
}

placing_problem::sites_of_steps placing_problem::solve() const {
  sites_of_steps best;
  double least_s = impossible;
  const auto consider = [&](sites_of_steps at) {
    improve(at);
    const double seconds = total(at);
    if (!best.empty() && seconds >= least_s * (1 - 1e-9)) return;
    least_s = seconds;
    best = std::move(at);
  };
  for (std::size_t site = 0; site < sites.size(); ++site) consider(all_at(site));
  consider(from_the_leaves());
  return best;
}

}  // namespace pappus::plan
