// What clang makes of a field of `width` bits that begins at bit `first` of a wide integer:
//
//   unsigned   trunc (and (lshr wide, first), mask)     both may be missing
//   signed     trunc (ashr (shl wide, n), m)            the shift to the left may be missing
#include "compiler/analysis/bit_fields.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <vector>

namespace pappus::compiler {
namespace {

constexpr unsigned widest = 64;  // of device code

struct bit_field {
  llvm::TruncInst* value;
  unsigned first, width;
  bool is_signed;
};

/// The field that a conversion to a narrow integer takes out of `wide`.
std::optional<bit_field> field_of(llvm::TruncInst& value, llvm::LoadInst& wide) {
  using namespace llvm::PatternMatch;
  const unsigned all = wide.getType()->getIntegerBitWidth();
  const unsigned kept = value.getType()->getIntegerBitWidth();
  const llvm::APInt *left = nullptr, *right = nullptr, *mask = nullptr;
  llvm::Value* from = value.getOperand(0);
  const auto fits = [&](const bit_field& f) {
    return f.width > 0 && f.width <= widest && f.width <= kept && f.first + f.width <= all;
  };
  const auto checked = [&](const bit_field& f) {
    return fits(f) ? std::optional(f) : std::nullopt;
  };
  if (match(from, m_AShr(m_Shl(m_Specific(&wide), m_APInt(left)), m_APInt(right))) &&
      left->ult(all) && right->ult(all) && left->ule(*right)) {
    const auto l = static_cast<unsigned>(left->getZExtValue());
    const auto r = static_cast<unsigned>(right->getZExtValue());
    return checked({&value, r - l, all - r, true});
  }
  if (match(from, m_AShr(m_Specific(&wide), m_APInt(right))) && right->ult(all)) {
    const auto r = static_cast<unsigned>(right->getZExtValue());
    return checked({&value, r, all - r, true});
  }
  if (match(from, m_And(m_Value(from), m_APInt(mask))) && !mask->isMask()) return std::nullopt;
  unsigned width = mask == nullptr ? kept : std::min(kept, mask->popcount());
  unsigned first = 0;
  if (match(from, m_LShr(m_Value(from), m_APInt(right))) && right->ult(all))
    first = static_cast<unsigned>(right->getZExtValue());
  if (from != &wide) return std::nullopt;
  width = std::min(width, all - first);
  return checked({&value, first, width, false});
}

/// The conversions at the end of all that is computed from a value; nullopt: it is used otherwise.
std::optional<std::vector<llvm::TruncInst*>> conversions_of(llvm::Value& wide) {
  std::vector<llvm::TruncInst*> found;
  std::vector<llvm::Value*> open{&wide};
  while (!open.empty()) {
    auto* value = open.back();
    open.pop_back();
    for (auto* user : value->users()) {
      auto* conversion = llvm::dyn_cast<llvm::TruncInst>(user);
      const auto* step = llvm::dyn_cast<llvm::BinaryOperator>(user);
      if (conversion != nullptr)
        found.push_back(conversion);
      else if (step != nullptr && llvm::isa<llvm::ConstantInt>(step->getOperand(1)))
        open.push_back(user);
      else
        return std::nullopt;
    }
  }
  return found;
}

/// Its bytes, at most nine, one after the other as clang reads them: little-endian.
llvm::Value* read(const bit_field& field, llvm::LoadInst& wide) {
  llvm::IRBuilder<> builder(&wide);
  const unsigned begin = field.first / 8, end = (field.first + field.width + 7) / 8;
  const auto part = [&](unsigned from, unsigned to) -> llvm::Value* {
    auto* address =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), wide.getPointerOperand(), from);
    auto* bytes = builder.CreateAlignedLoad(builder.getIntNTy(8 * (to - from)), address,
                                            llvm::commonAlignment(wide.getAlign(), from));
    return builder.CreateZExt(bytes, builder.getInt64Ty());
  };
  const unsigned middle = std::min(end, begin + widest / 8), shift = field.first % 8;
  llvm::Value* bits = builder.CreateLShr(part(begin, middle), shift);
  if (end > middle)
    bits = builder.CreateOr(bits, builder.CreateShl(part(middle, end), widest - shift));
  const unsigned above = widest - field.width;
  bits = builder.CreateShl(bits, above);
  bits = field.is_signed ? builder.CreateAShr(bits, above) : builder.CreateLShr(bits, above);
  return builder.CreateTrunc(bits, field.value->getType());
}

void narrow(llvm::LoadInst& wide) {
  const auto conversions = conversions_of(wide);
  if (!conversions) return;
  std::vector<bit_field> fields;
  for (auto* conversion : *conversions) {
    const auto field = field_of(*conversion, wide);
    if (!field) return;
    fields.push_back(*field);
  }
  for (const auto& field : fields) field.value->replaceAllUsesWith(read(field, wide));
}

}  // namespace

void narrow_bit_fields(llvm::Function& function) {
  if (!function.getParent()->getDataLayout().isLittleEndian()) return;
  std::vector<llvm::LoadInst*> wide;
  for (auto& i : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (load == nullptr || !load->isSimple() || !load->getType()->isIntegerTy()) continue;
    const unsigned bits = load->getType()->getIntegerBitWidth();
    if (bits > widest && bits % 8 == 0) wide.push_back(load);
  }
  for (auto* load : wide) narrow(*load);
}

}  // namespace pappus::compiler
