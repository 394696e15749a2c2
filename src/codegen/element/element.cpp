#include "codegen/element/element.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/element/description.h"
#include "codegen/element/element_cache.h"
#include "codegen/element/element_text.h"
#include "codegen/element/element_writer.h"
#include "codegen/text/c_text.h"
#include "graph/operator_entry.h"
#include "pappus/error.h"

namespace pappus::codegen {

/// What is remembered for a node.
struct own_element {
  element_ptr shared;
  captured_values values;
};

namespace {

using graph::element_use;

/// What can be described and still not run. A stage's cardinality is `any` behind functions of
/// batches, too, which yield one record a row, and behind look-ups that only keep records.
void check(const graph::node& n, element_writer& described) {
  using kind = c_statement::kind;
  const auto has = [&](kind what) {
    return std::ranges::any_of(described.body, [&](const auto& s) { return s.what == what; });
  };
  const bool many = n.stage.yields == detail::cardinality::any;
  const auto use = n.op->uses_elements();
  if (use == element_use::fold && many && n.as<detail::fold_params>().reducer.lanes > 1 &&
      (has(kind::loop) || has(kind::condition)))
    described.refuse("floats are summed in lanes of records, whose number is open");
  if (use == element_use::group && many && has(kind::loop))
    described.refuse("records of a flat_map or join are grouped on the CPU");
  if (use == element_use::group) {
    unsigned width = 0;
    for (const auto& part : described.group) width += part.width;
    if (width > 64) described.refuse("keys of more than 8 bytes are grouped on the CPU");
  }
  const auto unknown = [](const std::vector<std::string>& types) {
    return std::ranges::any_of(types, &std::string::empty);
  };
  for (const auto& code : described.codes)
    if (const auto macro = redefined_macro(tokens_of(code.text)); !macro.empty())
      described.refuse(
          fmt::format("{} defines {}, which is Pappus's own: give that macro another name",
                      code.origin, macro));
  // A function without device code said so already; what is left are data that nothing reads.
  if (described.reasons.empty() && (unknown(described.inputs) || unknown(described.sides)))
    described.refuse("it has inputs that its functions don't use");
}

void describe(const graph::node& n, detail::device_writer& to) {
  try {
    n.stage.describe(n.stage.element.get(), to);
  } catch (const error& e) {  // on_device() names a file that isn't there; the CPU doesn't need it
    to.refuse(e.what());
  }
}

element_ptr written(const graph::node& n, element_writer& writer, const captured_layout& values) {
  auto made = std::make_shared<element>();
  check(n, writer);
  made->reasons = writer.reasons;
  if (!made->possible()) return made;
  for (std::size_t i = 0; i < writer.reads.size(); ++i) {
    const auto record_bytes = n.stage.inputs[i]->out.size;
    made->reads.push_back(writer.reads[i].of(record_bytes));
    // Of rows that are only counted something is sent all the same: buffers have a size.
    if (made->reads.back().empty())
      made->reads.back() = {{0, std::min<std::size_t>(record_bytes, 4)}};
  }
  std::string ops;
  for (const auto& op : n.stage.ops) ops += fmt::format("{}.", op.name);
  made->text = fmt::format("// {}{}\n", ops, n.name);
  made->values = values;
  write_element(writer, n.op->uses_elements(), n.stage.yields == detail::cardinality::any, *made);
  return made;
}

own_element make(const graph::node& n) {
  if (n.op->uses_elements() == element_use::none || n.stage.describe == nullptr) {
    auto none = std::make_shared<element>();
    none->reasons = {fmt::format("{}: it runs on the CPU only", n.name)};
    return {std::move(none), {}};
  }
  description own(n);
  describe(n, own);
  if (auto known = known_elements().find(own.key())) {
    auto values = own.placed(known->values);
    return {std::move(known), std::move(values)};
  }
  element_writer writer(n);
  description again(n, &writer);  // may be another one: on_device() reads files
  describe(n, again);
  auto made = known_elements().add(again.key(), written(n, writer, again.layout()));
  auto values = again.placed(made->values);
  return {std::move(made), std::move(values)};
}

/// Two threads may make one for the same node; the first is kept.
std::shared_ptr<const own_element> own_element_of(const graph::node& n) {
  if (auto known = n.table->get(n.id, &graph::remembered::element)) return known;
  auto made = std::make_shared<const own_element>(make(n));
  return n.table->change(n.id, [&](graph::remembered& of) {
    if (!of.element) of.element = std::move(made);
    return of.element;
  });
}

}  // namespace

element_ptr element_of(const graph::node& n) { return own_element_of(n)->shared; }

std::shared_ptr<const captured_values> values_of(const graph::node& n) {
  auto own = own_element_of(n);
  const auto* values = &own->values;
  return {std::move(own), values};
}

}  // namespace pappus::codegen
