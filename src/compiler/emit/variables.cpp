#include "compiler/emit/variables.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/analysis/source_names.h"

namespace pappus::compiler {
namespace {

constexpr llvm::StringLiteral prefix = "v_";
// What function.cpp and memory.cpp put behind a name.
constexpr llvm::StringLiteral endings[] = {"_next", "_second", "_words", "_rows"};

/// The variable, or the part of it, that the record says has this value; empty: none.
std::string variable_of(const llvm::DbgVariableRecord& record) {
  const auto& expression = *record.getExpression();
  const auto* variable = record.getVariable();
  const auto part = expression.getFragmentInfo();
  if (expression.getNumElements() != (part ? 3u : 0u)) return {};  // computed from the value
  // A std::span's pointer, which has the rows.
  if (!part || llvm::isa<llvm::Argument>(record.getVariableLocationOp(0)))
    return identifier_of(variable->getName());
  const auto name = part_of(variable->getType(), part->OffsetInBits / 8, part->SizeInBits / 8);
  return name ? identifier_of(variable->getName().str() + *name) : std::string();
}

}  // namespace

std::string identifier_of(llvm::StringRef name) {
  std::string result;
  for (const char c : name) {
    if (llvm::isAlnum(c))
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result;
}

variables::variables(const llvm::Function& code) {
  for (const auto& i : llvm::instructions(code)) {
    if (i.DebugMarker == nullptr) continue;  // as in extract.cpp
    for (const llvm::DbgVariableRecord& record :
         llvm::filterDbgVars(i.DebugMarker->getDbgRecordRange())) {
      if (record.isKillLocation() || record.getNumVariableLocationOps() != 1) continue;
      const auto* value = record.getVariableLocationOp(0);
      if (!llvm::isa<llvm::Instruction, llvm::Argument>(value)) continue;
      // The first to have it: a caller's comes before the parameter that it is passed as.
      if (auto name = variable_of(record); !name.empty())
        known_.try_emplace(value, std::move(name));
    }
  }
}

std::string variables::name_of(const llvm::Value* value, unsigned leaves) {
  const auto found = known_.find(value);
  return found == known_.end() ? std::string() : name(found->second, leaves);
}

std::string variables::name(const std::string& wanted, unsigned leaves) {
  for (unsigned i = 0;; ++i) {
    auto name = prefix.str() + wanted;
    if (i > 0) name += "_" + std::to_string(i);
    std::vector<std::string> all{name};
    for (unsigned leaf = 0; leaves > 1 && leaf < leaves; ++leaf)
      all.push_back(name + "_" + std::to_string(leaf));
    for (std::size_t n = 0, own = all.size(); n < own; ++n)
      for (const auto ending : endings) all.push_back(all[n] + ending.str());
    if (llvm::any_of(all, [&](const std::string& one) { return taken_.contains(one); })) continue;
    taken_.insert(all.begin(), all.end());
    return name;
  }
}

}  // namespace pappus::compiler
