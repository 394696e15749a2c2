#include "compiler/analysis/work.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <optional>

#include "compiler/emit/maths.h"
#include "compiler/loops/vector_maths.h"

namespace pappus::compiler {
namespace {

constexpr double assumed_rounds = 10;
/// Of code that isn't seen: the least.
constexpr double unseen_call = 20;
/// malloc and free together take as long as so many simple instructions.
constexpr double allocation = 100;

/// Often enough, but not larger than small counts are: a factor and sides' rows.
struct multiple {
  double factor = 1;
  std::vector<unsigned> sides;
};

instruction_counts simple(double n) { return {.simple = n}; }

/// Of a function of <cmath>.
instruction_counts counts_of_maths(llvm::StringRef name) {
  if (name == "sqrt") return {.divisions = 1};
  const double calls = llvm::StringSwitch<double>(name)
                           .Cases("ceil", "copysign", "fabs", "fdim", "floor", "fma", 0)
                           .Cases("fmax", "fmin", "rint", "nearbyint", "round", "roundeven", 0)
                           .Cases("trunc", "llrint", "llround", "lrint", "lround", 0)
                           .Cases("pow", "tgamma", "lgamma", "erf", "erfc", 2)
                           .Default(1);
  return calls == 0 ? simple(1) : instruction_counts{.maths = calls};
}

/// Of LLVM's own functions; none: it is no instruction.
instruction_counts counts_of_intrinsic(const llvm::IntrinsicInst& call) {
  if (call.isAssumeLikeIntrinsic()) return {};
  if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    constexpr double bytes_at_once = 16, unknown_length = 8;
    return simple(length ? 1 + static_cast<double>(length->getZExtValue()) / bytes_at_once
                         : unknown_length);
  }
  return simple(1);
}

bool is_constant_divisor(const llvm::Instruction& i) {
  return llvm::isa<llvm::ConstantInt>(i.getOperand(1));
}

instruction_counts counts_of(const llvm::Instruction& i) {
  using op = llvm::Instruction;
  switch (i.getOpcode()) {
    case op::PHI:
    case op::BitCast:
    case op::Alloca:
    case op::Unreachable:
    case op::Ret:
    case op::AddrSpaceCast:
    case op::IntToPtr:
    case op::PtrToInt:
      return {};
    case op::GetElementPtr:  // a part of the access's address
      return simple(llvm::cast<llvm::GEPOperator>(i).hasAllConstantIndices() ? 0 : 0.5);
    case op::Br:
      return simple(llvm::cast<llvm::BranchInst>(i).isConditional() ? 1 : 0);
    case op::UDiv:
    case op::SDiv:
    case op::URem:
    case op::SRem:
      return is_constant_divisor(i) ? simple(3) : instruction_counts{.divisions = 1};
    case op::FDiv:
      return {.divisions = 1};
    case op::FRem:
      return {.maths = 1};
    default:
      return simple(1);
  }
}

class counting {
 public:
  counting(const kernel_function& function, analyses& with)
      : function_(function),
        loops_(with.functions.getResult<llvm::LoopAnalysis>(*function.code)),
        often_(with.functions.getResult<llvm::BlockFrequencyAnalysis>(*function.code)),
        branches_(with.functions.getResult<llvm::BranchProbabilityAnalysis>(*function.code)),
        values_(with.functions.getResult<llvm::ScalarEvolutionAnalysis>(*function.code)) {}

  call_work run() {
    for (const auto& block : *function_.code) {
      const auto rounds = rounds_of(block);
      if (rounds.factor <= 0) continue;
      auto& counts = work_.counts[rounds.sides];
      const bool wide = may_be_wide(block);
      for (const auto& i : block) {
        const auto one = counts_of_any(i);
        (wide ? counts.wide : counts.simple) += one.simple * rounds.factor;
        counts.divisions += one.divisions * rounds.factor;
        counts.maths += one.maths * rounds.factor;
      }
    }
    return std::move(work_);
  }

 private:
  instruction_counts counts_of_any(const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    return call == nullptr ? counts_of(i) : counts_of_call(*call);
  }

  instruction_counts counts_of_call(const llvm::CallBase& call) {
    if (const auto* maths = find_maths(call)) {
      if (has_vector_version(maths->name)) work_.vector_maths.insert(maths->name);
      return counts_of_maths(maths->name);
    }
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
      return counts_of_intrinsic(*intrinsic);
    if (call.isInlineAsm()) return {};
    const auto* callee = call.getCalledFunction();
    const auto name = callee != nullptr ? callee->getName() : "";
    if (llvm::StringSwitch<bool>(name)
            .Cases("malloc", "_Znwm", "_Znam", true)
            .Default(name.starts_with("_ZnwmSt")))
      return simple(allocation);
    if (name == "free" || name.starts_with("_Zdl") || name.starts_with("_Zda")) return {};
    if (llvm::StringSwitch<bool>(name)
            .Cases("memcmp", "bcmp", "memchr", "strlen", "memcpy", "memmove", true)
            .Default(false)) {
      work_.assumed = true;  // how many bytes
      return simple(unseen_call);
    }
    work_.unseen = true;
    return simple(unseen_call);
  }

  /// A loop over rows, or one of the function's whose rounds are known, can become one over vectors
  /// if its body is one block, besides the test that ends it, and calls nothing.
  bool may_be_wide(const llvm::BasicBlock& block) {
    const auto* loop = loops_.getLoopFor(&block);
    const bool whole = loop != nullptr ? loop->isInnermost() && loop->getNumBlocks() <= 2
                                       : function_.code->size() == 1;
    if (!whole) return false;
    if (loop != nullptr &&
        llvm::isa<llvm::SCEVCouldNotCompute>(values_.getBackedgeTakenCount(loop)))
      return false;
    return llvm::none_of(block, [](const llvm::Instruction& i) {
      return llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i);
    });
  }

  double frequency(const llvm::BasicBlock& block) const {
    return static_cast<double>(often_.getBlockFreq(&block).getFrequency());
  }

  multiple rounds_of(const llvm::BasicBlock& block) {
    const auto* loop = loops_.getLoopFor(&block);
    const auto& entry = loop != nullptr ? *loop->getHeader() : function_.code->getEntryBlock();
    auto rounds = loop != nullptr ? rounds_of(*loop) : multiple();
    rounds.factor *= frequency(block) / std::max(frequency(entry), 1.0);
    return rounds;
  }

  /// How often the loop's header runs a call.
  multiple rounds_of(const llvm::Loop& loop) {
    double entered = 0;
    for (const auto* before : llvm::predecessors(loop.getHeader()))
      if (!loop.contains(before))
        entered += frequency(*before) *
                   branches_.getEdgeProbability(before, loop.getHeader()).getNumerator() /
                   llvm::BranchProbability::getDenominator();
    const auto* outer = loop.getParentLoop();
    auto rounds = outer != nullptr ? rounds_of(*outer) : multiple();
    const auto& around = outer != nullptr ? *outer->getHeader() : function_.code->getEntryBlock();
    rounds.factor *= entered / std::max(frequency(around), 1.0);
    const auto own = own_rounds(loop);
    rounds.factor *= own.factor;
    rounds.sides.insert(rounds.sides.end(), own.sides.begin(), own.sides.end());
    std::ranges::sort(rounds.sides);
    return rounds;
  }

  /// Of the loop's header, whenever the loop is entered.
  multiple own_rounds(const llvm::Loop& loop) {
    const auto* last = values_.getBackedgeTakenCount(&loop);
    double part = 1;
    if (llvm::isa<llvm::SCEVCouldNotCompute>(last)) {  // it may end before
      last = values_.getSymbolicMaxBackedgeTakenCount(&loop);
      part = 0.5;
    }
    if (!llvm::isa<llvm::SCEVCouldNotCompute>(last))
      if (auto found = as_rounds(last)) {
        work_.assumed |= part != 1;
        found->factor *= part;
        return *found;
      }
    work_.assumed = true;
    return {.factor = assumed_rounds, .sides = {}};
  }

  std::optional<multiple> as_rounds(const llvm::SCEV* last) {
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(last))
      return multiple{constant->getAPInt().roundToDouble(false) + 1, {}};
    unsigned side = 0;
    for (unsigned i = 0; i < function_.parameters.size(); ++i) {
      if (function_.parameters[i].what != role::count) continue;
      auto* count = function_.code->getArg(i);
      // For many rows: what else is in it no longer matters.
      constexpr std::uint64_t rows = 1 << 20;
      llvm::ValueToSCEVMapTy many{{count, values_.getConstant(count->getType(), rows)}};
      const auto* then = llvm::dyn_cast<llvm::SCEVConstant>(
          llvm::SCEVParameterRewriter::rewrite(last, values_, many));
      if (then != nullptr)
        return multiple{(then->getAPInt().roundToDouble(false) + 1) / rows, {side}};
      ++side;
    }
    return std::nullopt;
  }

  const kernel_function& function_;
  const llvm::LoopInfo& loops_;
  const llvm::BlockFrequencyInfo& often_;
  const llvm::BranchProbabilityInfo& branches_;
  llvm::ScalarEvolution& values_;
  call_work work_;
};

}  // namespace

call_work work_of(const kernel_function& function, analyses& with) {
  return counting(function, with).run();
}

}  // namespace pappus::compiler
