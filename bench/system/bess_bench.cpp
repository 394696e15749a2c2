// pappus: an array of steps x elements x numbers, as the file has them. pappus, flat: of steps x
// columns. told: with what the function touches written down, which compilers without the plugin
// don't find.
#include "system/bess.h"

#include <utility>

#include "system/cold.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using bess::layout, bess::parts;

struct weighted_mean {
  double sum = 0, weight = 0;
  void accumulate(float x, float w) {
    sum += static_cast<double>(w) * static_cast<double>(x);
    weight += static_cast<double>(w);
  }
  void merge(const weighted_mean& o) { sum += o.sum, weight += o.weight; }
  float finalize() const { return static_cast<float>(sum / weight); }
};

std::vector<float> means(session& s, const bess::flow& from) {
  const auto& [in_file, elements, first, steps] = from.of;
  const auto flow = s.open<float, 3>(from.file.path(), {in_file, elements, parts});
  const auto weight = s.to_array(from.weights);
  const auto mean = s.zeros<weighted_mean, 2>({elements, parts});
  s.for_each(
      box<3>{{first, 0, 0}, {first + steps, elements, parts}},
      [first = first](idx<3> p, reads<float, 3> flow, reads<float> weight,
                      reduces<weighted_mean, 2> mean) {
        mean(p[1], p[2]).accumulate(flow[p], weight[p[0] - first]);
      },
      flow, weight, mean);
  return mean.to_vector();
}

std::vector<float> means_told(session& s, const bess::flow& from) {
  const auto& [in_file, elements, first, steps] = from.of;
  const auto flow = s.open<float, 3>(from.file.path(), {in_file, elements, parts});
  const auto weight = s.to_array(from.weights);
  const auto mean = s.zeros<weighted_mean, 2>({elements, parts});
  const auto [step, element, part] = launch_index<3>();
  s.for_each(
      box<3>{{first, 0, 0}, {first + steps, elements, parts}},
      [first = first](idx<3> p, reads<float, 3> flow, reads<float> weight,
                      reduces<weighted_mean, 2> mean) {
        mean(p[1], p[2]).accumulate(flow[p], weight[p[0] - first]);
      },
      flow.at(step, element, part), weight.at(step - first), mean.at(element, part));
  return mean.to_vector();
}

std::vector<float> means_flat(session& s, const bess::flow& from) {
  const auto& of = from.of;
  const auto flow = s.open<float, 2>(from.file.path(), {of.steps_in_file, of.columns()});
  const auto weight = s.to_array(from.weights);
  const auto mean = s.zeros<weighted_mean>({of.columns()});
  s.for_each(
      box<2>{{of.first, 0}, {of.first + of.steps, of.columns()}},
      [first = of.first](idx<2> p, reads<float, 2> flow, reads<float> weight,
                         reduces<weighted_mean> mean) {
        mean[p[1]].accumulate(flow[p], weight[p[0] - first]);
      },
      flow, weight, mean);
  return mean.to_vector();
}

}  // namespace

std::vector<result> run_bess(const stage& on, std::int64_t n) {
  auto from = bess::make_bess(n, on.asked.seed, on.workers);
  const auto columns = static_cast<std::size_t>(from.of.columns());
  std::vector<float> sequential(columns), handwritten(columns), pappus, told, flat;
  const auto text = [](const std::vector<float>& found) {
    return [&found] { return bess::checksum(found); };
  };
  return compare_reading(
      on, "bess", n, min_bytes::bess(from.of.steps * from.of.columns()),
      {{"sequential", [&] { bess::sequential(from, sequential); }, text(sequential)},
       {"handwritten", [&] { bess::handwritten(from, handwritten, on.workers); },
        text(handwritten)},
       {"pappus", [&] { pappus = means(on.engine, from); }, text(pappus)},
       {"pappus, told", [&] { told = means_told(on.engine, from); }, text(told)},
       {"pappus, flat", [&] { flat = means_flat(on.engine, from); }, text(flat)}},
      {&from.file});
}

}  // namespace pappus::bench
