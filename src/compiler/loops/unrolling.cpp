#include "compiler/loops/unrolling.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace pappus::compiler {
namespace {

constexpr unsigned turns_max = 64, instructions_max = 4000;

/// 0: it isn't fixed.
unsigned turns_of(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  return evolution.getSmallConstantTripCount(&loop);
}

}  // namespace

void ask_to_unroll(llvm::Loop& loop, const llvm::LoopInfo& loops,
                   llvm::ScalarEvolution& evolution) {
  const auto& function = *loop.getHeader()->getParent();
  if (!function.getName().starts_with("_ZN6pappus6detail13launched_call") || !loop.isInnermost() ||
      llvm::hasUnrollTransformation(&loop) != llvm::TM_Unspecified)
    return;
  for (const auto* other : loops.getLoopsInPreorder()) {
    const auto turns = turns_of(*other, evolution);
    if (turns == 0 || turns > turns_max) return;
  }
  unsigned instructions = 0;
  for (const auto* block : loop.blocks()) instructions += block->size();
  if (instructions * turns_of(loop, evolution) <= instructions_max)
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
}

}  // namespace pappus::compiler
