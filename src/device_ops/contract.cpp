// Programs of stages, and the operators that have a device version.
#include <fmt/format.h>

#include "base/embedded.h"
#include "codegen/element/element.h"
#include "device_ops/contract.h"
#include "device_ops/operators/operators.h"

namespace pappus::device_ops {

program stage_program(const graph::node& n, std::string_view operator_path,
                      std::string_view defines) {
  const auto element = codegen::element_of(n);
  auto text = element->programs.of(operator_path, defines, [&] {
    std::string all = element->text;
    all += fmt::format("#define ELEMENT_MANY {}\n", n.stage.form == detail::shape::many ? 1 : 0);
    all += defines;
    all += base::embedded("device_ops/text/stage.cl");
    all += fmt::format("#line 1 \"{}\"\n", operator_path);
    all += base::embedded(operator_path);
    return interned(std::move(all));
  });
  // Host functions only need the node, which lives as long as the run.
  return {graph::label(n), std::move(text), std::shared_ptr<const void>(&n, [](const void*) {}),
          std::shared_ptr<const devices::legible_parts>(element, &element->legible)};
}

// One line an operator.
const device_operator* find(detail::op_kind kind) {
  using detail::op_kind;
  switch (kind) {
    case op_kind::materialise:
      return &materialise_on_device();
    case op_kind::fold:
      return &fold_on_device();
    case op_kind::sort:
    case op_kind::top:
      return &sort_on_device();
    case op_kind::group:
      return &group_on_device();
    case op_kind::scan:
      return &scan_on_device();
    default:
      return nullptr;
  }
}

}  // namespace pappus::device_ops
