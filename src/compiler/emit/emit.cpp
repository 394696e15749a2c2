#include "compiler/emit/emit.h"

#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/analysis/callees.h"
#include "compiler/analysis/slots.h"
#include "compiler/emit/alignment.h"
#include "compiler/emit/captured_nulls.h"
#include "compiler/emit/choices.h"
#include "compiler/emit/mixed.h"
#include "compiler/emit/references.h"
#include "compiler/emit/unwritten.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

constexpr llvm::StringRef last_return = "  return;\n";

// "file.cpp:12:5" of "(lambda at dir/file.cpp:12:5)": a text is the same wherever it was compiled.
std::string title(llvm::StringRef function) {
  const auto at = function.find("(lambda at ");
  auto name = function;
  if (at != llvm::StringRef::npos) {
    name = function.drop_front(at + llvm::StringRef("(lambda at ").size()).split(')').first;
    name = name.drop_front(name.rfind('/') == llvm::StringRef::npos ? 0 : name.rfind('/') + 1);
  }
  std::string text;
  for (const char c : name) {
    if (c != '$' && c != '\n' && c != '\\') text += c;
  }
  return text;
}

/// Whether how floats are computed with matters: not where they are only moved or compared.
bool computes_floats(const llvm::Function& code) {
  return llvm::any_of(llvm::instructions(code), [](const llvm::Instruction& i) {
    return llvm::isa<llvm::FPMathOperator>(i) &&
           !llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FCmpInst>(i);
  });
}

}  // namespace

writer::writer(const kernel_function& kernel)
    : kernel_(kernel),
      code_(*kernel.code),
      layout_(kernel.code->getParent()->getDataLayout()),
      dominators_(*kernel.code),
      loops_(dominators_),
      spaces_(kernel),
      folding_(code_, loops_, spaces_),
      flow_(code_, dominators_, loops_, folding_),
      tables_(layout_),
      variables_(code_) {}

void writer::reject(cause why, const llvm::Instruction* at) {
  const auto* code = at ? at : current_;
  const auto place = place_of(kernel_.function).text();
  const auto at_code = code ? position_of(*code, place) : position{place, {}, {}, {}};
  // Within a class of the library that no device has, that is what there is to say. Of what owns
  // memory it isn't: one may look at a captured std::vector, and read it as shared data instead.
  const auto owner = objection_to_owner(at_code.functions);
  const bool tells = owner && owner->why != cause::allocates;
  auto one = tells ? reason_for(owner->why, owner->name, at_code) : reason_for(why, "", at_code);
  const auto same = [&](const reason& other) {
    return other.id == one.id && (line_of(other) == line_of(one) || one.where == place);
  };
  if (llvm::none_of(result_.reasons, same)) result_.reasons.push_back(std::move(one));
}

std::string writer::signature() const {
  std::string text = "DEVICE void $f(";
  bool first = true;
  for (unsigned i = 0; i < kernel_.parameters.size(); ++i) {
    const auto& parameter = kernel_.parameters[i];
    if (parameter.what == role::captures && parameter.size == 0) continue;  // nothing to pass
    const auto* argument = code_.getArg(i);
    if (!std::exchange(first, false)) text += ", ";
    text += argument->getType()->isPointerTy() ? spaces_.of(argument).qualifiers() + "uchar* "
                                               : "long ";
    text += names_.lookup(argument);
  }
  for (const auto& one : result_.references) {
    text += ", $r const uchar* captured_" + std::to_string(one.offset);
  }
  if (result_.traps) text += ", GLOBAL uint* trap";
  return text + ") {\n";
}

emitted writer::run(const reference_sizes& references) {
  know_records();
  name_parameters();
  for (const auto& instruction : llvm::instructions(code_)) {
    const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (local && !local->use_empty()) declare_local(*local);
  }
  result_.floats = computes_floats(code_);
  result_.references = references.known;
  for (const auto* at : references.unknown) reject(cause::reference_size, at);
  begin_line_of_title();
  write(flow_.statements());
  result_.maths.assign(maths_.begin(), maths_.end());
  if (!result_.reasons.empty()) return std::move(result_);

  if (llvm::StringRef(body_).ends_with(last_return)) {
    body_.resize(body_.size() - last_return.size());
  }
  auto& text = result_.text;
  text = "// " + title(kernel_.function) + "\n" + tables_.text();
  for (const auto& [name, helper] : helpers_) text += helper;
  text += signature() + (kernel_.fast_floats && result_.floats ? "  FAST_FLOATS\n" : "") +
          declared_records() + declarations_ + body_ + "}\n";
  return std::move(result_);
}

emitted emit(const kernel_function& kernel) {
  choose_after_reading(kernel);
  ask_numbers_for_null(kernel);
  derive_alignments(kernel);
  split_mixed_pointers(kernel);
  // Assumptions tell of sizes, and have no text.
  const auto references = captured_references(kernel);
  remove_unwritten(*kernel.code);
  return writer(kernel).run(references);
}

}  // namespace pappus::compiler
