// explain: what a query will do, and what it did.
//
//   explain
//
// explain() runs nothing: it shows the graph, the plan with rows and bytes, and the tasks. Then
// explain_analyze() runs the query and puts what happened beside what was predicted. See
// docs/guides/explain.md for how to read them.
#include <iostream>

#include <pappus/pappus.h>

struct sale {
  int shop;
  int price;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  auto sales = s.range(0, 1'000'000).map([](int i) { return sale{i % 10, i % 97}; });
  auto best = sales
                  .filter([](const sale& x) { return x.price > 48; })  // fused: one loop
                  .group_by(&sale::shop)
                  .sum(&sale::price)
                  .top(3, [](const auto& group) { return group.value; });

  std::cout << best.explain() << "\n" << best.explain_analyze() << "\n";
  for (const auto& [shop, total] : best.collect())
    std::cout << "shop " << shop << ": " << total << "\n";
}
