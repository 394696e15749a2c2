// The order of merging against its definition, over leaves of which some are missing.
#include "algorithms/leaf_tree.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pappus::algorithms {
namespace {

/// Who was merged with whom: "((0 1 2 3 4 5 6 7) (8))".
using tree = std::string;

tree join(const tree& node, const tree& child) {
  return node.substr(0, node.size() - 1) + " " + child + ")";
}

/// As leaf_tree defines it: nodes of eight, level by level.
tree defined(std::map<std::int64_t, tree> nodes) {
  if (nodes.empty()) return "";
  do {
    std::map<std::int64_t, tree> parents;
    for (const auto& [number, node] : nodes) {
      auto& parent = parents[number / 8];
      parent = parent.empty() ? "(" + node + ")" : join(parent, node);
    }
    nodes = std::move(parents);
  } while (nodes.size() > 1 || nodes.begin()->first != 0);
  return nodes.begin()->second;
}

/// The number of the node of a level, or of the leaf.
std::int64_t number_of(const tree& node, int level) {
  std::int64_t number = std::stoll(node.substr(node.find_first_not_of('(')));
  for (; level >= 0; --level) number /= 8;
  return number;
}

tree merged(const std::vector<std::int64_t>& numbers) {
  leaf_tree order;
  std::vector<tree> levels;
  for (std::size_t i = 0; i <= numbers.size(); ++i) {
    const auto step = [&](int from, int to, bool first) {
      if (static_cast<std::size_t>(to) >= levels.size())
        levels.resize(static_cast<std::size_t>(to) + 1);
      const tree child = from == leaf_tree::leaf ? fmt::format("{}", numbers[i])
                                                 : levels[static_cast<std::size_t>(from)];
      EXPECT_EQ(order.is_first(from, i < numbers.size() ? numbers[i] : -1),
                number_of(child, from) % 8 == 0);
      auto& node = levels[static_cast<std::size_t>(to)];
      node = first ? "(" + child + ")" : join(node, child);
    };
    if (i < numbers.size()) {
      order.add(numbers[i], step);
      EXPECT_LE(levels.size(), static_cast<std::size_t>(order.levels()));
      continue;
    }
    const int top = order.finish(step);
    return top == leaf_tree::leaf ? "" : levels[static_cast<std::size_t>(top)];
  }
  return "";
}

void expect_as_defined(const std::vector<std::int64_t>& numbers) {
  std::map<std::int64_t, tree> leaves;
  for (const auto number : numbers) leaves[number] = fmt::format("{}", number);
  EXPECT_EQ(merged(numbers), defined(leaves));
}

TEST(leaf_tree, merges_eight_at_a_time) {
  EXPECT_EQ(merged({}), "");
  EXPECT_EQ(merged({0}), "(0)");
  EXPECT_EQ(merged({0, 1, 2, 3, 4, 5, 6, 7}), "(0 1 2 3 4 5 6 7)");
  EXPECT_EQ(merged({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), "((0 1 2 3 4 5 6 7) (8 9))");
  EXPECT_EQ(merged({0, 3, 70}), "(((0 3)) ((70)))");
}

TEST(leaf_tree, follows_its_definition) {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 0; n < 1200; ++n) {
    if (n < 150 || n % 64 < 2 || n % 64 == 63 || n > 1190) expect_as_defined(all);
    all.push_back(n);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> some;
    const auto sparse = 1 + random() % 200;
    for (std::int64_t number = random() % sparse; some.size() < random() % 400;
         number += 1 + static_cast<std::int64_t>(random() % sparse))
      some.push_back(number);
    expect_as_defined(some);
  }
}

TEST(leaf_tree, knows_how_many_levels_leaves_take) {
  for (std::int64_t n = 1; n <= 600; ++n) {
    leaf_tree order;
    int highest = leaf_tree::leaf;
    const auto step = [&](int, int to, bool) { highest = std::max(highest, to); };
    for (std::int64_t i = 0; i < n; ++i) order.add(i, step);
    order.finish(step);
    EXPECT_EQ(leaf_tree::levels_of(static_cast<double>(n)), highest + 1) << n;
  }
}

TEST(leaf_tree, can_be_used_again) {
  leaf_tree order;
  int steps = 0;
  const auto step = [&](int, int, bool) { ++steps; };
  for (int round = 0; round < 2; ++round) {
    steps = 0;
    for (std::int64_t i = 0; i < 9; ++i) order.add(i, step);
    EXPECT_EQ(order.finish(step), 1);
    EXPECT_EQ(steps, 11);
    EXPECT_EQ(order.levels(), 0);
  }
}

}  // namespace
}  // namespace pappus::algorithms
