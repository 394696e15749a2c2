#include "report/advice.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace pappus::report {
namespace {

using base::bytes_text, base::count_text, base::time_text;

bool is_compressed(std::string_view path) {
  return path.ends_with(".gz") || path.ends_with(".zst");
}

bool reads(const stage_facts& s) { return s.what == stage_facts::kind::reads_file; }

}  // namespace

std::optional<advice> ran_on_one_thread(const std::string& name, const stage_facts& s,
                                        unsigned threads) {
  constexpr double long_s = 0.05;
  const step_facts* longest = nullptr;
  for (const auto& step : s.steps)
    if (step.threads <= 1 && (longest == nullptr || step.seconds > longest->seconds))
      longest = &step;
  if (threads < 2 || s.place != "cpu" || longest == nullptr || longest->seconds < long_s)
    return std::nullopt;
  return advice{fmt::format("{}: its step \"{}\" took {} on 1 of {} threads", name, longest->name,
                            time_text(longest->seconds), threads),
                "It had too little to share: one item of rows, or one group, is one thread's; "
                "smaller chunk_rows, or more groups, let others take part",
                "guides/environment.md", longest->seconds * (1 - 1.0 / threads)};
}

std::optional<advice> kept_off_devices(const std::string& name, const stage_facts& s) {
  if (s.refused.empty() || s.place != "cpu" || s.seconds < seconds_of_interest) return std::nullopt;
  return advice{
      fmt::format("{}: {} on the CPU; not on {}", name, time_text(s.seconds), s.refused.front()),
      "Each reason, and what to do about it, is in the documentation", "guides/compiler.md",
      s.seconds};
}

std::optional<advice> moved_to_cpu(const std::string& name, const stage_facts& s) {
  if (!s.moved_to_cpu) return std::nullopt;
  const auto why = s.notes.empty() ? std::string() : ": " + s.notes.front();
  return advice{fmt::format("{}: a device was to run it, and the CPU did, in {}{}", name,
                            time_text(s.seconds), why),
                "More memory for the device (PAPPUS_DEVICE_MEMORY) where that was short",
                "guides/devices.md", s.seconds};
}

std::optional<advice> maths_one_at_a_time(const std::string& name, const stage_facts& s) {
  if (s.maths.empty() || s.seconds < seconds_of_interest) return std::nullopt;
  return advice{fmt::format("{}: {}; it took {}", name, s.maths, time_text(s.seconds)),
                "FLOATS fast allows vector functions for functions of yours, whose last digits "
                "may differ",
                "guides/compiler.md#numbers", s.seconds};
}

std::optional<advice> copies_longer_than_kernels(const std::string& name, const stage_facts& s) {
  if (s.place == "cpu" || s.copies_s <= s.kernels_s || s.seconds < seconds_of_interest)
    return std::nullopt;
  return advice{fmt::format("{}: took {} on {}, of which copies were predicted to take {}, kernels "
                            "{}",
                            name, time_text(s.seconds), s.place, time_text(s.copies_s),
                            time_text(s.kernels_s)),
                "Rows that several queries read stay there with .cache(); smaller records, and "
                "more stages on the device, are fewer bytes to copy",
                "guides/devices.md", s.seconds};
}

std::optional<advice> index_beyond_caches(const std::string& name, const stage_facts& index,
                                          const stage_facts& joins, const machine_facts& on) {
  if (index.index_bytes <= on.last_cache || on.last_cache <= 0 ||
      joins.seconds < seconds_of_interest)
    return std::nullopt;
  return advice{
      fmt::format("{}: looks keys up in an index of {} rows, about {}, while cores share {} of "
                  "cache; it took {}",
                  name, count_text(index.rows_in), bytes_text(index.index_bytes),
                  bytes_text(on.last_cache), time_text(joins.seconds)),
      "Fewer right rows (a filter, or distinct, before the join), or shorter keys, make a smaller "
      "index; the smaller side belongs on the right",
      "operators/join.md", joins.seconds};
}

std::optional<advice> text_of_unused_columns(const std::string& name, const stage_facts& s) {
  if (!reads(s) || !s.text || s.used_columns * 2 > s.columns || s.seconds < seconds_of_interest)
    return std::nullopt;
  const double unused = 1 - static_cast<double>(s.used_columns) / static_cast<double>(s.columns);
  return advice{fmt::format("{}: {} of text took {} to read for {} of its {} columns", name,
                            bytes_text(s.bytes), time_text(s.seconds), s.used_columns, s.columns),
                "Text is read as a whole; of a Parquet file only the columns that are looked at",
                "guides/files.md#parquet", s.seconds * unused};
}

std::optional<advice> computed_twice(const std::string& name, const stage_facts& s) {
  if (s.repeats.empty() || s.seconds < seconds_of_interest) return std::nullopt;
  return advice{fmt::format("{}: {}; it took {}", name, s.repeats.front(), time_text(s.seconds)),
                "materialise() shares rows within a run, .cache() between runs",
                "guides/sharing.md", s.seconds};
}

std::optional<advice> went_to_the_disk(const std::string& name, const query_facts& q,
                                       const machine_facts& on) {
  if (q.spilled <= 0 && q.read_back <= 0) return std::nullopt;
  return advice{
      fmt::format("{}: memory was short of {}: {} went to the spill file, {} came back", name,
                  bytes_text(on.budget), bytes_text(q.spilled), bytes_text(q.read_back)),
      "A larger budget (PAPPUS_HOST_MEMORY), if the machine has it; narrower records, and filters "
      "before what keeps rows",
      "guides/memory.md#cached-rows-on-the-disk", q.sum_s};
}

std::optional<advice> many_short_runs(const std::string& name, const query_facts& q) {
  constexpr std::int64_t many = 1000;
  constexpr double short_s = 200e-6;
  const double mean = q.sum_s / static_cast<double>(q.runs);
  if (q.runs < many || mean > short_s) return std::nullopt;
  return advice{fmt::format("{}: ran {} times, {} each, {} together", name, count_text(q.runs),
                            time_text(mean), time_text(q.sum_s)),
                "Of so short a query most is planning: s.run(a, b, ...) computes several results "
                "in one go, group_by those of many keys, do_while loops without leaving it",
                "guides/sharing.md", q.sum_s};
}

std::vector<advice> read_again(std::span<const query_facts> queries) {
  struct total {
    std::int64_t times = 0;
    double seconds = 0;
  };
  std::map<std::string, total> files;
  for (const auto& q : queries)
    for (const auto& s : q.stages) {
      if (!reads(s)) continue;
      files[s.path].times += q.runs;
      files[s.path].seconds += s.seconds * static_cast<double>(q.runs);
    }
  std::vector<advice> all;
  for (const auto& [path, of] : files) {
    if (of.times < 2 || of.seconds < seconds_of_interest) continue;
    const auto saved = of.seconds * (1 - 1.0 / static_cast<double>(of.times));
    all.push_back({fmt::format("{}: was read {} times, in about {}", path, count_text(of.times),
                               time_text(of.seconds)),
                   ".cache() keeps its rows, in memory or on the disk, once they are read",
                   "operators/cache.md", saved});
  }
  return all;
}

std::optional<advice> computed_again(const recomputed_facts& of) {
  if (of.times < 2 || of.seconds < seconds_of_interest) return std::nullopt;
  return advice{fmt::format("{}: one collection was computed {} times, in {}", of.label,
                            count_text(of.times), time_text(of.seconds)),
                ".cache() keeps its rows once they are computed", "operators/cache.md",
                of.seconds * (1 - 1.0 / static_cast<double>(of.times))};
}

std::optional<advice> waited_for_decompression(std::span<const query_facts> queries,
                                               double decompression_s) {
  constexpr double most = 0.7;
  double reading = 0;
  for (const auto& q : queries)
    for (const auto& s : q.stages)
      if (reads(s) && is_compressed(s.path)) reading += s.seconds * static_cast<double>(q.runs);
  if (reading < seconds_of_interest || decompression_s < most * reading) return std::nullopt;
  return advice{fmt::format("Decompression took {} of about {} in which compressed text was read",
                            time_text(decompression_s), time_text(reading)),
                "One thread decompresses a file: several files are read side by side, zstd takes "
                "less than gzip, and Parquet less than both",
                "guides/files.md#compressed-text", reading};
}

namespace {

class advisor {
 public:
  explicit advisor(const page_content& of) : of_(of) {}

  std::vector<advice> all() {
    for (std::size_t i = 0; i < of_.queries.size(); ++i)
      look_at(fmt::format("query {}", i + 1), of_.queries[i]);
    for (auto& one : read_again(of_.queries)) found_.push_back(std::move(one));
    for (const auto& one : of_.recomputed) add(computed_again(one));
    double decompression_s = 0;
    for (const auto& track : of_.over_time.tracks)
      if (track.kind == trace::track_kind::decompression) decompression_s += track.busy_s;
    add(waited_for_decompression(of_.queries, decompression_s));
    constexpr double least_part = 0.01;
    std::erase_if(found_, [&](const advice& a) { return a.seconds < least_part * of_.runs_s; });
    std::ranges::sort(found_, {}, [](const advice& a) { return std::pair(-a.seconds, a.finding); });
    return std::move(found_);
  }

 private:
  void add(std::optional<advice> one) {
    if (one) found_.push_back(std::move(*one));
  }

  void look_at(const std::string& name, const query_facts& q) {
    add(went_to_the_disk(name, q, of_.machine));
    add(many_short_runs(name, q));
    for (std::size_t i = 0; i < q.stages.size(); ++i) {
      const auto& s = q.stages[i];
      const auto stage = fmt::format("{}, s{} {}", name, i, s.label);
      add(ran_on_one_thread(stage, s, of_.machine.threads));
      add(kept_off_devices(stage, s));
      add(moved_to_cpu(stage, s));
      add(maths_one_at_a_time(stage, s));
      add(copies_longer_than_kernels(stage, s));
      add(text_of_unused_columns(stage, s));
      add(computed_twice(stage, s));
      for (const auto side : s.sides)
        add(index_beyond_caches(stage, q.stages[side], s, of_.machine));
    }
  }

  const page_content& of_;
  std::vector<advice> found_;
};

}  // namespace

std::vector<advice> advice_on(const page_content& of, std::size_t most) {
  auto all = advisor(of).all();
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace pappus::report
