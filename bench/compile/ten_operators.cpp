// What tools/compile_time.sh compiles: a query of ten operators, as a user would write it.
#include <iostream>

#include <pappus/pappus.h>

struct order {
  std::int64_t customer;
  std::int32_t product, amount;
  double price;
};
struct product {
  std::int32_t id, category;
};
struct sale {
  std::int64_t customer;
  std::int32_t category;
  double value;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const auto orders = s.read<order>("orders.npy");
  const auto products = s.read<product>("products.npy");
  const auto sales =
      orders.filter([](const order& o) { return o.amount > 0; })
          .skip(10)
          .join(products, &order::product, &product::id,
                [](const order& o, const product& p) {
                  return sale{o.customer, p.category, o.amount * o.price};
                })
          .filter([](const sale& x) { return x.value > 1; })
          .map([](const sale& x) { return sale{x.customer, x.category, x.value / 2}; });
  const auto best = sales.group_by(&sale::customer)
                        .sum(&sale::value)
                        .filter([](const auto& group) { return group.value > 100; })
                        .sort_by(&pappus::keyed<std::int64_t, double>::value)
                        .enumerate()
                        .take(10)
                        .collect();
  for (const auto& row : best) std::cout << row.value.key << ": " << row.value.value << "\n";
}
