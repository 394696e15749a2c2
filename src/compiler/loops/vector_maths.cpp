#include "compiler/loops/vector_maths.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

#include "compiler/emit/maths.h"

namespace pappus::compiler {
namespace {

/// The version of glibc 2.x since which libmvec has the function; 0: it hasn't.
unsigned minor_since(llvm::StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases("cos", "exp", "log", "pow", "sin", 22)
      .Cases("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", 35)
      .Cases("erf", "erfc", "exp10", "exp2", "expm1", "hypot", "log10", "log1p", "log2", 35)
      .Cases("sinh", "tan", "tanh", 35)
      .Default(0);
}

struct vector_kind {
  char letter;  ///< of the x86-64 vector ABI: b SSE, c AVX, d AVX2, e AVX-512
  unsigned bits;
};

/// Not wider than loops use: vectors of other widths are passed in other registers.
std::vector<vector_kind> kinds_for(const llvm::Function& function, unsigned widest) {
  std::vector<vector_kind> kinds;
  if (widest >= 128) kinds.push_back({'b', 128});
  const bool avx2 = function.getFnAttribute("target-features").getValueAsString().contains("+avx2");
  if (widest >= 256) kinds.push_back({avx2 ? 'd' : 'c', 256});
  if (widest >= 512) kinds.push_back({'e', 512});
  return kinds;
}

/// "_ZGV_LLVM_N8v_llvm.exp.f32(_ZGVdN8v_expf)": the function for 8 values of a call.
std::string variant_of(llvm::CallInst& call, const std::string& name, vector_kind kind) {
  auto& module = *call.getModule();
  const auto lanes = llvm::utostr(kind.bits / call.getType()->getScalarSizeInBits());
  const std::string parameters(call.arg_size(), 'v');
  const auto own = std::string("_ZGV") + kind.letter + "N" + lanes + parameters + "_" + name;
  auto variant = "_ZGV_LLVM_N" + lanes + parameters + "_" +
                 call.getCalledFunction()->getName().str() + "(" + own + ")";
  if (module.getFunction(own) == nullptr) {
    const auto info = llvm::VFABI::tryDemangleForVFABI(variant, call.getFunctionType());
    auto* declared =
        llvm::Function::Create(llvm::VFABI::createFunctionType(*info, call.getFunctionType()),
                               llvm::GlobalValue::ExternalLinkage, own, module);
    declared->copyAttributesFrom(call.getCalledFunction());
    llvm::appendToCompilerUsed(module, {declared});
  }
  return variant;
}

bool may_be_vector(const llvm::CallInst& call) {
  const auto* type = call.getType();
  return call.getCalledFunction() != nullptr && (type->isFloatTy() || type->isDoubleTy()) &&
         call.doesNotAccessMemory() && llvm::isa<llvm::FPMathOperator>(call) &&
         call.hasApproxFunc();
}

}  // namespace

bool has_vector_version(llvm::StringRef name) { return minor_since(name) != 0; }

void offer_vector_maths(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                        unsigned glibc_minor) {
  const llvm::Triple target(function.getParent()->getTargetTriple());
  if (target.getArch() != llvm::Triple::x86_64 || !target.isOSGlibc()) return;
  const auto widest = analyses.getResult<llvm::TargetIRAnalysis>(function).getRegisterBitWidth(
      llvm::TargetTransformInfo::RGK_FixedWidthVector);
  const auto kinds = kinds_for(function, static_cast<unsigned>(widest.getFixedValue()));
  for (auto& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || !may_be_vector(*call)) continue;
    const auto* known = find_maths(*call);
    if (known == nullptr || known->what != maths_function::shape::floats) continue;
    const auto since = minor_since(known->name);
    if (since == 0 || since > glibc_minor) continue;
    llvm::SmallVector<std::string> variants;
    const auto name = std::string(known->name) + (call->getType()->isFloatTy() ? "f" : "");
    for (const auto kind : kinds) variants.push_back(variant_of(*call, name, kind));
    llvm::VFABI::setVectorVariantNames(call, variants);
  }
}

}  // namespace pappus::compiler
