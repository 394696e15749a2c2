#include "shop.h"

void works(shop& in) {
  std::vector<sale> named;
  int numbers[] = {1, 2, 3};
  const auto sales = in.s.borrow(named), same = in.s.borrow(std::span(named));
  const auto borrowed = in.s.borrow(numbers);
  static_assert(std::is_same_v<decltype(in.s.range(0, 3'000'000'000))::value_type, std::int64_t>);
  static_assert(std::is_same_v<decltype(in.s.range(0, named.size()))::value_type, std::size_t>);
  std::printf("%ld %ld\n", sales.count().get(), static_cast<long>(same.count()));
  std::cout << borrowed.sum() << borrowed.concat(in.s.from(numbers)).count();
}
