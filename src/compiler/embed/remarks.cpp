#include "compiler/embed/remarks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

#include <set>

#include "compiler/analysis/callees.h"

namespace pappus::compiler {
namespace {

/// The functions of `copied` that are called, from the thunk outward.
std::vector<const llvm::Function*> reached(const llvm::Function& thunk,
                                           const std::vector<const llvm::Function*>& copied) {
  const std::set<const llvm::Function*> known(copied.begin(), copied.end());
  std::set<const llvm::Function*> seen{&thunk};
  std::vector<const llvm::Function*> list{&thunk};
  for (std::size_t n = 0; n < list.size(); ++n)
    for (const auto& i : llvm::instructions(*list[n]))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        if (const auto* callee = call->getCalledFunction())
          if (known.contains(callee) && seen.insert(callee).second) list.push_back(callee);
  return list;
}

/// Whether the symbol's own name, or its class's, is this one.
bool is_named(llvm::StringRef symbol, llvm::StringRef name) {
  const auto full = short_name(symbol);
  const auto [scope, own] = llvm::StringRef(full).rsplit("::");
  return own == name || scope == name || scope.ends_with(("::" + name).str());
}

/// The function or class of this name, else the call operator of a lambda.
const llvm::Function& anchor(const std::vector<const llvm::Function*>& functions,
                             const std::string& name) {
  for (const auto* f : functions)
    if (is_named(f->getName(), name)) return *f;
  for (const auto* f : functions)
    if (llvm::StringRef(f->getName()).contains("clE")) return *f;  // operator()
  return *functions.front();
}

/// Where a lambda's type says that it was written: its functions may have been inlined already, or
/// have no lines, and the thunk's are none of the user's. Of others, where the function is.
llvm::DiagnosticLocation location(const llvm::Function& about, const written_at& place) {
  if (place.path.empty()) return llvm::DiagnosticLocation(about.getSubprogram());
  auto& context = about.getContext();
  auto* file = llvm::DIFile::get(context, place.path, "");
  auto* scope = llvm::DISubprogram::getDistinct(context, file, "", "", file, place.line, nullptr,
                                                place.line, nullptr, 0, 0, llvm::DINode::FlagZero,
                                                llvm::DISubprogram::SPFlagZero, nullptr);
  return llvm::DebugLoc(llvm::DILocation::get(context, place.line, place.column, scope));
}

/// Of what to say to users with text in their records, of every function: it is said once a file.
constexpr llvm::StringLiteral common_reason = "host-pointer";

/// -Wbackend-plugin
class plugin_warning : public llvm::DiagnosticInfo {
 public:
  explicit plugin_warning(const std::string& text)
      : DiagnosticInfo(kind(), llvm::DS_Warning), text_(text) {}
  void print(llvm::DiagnosticPrinter& to) const override { to << text_; }

 private:
  static int kind() {
    static const int number = llvm::getNextAvailablePluginDiagnosticKind();
    return number;
  }
  const std::string& text_;
};

}  // namespace

std::string explanation(const std::vector<reason>& reasons, const std::string& function) {
  std::string text = function + " runs on the CPU only:";
  for (const auto& r : reasons) {
    text += "\n  " + (r.where.empty() ? "" : r.where + ": ") + r.what;
    for (const auto& step : r.chain) text += "\n    " + step;
    text += "\n    instead: " + r.remedy;
  }
  return text;
}

void warn_of_version(llvm::Module& module, std::int64_t version) {
  const auto text = "the Pappus headers that " + module.getSourceFileName() +
                    " includes are for version " + std::to_string(version) +
                    " of the compiler plugin, this is version " +
                    std::to_string(detail::compiler_version) +
                    ": use the plugin that was installed with the headers; its functions run on "
                    "the CPU";
  module.getContext().diagnose(plugin_warning(text));
}

void reporter::report(const slot& s, const kernel_function& function, const emitted& code) {
  const bool compiled = code.reasons.empty();
  const auto text = compiled ? function.function + " runs on devices, as " + function.name
                             : explanation(code.reasons, function.function);
  if (!said_.insert(text).second) return;
  const auto functions = reached(*s.thunk, copied_);
  const auto& about = anchor(functions, function.name);
  const auto place = location(about, place_of(s.function));
  auto& context = module_.getContext();
  if (compiled) {
    context.diagnose(llvm::OptimizationRemark("pappus", "DeviceCode", place, &about.front())
                     << text);
    return;
  }
  for (const auto* f : functions)
    if (must_run_on_device(module_, *f))
      return context.diagnose(llvm::DiagnosticInfoUnsupported(about, text, place));
  const auto common = [](const reason& r) { return r.id == common_reason; };
  std::string last;
  if (llvm::all_of(code.reasons, common)) {
    if (!common_said_.insert(place_of(s.function).path).second) return;
    last = "\n  of other functions in this file that do the same nothing is said";
  }
  context.diagnose(llvm::OptimizationRemarkMissed("pappus", "NoDeviceCode", place, &about.front())
                   << text << last);
}

void reporter::report_footprint(const slot& s, const kernel_function& function,
                                const std::string& text) {
  const auto& about = anchor(reached(*s.thunk, copied_), function.name);
  module_.getContext().diagnose(llvm::OptimizationRemark("pappus", "Footprint",
                                                         location(about, place_of(s.function)),
                                                         &about.front())
                                << function.function << ": " << text);
}

}  // namespace pappus::compiler
