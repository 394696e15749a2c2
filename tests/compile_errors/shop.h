// The records and queries of all mistakes; precompiled, since each of them is a program.
#pragma once

#include <pappus/pappus.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sale {
  std::int32_t product;
  double price;
  std::string_view buyer;
};
struct item {
  std::int32_t id;
  std::int64_t weight;
};
struct order {
  std::int32_t id;
  std::string name;
};
struct wide {
  std::int64_t a, b, c;
};

struct shop {
  pappus::session s;
  pappus::collection<sale> sales = s.from(std::vector<sale>{});
  pappus::collection<item> items = s.from(std::vector<item>{});
};
