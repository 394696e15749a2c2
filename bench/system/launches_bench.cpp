// What launches cost beside what they compute: the caller's time of a for_each, a launch whose
// results are looked at at once, and an item.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "arrays/launch.h"
#include "memory/pool.h"
#include "plan/batch.h"
#include "regions/annotation.h"
#include "run/batch.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

// For compilers without the plugin; with it, the same is inferred.
constexpr const char* map_text = "in, out: global i => read in[i], write out[i]";
constexpr const char* update_text = "a: global i => readwrite a[i]";

constexpr auto twice_and_one = [](idx<1> i, reads<float> in, writes<float> out) {
  out[i] = 2 * in[i] + 1;
};

/// The sum is exact for numbers of the size that there are here.
std::string sum_of(std::span<const float> numbers) {
  return std::to_string(
      static_cast<std::int64_t>(std::accumulate(numbers.begin(), numbers.end(), 0.0)));
}

void per_piece(std::vector<result>& results, std::int64_t pieces) {
  for (auto& r : results) {
    r.median_s /= static_cast<double>(pieces);
    r.min_s /= static_cast<double>(pieces);
    r.floor_s /= static_cast<double>(pieces);
  }
}

std::vector<float> counted(std::int64_t n) {
  std::vector<float> numbers(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 100);
  return numbers;
}

}  // namespace

// n launches, in turn over arrays of sixteen numbers. What they do is waited for, but not timed.
std::vector<result> run_launches_call(const stage& on, std::int64_t n) {
  constexpr std::int64_t indices = 16, arrays = 64;
  std::vector<array<std::int64_t>> all;
  for (std::int64_t a = 0; a < arrays; ++a) all.push_back(on.engine.zeros<std::int64_t>({indices}));
  std::vector<double> seconds;
  const auto rounds = std::max(on.asked.repeat, 3);
  for (int round = 0; round <= rounds; ++round) {
    if (on.check) on.check();
    const auto taken = seconds_of([&] {
      for (std::int64_t launch = 0; launch < n; ++launch)
        on.engine.for_each(
            {indices},
            annotated([launch](idx<1> i, updates<std::int64_t> a) { a[i] += launch; }, update_text),
            all[static_cast<std::size_t>(launch % arrays)]);
    });
    if (round > 0) seconds.push_back(taken);  // the first one warms up
    on.engine.wait();
  }
  std::ranges::sort(seconds);
  std::int64_t sum = 0;
  for (const auto& a : all)
    for (const auto x : a.host()) sum += x;
  const result ours{.name = "launches_call",
                    .version = "pappus",
                    .device = "cpu",
                    .n = n,
                    .seed = on.asked.seed,
                    .threads = on.workers.threads(),
                    .median_s = seconds[seconds.size() / 2],
                    .min_s = seconds.front(),
                    .checksum = std::to_string(sum),
                    .floor_s = 16.0 * indices * static_cast<double>(n) / on.triad};
  result expected = ours;
  expected.version = "sequential";
  expected.threads = 1;
  expected.checksum = std::to_string(indices * (n * (n - 1) / 2) * (rounds + 1));
  std::vector<std::int64_t> numbers(indices * arrays);
  const auto plain = measure(
      [&] {
        for (std::int64_t launch = 0; launch < n; ++launch)
          for (std::int64_t i = 0; i < indices; ++i)
            numbers[static_cast<std::size_t>(launch % arrays * indices + i)] += launch;
      },
      on.asked.repeat);
  expected.median_s = plain.median_s;
  expected.min_s = plain.min_s;
  std::vector<result> results{ours};
  if (on.asked.sequential) results.push_back(expected);
  per_piece(results, n);
  return results;
}

// A launch over n floats, whose results are looked at before the next one.
std::vector<result> run_launches_host(const stage& on, std::int64_t n) {
  constexpr int times = 1000;  // one alone is too short for the clock
  const auto numbers = counted(n);
  auto plain = numbers;
  const auto in = on.engine.to_array(numbers), out = on.engine.zeros<float>({n});
  float last = 0;
  auto results = compare(on, "launches_host", n, 8.0 * static_cast<double>(n) * times,
                         {{"sequential",
                           [&] {
                             for (int i = 0; i < times; ++i) {
                               for (std::size_t at = 0; at < plain.size(); ++at)
                                 plain[at] = 2 * numbers[at] + 1;
                               last = std::max(last, plain.back());
                             }
                           },
                           [&] { return sum_of(plain); }},
                          {"pappus",
                           [&] {
                             for (int i = 0; i < times; ++i) {
                               on.engine.for_each({n}, annotated(twice_and_one, map_text), in, out);
                               last = std::max(last, out.host()[n - 1]);
                             }
                           },
                           [&] { return sum_of(out.to_vector()); }}});
  per_piece(results, times);
  return results;
}

namespace {

/// A launch that is planned and run without a session, so that an item can be one index.
struct planned_launch {
  std::shared_ptr<arrays::launch> launch = std::make_shared<arrays::launch>();
  std::vector<graph::node_ptr> nodes;

  planned_launch(const arrays::image_ptr& in, const arrays::image_ptr& out) {
    using function = std::remove_const_t<decltype(twice_and_one)>;
    launch->number = 1;
    launch->indices = in->all;
    launch->place = "launches_bench.cpp";
    launch->footprint = map_text;
    launch->known = arrays::launch::knowledge::annotated;
    launch->arguments = {{in, in->elements, in->all, detail::view_access::read, "in"},
                         {out, out->elements, out->all, detail::view_access::write, "out"}};
    const auto parsed = regions::parse_annotation(
        map_text, {.rank = 1, .arrays = {{"", 1}, {"", 1}}, .values = {}});
    for (const auto& one : parsed.touches.accesses)
      launch->accesses.push_back({one.array, one, regions::linear(one, in->all, {}, in->all)});
    launch->function = std::shared_ptr<const void>(&twice_and_one, [](const void*) {});
    launch->loop = &detail::launch_loop_of<function, 1, reads<float>, writes<float>>::run;
    auto node = std::make_shared<graph::node>(std::make_shared<graph::node_table>());
    node->id = 1;
    node->op = &arrays::launch_operator();
    node->name = text(*launch);
    node->params = launch;
    nodes = {std::move(node)};
  }

  void run(const cost::machine& machine, threads::team& team) const {
    const threads::cancel_count cancels{0};
    run::batch all(nodes,
                   plan::plan_batch({.launches = nodes, .machine = machine, .item_indices = 1}),
                   cancels, [](arrays::launch_number) { return arrays::failure_ptr(); });
    all.take_part(team, [] { return false; });
  }
};

}  // namespace

// n items of one index each, planned and run, where a session would make a few of them.
std::vector<result> run_launches_items(const stage& on, std::int64_t n) {
  const auto numbers = counted(n);
  auto plain = numbers;
  const auto memory = std::make_shared<memory::pool>(numbers.size() * 16 + (std::size_t{1} << 20));
  const auto made = [&] {
    auto image = arrays::make_image(detail::record_type_of<float>(), {{0}, {n}}, {memory}, {});
    std::ranges::copy(numbers, reinterpret_cast<float*>(image->elements->data));
    return image;
  };
  const auto in = made(), out = made();
  const planned_launch launch(in, out);
  const auto team = threads::make_team(static_cast<unsigned>(on.workers.threads()));
  const auto machine = cost::this_machine(team->threads(), memory->limit());
  auto results = compare(
      on, "launches_items", n, 8.0 * static_cast<double>(n),
      {{"sequential",
        [&] {
          for (std::size_t at = 0; at < plain.size(); ++at) plain[at] = 2 * numbers[at] + 1;
        },
        [&] { return sum_of(plain); }},
       {"pappus", [&] { launch.run(machine, *team); },
        [&] {
          return sum_of({reinterpret_cast<const float*>(out->elements->data), numbers.size()});
        }}});
  per_piece(results, n);
  return results;
}

}  // namespace pappus::bench
