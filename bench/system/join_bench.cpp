#include "system/inputs.h"
#include "system/join.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

struct matches_and_sum {
  static constexpr bool commutative = true;
  std::int64_t matches = 0, sum = 0;
  void accumulate(std::int64_t product) {
    ++matches;
    sum += product;
  }
  void merge(const matches_and_sum& other) {
    matches += other.matches;
    sum += other.sum;
  }
};

}  // namespace

std::vector<result> run_join(const stage& on, std::int64_t n) {
  const auto input = make_join(n, on.asked.seed, on.workers);
  join::workspace space(input.build.size(), input.probe.size(), on.workers);
  join::result sequential, handwritten;
  matches_and_sum pappus;
  return compare(
      on, "join", n, min_bytes::join(input.build.size(), input.probe.size()),
      {{"sequential", [&] { sequential = join::sequential(input.build, input.probe); },
        [&] { return sequential.checksum(); }},
       {"handwritten",
        [&] { handwritten = join::handwritten(input.build, input.probe, space, on.workers); },
        [&] { return handwritten.checksum(); }},
       {"pappus",
        [&] {
          const auto build = on.engine.borrow(input.build.all());
          pappus = on.engine.borrow(input.probe.all())
                       .join(build, &item::key, &item::key,
                             [](const item& a, const item& b) { return a.pay * b.pay; })
                       .reduce<matches_and_sum>();
        },
        [&] { return join::result{pappus.matches, pappus.sum}.checksum(); }}});
}

}  // namespace pappus::bench
