// A join of two CSV files: what do customers of each country spend?
//
//   join_csv ORDERS CUSTOMERS        examples/data/orders.csv examples/data/customers.csv
//
// Shows columns of a file bound to members, and left_join, which keeps orders without a customer.
#include <iomanip>
#include <iostream>
#include <string_view>

#include <pappus/pappus.h>

struct order {
  int customer;
  double price;
};
struct customer {
  int id;
  std::string_view country;
};
struct sale {
  std::string_view country;
  double price;
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  if (argc != 3) return std::cerr << "usage: join_csv ORDERS CUSTOMERS\n", 2;
  auto orders = s.csv<order>(argv[1]);
  auto customers = s.csv<customer>(argv[2]);

  auto sales = orders.left_join(customers, &order::customer, &customer::id,
                                [](const order& o, const customer* c) {
                                  return sale{c == nullptr ? "unknown" : c->country, o.price};
                                });

  std::cout << std::fixed << std::setprecision(2);
  for (const auto& [country, total] : sales.group_by(&sale::country).sum(&sale::price).collect())
    std::cout << country << " " << total << "\n";
}
