#include "compiler/analysis/source_names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace pappus::compiler {
const llvm::DIType* plain(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_member:
        type = derived->getBaseType();
        break;
      default:
        return type;
    }
  }
  return type;
}

namespace {

constexpr std::uint64_t byte = 8;

/// What to write behind the name of a value of this type, to reach the value at an offset in it.
std::string part_at(const llvm::DIType* type, std::uint64_t offset) {
  const auto* whole = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain(type));
  if (whole == nullptr) return "";
  if (whole->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const auto* element = plain(whole->getBaseType());
    const auto size = element != nullptr ? element->getSizeInBits() / byte : 0;
    if (size == 0) return "";
    return "[" + std::to_string(offset / size) + "]" + part_at(element, offset % size);
  }
  // An index and a std::array have a subscript, their members are nobody's business.
  const bool is_index = whole->getName().starts_with("idx<");
  if (is_index && whole->getSizeInBits() > 8 * byte) return "[" + std::to_string(offset / 8) + "]";
  if (is_index) return "";
  const bool is_array = whole->getName().starts_with("array<");
  for (const auto* element : whole->getElements()) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member == nullptr || member->getTag() != llvm::dwarf::DW_TAG_member ||
        member->isStaticMember())
      continue;
    const auto begin = member->getOffsetInBits() / byte;
    if (offset < begin || offset >= begin + member->getSizeInBits() / byte) continue;
    const auto name = is_array ? "" : "." + member->getName().str();
    return name + part_at(member->getBaseType(), offset - begin);
  }
  return "";
}

const llvm::DIType* behind_reference(const llvm::DIType* type) {
  const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(plain(type));
  return derived != nullptr ? derived->getBaseType() : nullptr;
}

/// Every variable that the function's code mentions.
template <typename Visit>
void each_variable(const llvm::Function& function, Visit visit) {
  for (const auto& i : llvm::instructions(function)) {
    if (i.DebugMarker != nullptr)  // as in extract.cpp
      for (const auto& record : llvm::filterDbgVars(i.DebugMarker->getDbgRecordRange()))
        visit(record.get().getVariable());
    if (const auto* old = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&i)) visit(old->getVariable());
  }
}

}  // namespace

std::optional<std::string> part_of(const llvm::DIType* type, std::uint64_t offset,
                                   std::uint64_t size) {
  type = plain(type);
  if (type == nullptr) return std::nullopt;
  if (offset == 0 && type->getSizeInBits() == size * byte) return "";
  const auto* whole = llvm::dyn_cast<llvm::DICompositeType>(type);
  if (whole == nullptr) return std::nullopt;
  if (whole->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const auto* element = plain(whole->getBaseType());
    const auto each = element != nullptr ? element->getSizeInBits() / byte : 0;
    if (each == 0) return std::nullopt;
    const auto rest = part_of(element, offset % each, size);
    return rest ? std::optional("[" + std::to_string(offset / each) + "]" + *rest) : std::nullopt;
  }
  const bool is_array = whole->getName().starts_with("array<");
  for (const auto* element : whole->getElements()) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember() || member->isBitField()) continue;
    const bool is_base = member->getTag() == llvm::dwarf::DW_TAG_inheritance;
    if (!is_base && member->getTag() != llvm::dwarf::DW_TAG_member) continue;
    const auto begin = member->getOffsetInBits() / byte;
    if (offset < begin) continue;
    const auto rest = part_of(member->getBaseType(), offset - begin, size);
    if (rest) return (is_array || is_base ? "" : "." + member->getName().str()) + *rest;
  }
  return std::nullopt;
}

std::vector<std::string> source_names::of_thunk(const slot& s) const {
  std::vector<std::string> result;
  std::size_t next = 0;
  for (const auto& one : s.parameters) {
    const bool is_users =
        one.what == role::input || one.what == role::match || one.what == role::side;
    result.push_back(is_users && next < parameters.size() ? parameters[next++] : "");
  }
  return result;
}

std::string source_names::captured(const std::vector<std::int64_t>& path) const {
  if (captures == nullptr) return "";
  auto offset = static_cast<std::uint64_t>(path[0]);
  for (const auto* element : captures->getElements()) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member == nullptr || member->getTag() != llvm::dwarf::DW_TAG_member) continue;
    const auto begin = member->getOffsetInBits() / byte;
    if (offset < begin || offset >= begin + member->getSizeInBits() / byte) continue;
    if (path.size() == 1) return member->getName().str() + part_at(member, offset - begin);
    if (path.size() > 2 || offset != begin) return "";
    return member->getName().str() +
           part_at(behind_reference(member), static_cast<std::uint64_t>(path[1]));
  }
  return "";
}

std::vector<const llvm::DIType*> records_of(const slot& s) {
  const auto* program = s.thunk->getSubprogram();
  if (program == nullptr || program->getType() == nullptr) return {};
  const auto types = program->getType()->getTypeArray();
  if (!types || types.size() != s.parameters.size() + 1) return {};
  std::vector<const llvm::DIType*> result;
  for (unsigned i = 1; i < types.size(); ++i) result.push_back(behind_reference(types[i]));
  return result;
}

source_names names_of(const slot& s, const std::vector<const llvm::Function*>& copied) {
  source_names result;
  const auto place = place_of(s.function);
  for (const auto* function : copied) {
    const auto* program = function->getSubprogram();
    // The lambda's call operator: of a generic one there may be several, named alike.
    if (program == nullptr || program->getLine() != place.line ||
        program->getFilename() != place.path || !program->getName().starts_with("operator()"))
      continue;
    const auto* lambda = llvm::dyn_cast_or_null<llvm::DICompositeType>(program->getScope());
    if (lambda == nullptr) continue;
    result.captures = lambda;
    each_variable(*function, [&](const llvm::DILocalVariable* variable) {
      constexpr unsigned before = 2;  // counted from 1, and the first is `this`
      if (variable->getArg() < before || variable->getScope()->getSubprogram() != program) return;
      const auto n = variable->getArg() - before;
      if (n >= result.parameters.size()) result.parameters.resize(n + 1);
      result.parameters[n] = variable->getName().str();
    });
    break;
  }
  return result;
}

}  // namespace pappus::compiler
