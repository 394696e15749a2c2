#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded.h"
#include "codegen/element/element.h"
#include "device_ops/contract.h"

namespace pappus::device_ops {

program stage_program(const graph::node& n, std::string_view operator_path,
                      std::string_view defines) {
  const auto element = codegen::element_of(n);
  auto text = element->programs.of(operator_path, defines, [&] {
    std::string all = element->text;
    all += fmt::format("#define ELEMENT_MANY {}\n",
                       n.stage.yields == detail::cardinality::any ? 1 : 0);
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

ops::answer ask(device_session& device, const graph::node& n) {
  const auto& about = device.about();
  const auto* op = n.op->run_by(n).devices;
  if (op == nullptr) return {.why_not = n.name + " runs on the CPU"};
  const bool on_host = device.runs_on_host();
  const auto element = codegen::element_of(n);
  if (!on_host) {  // host functions are the user's own loops
    if (!element->possible())
      return {.why_not = fmt::format("{}", fmt::join(element->reasons, "; "))};
    if (element->needs_doubles && !about.doubles)
      return {.why_not = about.name + " has no 64-bit floats"};
  }
  auto answer = op->supports(n, on_host);
  if (!answer.possible()) return answer;
  for (const auto& parts : element->reads) answer.read_bytes.push_back(codegen::total(parts));
  const std::lock_guard lock(device.on().lock);
  if (device.on().lost) return {.why_not = about.name + " was lost"};
  answer.built = device.is_built(op->main_program(n), op->main_entry(n));
  return answer;
}

}  // namespace pappus::device_ops
