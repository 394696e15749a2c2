#include "compiler/emit/offsets.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <algorithm>

namespace pappus::compiler {
namespace {

// Larger arrays are shared data.
constexpr std::int64_t bytes_max = std::int64_t{1} << 31;

std::optional<std::int64_t> number(const llvm::SCEV* value) {
  const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(value);
  if (constant == nullptr || constant->getAPInt().getSignificantBits() > 32) return std::nullopt;
  return constant->getAPInt().getSExtValue();
}

/// How often the loop has begun anew at most when the access runs. Other ways out of it may make
/// that less: the memory is there all the same, where it is an array's.
std::optional<std::int64_t> last_round(const llvm::Loop& loop, const llvm::Instruction& access,
                                       llvm::ScalarEvolution& values) {
  auto* header = loop.getHeader();
  const auto first_count = number(values.getExitCount(&loop, header));
  // The last time the header is all that runs.
  if (first_count) return *first_count - (access.getParent() == header ? 0 : 1);
  const auto* latch = loop.getLoopLatch();
  return latch != nullptr ? number(values.getExitCount(&loop, latch)) : std::nullopt;
}

std::optional<offset_range> range_of(const llvm::SCEV* value, const llvm::Instruction& access,
                                     llvm::ScalarEvolution& values) {
  if (const auto constant = number(value)) return offset_range{*constant, *constant};
  if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(value)) {
    offset_range all;
    for (const auto* part : sum->operands()) {
      const auto one = range_of(part, access, values);
      if (!one) return std::nullopt;
      all = {all.low + one->low, all.high + one->high};
    }
    return all;
  }
  const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value);
  if (counter == nullptr || !counter->isAffine() || !counter->getLoop()->contains(&access))
    return std::nullopt;
  const auto start = range_of(counter->getStart(), access, values);
  const auto step = number(counter->getStepRecurrence(values));
  const auto rounds = last_round(*counter->getLoop(), access, values);
  if (!start || !step || !rounds || *rounds < 0) return std::nullopt;
  const auto way = *step * *rounds;
  const offset_range all{start->low + std::min<std::int64_t>(way, 0),
                         start->high + std::max<std::int64_t>(way, 0)};
  if (all.low < -bytes_max || all.high > bytes_max) return std::nullopt;
  return all;
}

}  // namespace

offsets::offsets(llvm::Function& code) : code_(code) {}

std::optional<offset_range> offsets::of(const llvm::Value* pointer, const llvm::Value* root,
                                        const llvm::Instruction& access) {
  if (!analyses_) analyses_ = std::make_unique<analyses>();
  auto& values = analyses_->functions.getResult<llvm::ScalarEvolutionAnalysis>(code_);
  const auto* place = values.getSCEV(const_cast<llvm::Value*>(pointer));
  if (values.getPointerBase(place) != values.getSCEV(const_cast<llvm::Value*>(root)))
    return std::nullopt;
  return range_of(values.removePointerBase(place), access, values);
}

}  // namespace pappus::compiler
