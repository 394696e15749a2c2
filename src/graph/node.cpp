#include "graph/node.h"

#include <fmt/format.h>

#include "base/small_map.h"
#include "base/text.h"
#include "graph/operator_entry.h"
#include "pappus/error.h"

namespace pappus::graph {

std::string bound_text(const bound& rows) {
  switch (rows.known) {
    case bound::certainty::exact:
      return base::count_text(rows.rows);
    case bound::certainty::at_most:
      return "≤ " + base::count_text(rows.rows);
    case bound::certainty::unknown:
      break;
  }
  return "?";
}

std::string label(const node& n) {
  std::string text;
  for (const auto& op : n.stage.ops) {
    text += op.name;
    text += "·";
  }
  // Materialising is what any chain ends in; it is worth a word only when there is no chain.
  if (n.op->is_named_by_its_chain() && !text.empty()) {
    text.resize(text.size() - std::string_view("·").size());
    return text;
  }
  return text + n.name;
}

std::vector<const node*> in_order(std::span<const node_ptr> roots,
                                  const std::function<bool(const node&)>& stop,
                                  const std::function<const node*(const node&)>& instead) {
  constexpr std::size_t usual_nodes = 8;
  std::vector<const node*> order;
  order.reserve(usual_nodes);
  base::small_map<const node*, bool> seen;
  struct visit {
    const node* n;
    std::size_t next_edge;
  };
  std::vector<visit> path;  // explicit: a long chain must not exhaust the stack
  path.reserve(usual_nodes);
  for (const auto& root : roots) {
    if (!seen.emplace(root.get(), true).second) continue;
    path.push_back({root.get(), 0});
    while (!path.empty()) {
      auto& [n, edge] = path.back();
      const auto& inputs = n->stage.inputs;
      const auto& sides = n->stage.sides;
      if (edge == inputs.size() + sides.size() || (edge == 0 && stop(*n))) {
        order.push_back(n);
        path.pop_back();
        continue;
      }
      const auto* next = (edge < inputs.size() ? inputs[edge] : sides[edge - inputs.size()]).get();
      ++edge;
      if (instead) next = instead(*next);
      if (seen.emplace(next, true).second) path.push_back({next, 0});
    }
  }
  return order;
}

void verify(const node& n) {
  const auto owner = n.session.lock();
  const auto check = [&](const node_ptr& input) {
    if (!input)
      throw usage_error(fmt::format("{}: one of its inputs is an empty handle", label(n)));
    if (input->session.lock() != owner)
      throw usage_error(
          fmt::format("{}: expected inputs of its own session, got \"{}\" of another one; "
                      "collect() it there and pass it on with from()",
                      label(n), label(*input)));
  };
  for (const auto& input : n.stage.inputs) check(input);
  for (const auto& side : n.stage.sides) check(side);
}

std::string print(std::span<const node* const> nodes) {
  std::string text;
  for (const node* n : nodes) {
    text += fmt::format("  n{} {}: {}", n->id, label(*n), n->out.name);
    const char* separator = " <- ";
    for (const auto& input : n->stage.inputs) {
      text += fmt::format("{}n{}", separator, input->id);
      separator = ", ";
    }
    for (const auto& side : n->stage.sides) {
      text += fmt::format("{}n{} (shared)", separator, side->id);
      separator = ", ";
    }
    if (n->is_cached()) text += n->kept() ? "  [cached]" : "  [will be cached]";
    text += "\n";
  }
  return text;
}

std::string print_dot(std::span<const node* const> nodes) {
  std::string text =
      "digraph query {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (const node* n : nodes) {
    text += fmt::format("  n{} [label={}];\n", n->id,
                        base::quoted(label(*n) + "\n" + std::string(n->out.name)));
    for (const auto& input : n->stage.inputs)
      text += fmt::format("  n{} -> n{};\n", input->id, n->id);
    for (const auto& side : n->stage.sides)
      text += fmt::format("  n{} -> n{} [style=dashed, label=\"shared\"];\n", side->id, n->id);
  }
  return text + "}\n";
}

}  // namespace pappus::graph
