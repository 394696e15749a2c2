// Weighted means over time of what a simulation of a river wrote step by step.
//
//   bess [FLOW]
//
// Without FLOW, a file of 2000 steps or more of 500 x 4 floats (.npy, .zarr), makes flow.npy. Steps
// that don't count aren't read. Shows open, a launch over a part of an array, a reducer of two
// values.
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <pappus/pappus.h>

using pappus::box;
using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::writes;

struct weighted_mean {
  double sum = 0, weight = 0;
  void accumulate(float x, float w) {
    sum += double{w} * double{x};
    weight += double{w};
  }
  void merge(const weighted_mean& o) { sum += o.sum, weight += o.weight; }
  double finalize() const { return sum / weight; }
};

void make_flow(pappus::session& s, const std::string& path) {
  const auto flow = s.unwritten<float, 3>({2000, 500, 4});
  s.for_each(
      flow.extents(),
      [](idx<3> p, writes<float, 3> to) {
        to[p] = static_cast<float>((p[0] * 7 + p[1] * 3 + p[2]) % 11);
      },
      flow);
  flow.write(path);
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const std::string path = argc > 1 ? argv[1] : "flow.npy";
  if (argc < 2) make_flow(s, path);

  long first = 400, steps = 1250;  // that count
  std::vector<float> weights;
  for (long step = 0; step < steps; ++step) weights.push_back(static_cast<float>(1 + step % 3));

  const auto flow = s.open<float, 3>(path);
  const auto weight = s.to_array(weights);
  const auto mean = s.zeros<weighted_mean, 2>({500, 4});
  s.for_each(
      box<3>{{first, 0, 0}, {first + steps, 500, 4}},
      [first](idx<3> p, reads<float, 3> flow, reads<float> weight, reduces<weighted_mean, 2> mean) {
        mean(p[1], p[2]).accumulate(flow[p], weight[p[0] - first]);
      },
      flow, weight, mean);

  const auto means = mean.to_vector();
  double sum = 0;
  for (const double one : means) sum += one;
  std::cout << std::fixed << std::setprecision(4)  //
            << "first " << means.front() << "\n"
            << "last " << means.back() << "\n"
            << "all " << sum / static_cast<double>(means.size()) << "\n";
}
