#include "report/page.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/svg.h"
#include "base/text.h"
#include "plan/plan.h"
#include "report/advice.h"
#include "report/pictures.h"
#include "report/style.h"

namespace pappus::report {
namespace {

using base::bytes_text, base::count_text, base::escaped_xml, base::time_text;

// What is beyond that is only counted.
constexpr std::size_t shown_queries_max = 40, open_queries_max = 3, shown_launches_max = 20;

/// An element. \param inside  as it stands in the page
std::string element(std::string_view tag, std::string_view kind, std::string_view inside) {
  return kind.empty() ? fmt::format("<{0}>{1}</{0}>\n", tag, inside)
                      : fmt::format("<{0} class=\"{1}\">{2}</{0}>\n", tag, kind, inside);
}

std::string tile(std::string_view figure, std::string_view what) {
  return element("div", "tile",
                 fmt::format("<b>{}</b><span>{}</span>", escaped_xml(figure), escaped_xml(what)));
}

std::string times_text(std::int64_t n) {
  return n == 1 ? "once" : n == 2 ? "twice" : count_text(n) + " times";
}

/// Of so many in a time; "–" where that is too short to tell.
std::string rate_text(double amount, double seconds) {
  constexpr double shortest_s = 1e-5, whole = 100, least = 0.01;
  if (amount <= 0 || seconds < shortest_s) return "–";
  const double rate = amount / seconds;
  if (rate < least) return "< 0.01";
  return rate < whole ? fmt::format("{:.2g}", rate)
                      : base::count_text(static_cast<std::int64_t>(rate));
}

std::string tiles_of(const page_content& of) {
  auto text =
      tile(time_text(of.seconds), of.sessions > 1 ? fmt::format("in {} sessions", of.sessions)
                                                  : std::string("in the session"));
  text += tile(count_text(of.runs),
               fmt::format("quer{} ran, {}", of.runs == 1 ? "y" : "ies", time_text(of.runs_s)));
  if (of.batches > 0)
    text += tile(count_text(of.batches),
                 fmt::format("batch{} of launches ran, {}", of.batches == 1 ? "" : "es",
                             time_text(of.batches_s)));
  text += tile(count_text(of.machine.threads), of.machine.threads == 1 ? "thread" : "threads");
  text += tile(bytes_text(of.peak),
               fmt::format("of memory at most, {} allowed", bytes_text(of.machine.budget)));
  if (of.spilled > 0)
    text += tile(bytes_text(of.spilled),
                 fmt::format("went to the disk, {} came back", bytes_text(of.read_back)));
  return element("div", "tiles", text);
}

std::string advice_of(const page_content& of) {
  std::string items;
  for (const auto& fault : of.device_faults)
    items += element(
        "li", "fault",
        fmt::format("{}<br/><span><code>docs/guides/devices.md</code></span>", escaped_xml(fault)));
  std::vector<std::pair<advice, std::string>> by_remedy;  // with what was found
  for (auto& one : advice_on(of)) {
    const auto same = std::ranges::find_if(
        by_remedy, [&](const auto& known) { return known.first.remedy == one.remedy; });
    const auto finding = escaped_xml(one.finding) + ".<br/>";
    if (same == by_remedy.end())
      by_remedy.emplace_back(std::move(one), finding);
    else
      same->second += finding;
  }
  for (const auto& [one, findings] : by_remedy)
    items += element("li", "",
                     fmt::format("{}<span>{}. <code>docs/{}</code></span>", findings,
                                 escaped_xml(one.remedy), escaped_xml(one.page)));
  auto text = element("h2", "", "What to improve");
  if (!items.empty()) return text + element("ul", "advice", items);
  return text + element("p", "sub", "Nothing that Pappus knows of.");
}

std::string timeline_of(const page_content& of) {
  const auto& tracks = of.over_time.tracks;
  if (tracks.empty()) return {};
  std::int64_t spans = of.over_time.left_out;
  for (const auto& track : tracks) spans += track.spans;
  auto note = fmt::format(
      "Threads, devices and disks. What took less than {} is drawn with its neighbours: {} spans "
      "in all",
      time_text(of.over_time.slot_s), count_text(spans));
  if (of.over_time.left_out > 0)
    note += fmt::format(", {} of which are left out", count_text(of.over_time.left_out));
  return element("h2", "", "Timeline") +
         element("p", "sub", note + ". At the right, how much of the time each was busy.") +
         element("div", "scroll", draw_timeline(of.over_time));
}

std::string memory_of(const page_content& of) {
  if (of.over_time.memory.empty()) return {};
  return element("h2", "", "Memory") +
         element("div", "scroll", draw_memory(of.over_time, of.machine.budget));
}

/// What is said of a stage below its figures.
std::string notes_text(const stage_facts& s) {
  std::string text;
  const auto add = [&](const std::string& note) {
    if (!note.empty()) text += (text.empty() ? "" : "; ") + note;
  };
  for (const auto& step : s.steps)
    add(fmt::format("{} {}{}", step.name, time_text(step.seconds),
                    step.threads > 0 ? fmt::format(" on {}", step.threads) : std::string()));
  add(operators_text(s));
  for (const auto& note : s.notes) add(note);
  for (const auto& note : s.planned) add(note);
  for (const auto& note : s.repeats) add(note);
  add(s.maths);
  for (const auto& why : s.refused) add("not on " + why);
  return text;
}

std::string kept_text(double part) {
  constexpr double least = 1e-4;
  return part > 0 && part < least ? "< 0.01 %" : fmt::format("{:.3g} %", part * 100);
}

std::string row_of(std::size_t number, const stage_facts& s) {
  const auto cell = [](std::string_view text) { return "<td>" + escaped_xml(text) + "</td>"; };
  const auto name = escaped_xml(fmt::format("s{} {}", number, s.label));
  const bool there = s.what == stage_facts::kind::is_there;
  const bool file = s.what == stage_facts::kind::reads_file;
  const auto rows = static_cast<double>(file ? s.rows_out : s.rows_in);
  auto text = "<td>" + name + "</td>";
  text += cell(file || there ? "–" : count_text(s.rows_in)) + cell(count_text(s.rows_out));
  text += cell(file || there || s.rows_in == 0 || s.index_bytes > 0
                   ? "–"
                   : kept_text(static_cast<double>(s.rows_out) / rows));
  text += cell(there ? "–" : bytes_text(s.bytes)) + cell(there ? "–" : time_text(s.seconds));
  text += cell(there ? "–" : plan::predicted_text(s.predicted_s, s.predicted_how));
  text += cell(there ? "–" : rate_text(rows * 1e-6, s.seconds));
  text += cell(there ? "–" : rate_text(s.bytes * 1e-6, s.seconds));
  text += cell(s.threads > 0 ? count_text(static_cast<std::int64_t>(s.threads)) : "–");
  text += cell(there ? "memory" : file ? "file" : s.place);
  const auto notes = notes_text(s);
  if (notes.empty()) return element("tr", "", text);
  return element("tr", "noted", text) +
         element("tr", "notes", "<td colspan=\"11\">" + escaped_xml(notes) + "</td>");
}

std::string table_of(const query_facts& q) {
  std::string head;
  for (const char* name : {"stage", "rows in", "rows out", "kept", "bytes", "time", "predicted",
                           "M rows/s", "MB/s", "threads", "where"})
    head += fmt::format("<th>{}</th>", name);
  std::string rows = element("tr", "", head);
  for (std::size_t i = 0; i < std::min(q.stages.size(), drawn_stages_max); ++i)
    rows += row_of(i, q.stages[i]);
  return element("div", "scroll", element("table", "", rows));
}

/// "flights.csv → filter·group_by.sum → top": what is read, and what is computed.
std::string name_of(const query_facts& q) {
  std::string text;
  for (const auto& s : q.stages)
    if (s.what != stage_facts::kind::is_there || q.stages.size() == 1)
      text += (text.empty() ? "" : " → ") + s.label;
  return base::shortened(text.empty() ? q.stages.back().label : text, 110);
}

std::string query_of(const query_facts& q, std::size_t number, bool open, unsigned threads) {
  auto about = fmt::format("ran {}, {}", times_text(q.runs), time_text(q.sum_s));
  if (q.runs > 1)
    about += fmt::format(" together, from {} to {}; this is the longest run", time_text(q.least_s),
                         time_text(q.seconds));
  if (q.spilled > 0 || q.read_back > 0)
    about += fmt::format("; {} went to the spill file, {} came back", bytes_text(q.spilled),
                         bytes_text(q.read_back));
  return fmt::format(
             "<details{}><summary><b>{}.</b> <code>{}</code><br/><span>{}</span></summary>\n",
             open ? " open=\"open\"" : "", number, escaped_xml(name_of(q)), escaped_xml(about)) +
         element("div", "scroll", draw_query(q, threads)) + table_of(q) + "</details>\n";
}

std::string queries_of(const page_content& of) {
  auto text = element("h2", "", "Queries");
  if (of.failures > 0)
    text += element("p", "sub",
                    fmt::format("{} failed; the last: {}", count_text(of.failures),
                                escaped_xml(of.last_failure)));
  if (of.queries.empty()) return text + element("p", "sub", "None ran.");
  std::vector<std::size_t> by_time;
  for (std::size_t i = 0; i < of.queries.size(); ++i) by_time.push_back(i);
  std::ranges::sort(by_time, {}, [&](std::size_t i) { return std::pair(-of.queries[i].sum_s, i); });
  const auto shown = std::min(by_time.size(), shown_queries_max);
  text += element("p", "sub",
                  "Those that took longest first, numbered in the order in which they first ran. "
                  "Bars are times, marks what was predicted; dashed arrows are rows that each call "
                  "sees whole.");
  for (std::size_t i = 0; i < shown; ++i)
    text +=
        query_of(of.queries[by_time[i]], by_time[i] + 1, i < open_queries_max, of.machine.threads);
  std::int64_t others = of.other_runs;
  double others_s = of.other_runs_s;
  for (std::size_t i = shown; i < by_time.size(); ++i) {
    others += of.queries[by_time[i]].runs;
    others_s += of.queries[by_time[i]].sum_s;
  }
  if (others > 0)
    text += element("p", "sub",
                    fmt::format("... and {} runs of other queries, {}.", count_text(others),
                                time_text(others_s)));
  return text;
}

std::string launches_of(const page_content& of) {
  if (of.launches.empty()) return {};
  std::string rows =
      "<tr><th>launches over arrays</th><th>in a batch</th><th>batches</th><th>time</th>"
      "<th>longest</th><th>where</th></tr>\n";
  for (std::size_t i = 0; i < std::min(of.launches.size(), shown_launches_max); ++i) {
    const auto& one = of.launches[i];
    rows +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    escaped_xml(one.label), count_text(one.launches), count_text(one.runs),
                    time_text(one.sum_s), time_text(one.seconds), escaped_xml(one.place));
  }
  auto text = element("h2", "", "Launches") + element("div", "scroll", element("table", "", rows));
  if (of.launches.size() > shown_launches_max)
    text +=
        element("p", "sub",
                fmt::format("... and {} other batches.", of.launches.size() - shown_launches_max));
  return text;
}

}  // namespace

std::string page_text(const page_content& of) {
  const std::string program = escaped_xml(program_invocation_short_name);
  auto body = element("h1", "", "What Pappus ran");
  body +=
      element("p", "sub",
              fmt::format("{}, process {}, {:%Y-%m-%d %H:%M:%S}. {}", program, ::getpid(),
                          fmt::localtime(std::time(nullptr)), escaped_xml(of.machine.processor)));
  body += tiles_of(of) + advice_of(of) + timeline_of(of) + memory_of(of) + queries_of(of) +
          launches_of(of);
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<title>{}: what Pappus ran</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<style>{}</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      program, page_style, body);
}

}  // namespace pappus::report
