#include "compiler/analysis/long_doubles.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "compiler/analysis/positions.h"

namespace pappus::compiler {
namespace {

constexpr std::size_t bytes_of_number = 10;

bool is_logarithm(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  return callee != nullptr && call.getType()->isX86_FP80Ty() &&
         (callee->getIntrinsicID() == llvm::Intrinsic::log || callee->getName() == "logl");
}

/// None where the plugin itself runs on a processor without such numbers.
std::optional<llvm::APFloat> logarithm(const llvm::APFloat& x) {
  if (sizeof(long double) < bytes_of_number || LDBL_MANT_DIG != 64) return std::nullopt;
  long double number = 0;
  std::memcpy(&number, x.bitcastToAPInt().getRawData(), bytes_of_number);
  number = std::log(number);
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), &number, bytes_of_number);
  return llvm::APFloat(llvm::APFloat::x87DoubleExtended(), llvm::APInt(80, words));
}

bool is_of_generator(const llvm::Instruction& i) {
  return llvm::any_of(position_of(i, "").functions, [](llvm::StringRef symbol) {
    return symbol.starts_with("_ZSt18generate_canonical");
  });
}

/// Whether all powers of the range that numbers are drawn for are long doubles: always those of a
/// power of 2, and the second, which is the last that 53 bits need.
bool has_exact_powers(const llvm::APFloat& range) {
  const double r = range.convertToDouble();
  int exponent = 0;
  return std::frexp(r, &exponent) == 0.5 || (r >= 0x1p27 && r <= 0x1p32);
}

/// The product in doubles of a number that was a double or float before, and of a constant that is
/// a double; null: it is something else.
llvm::Value* narrow_product(llvm::FPTruncInst& to) {
  using namespace llvm::PatternMatch;
  llvm::Value* x = nullptr;
  const llvm::APFloat* by = nullptr;
  if (!to.getSrcTy()->isX86_FP80Ty() || !is_of_generator(to) ||
      !match(to.getOperand(0), m_c_FMul(m_FPExt(m_Value(x)), m_APFloat(by))))
    return nullptr;
  auto constant = *by;
  bool loses = false;
  constant.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  if (loses || !has_exact_powers(constant)) return nullptr;
  llvm::IRBuilder<> builder(&to);
  auto* const wide = builder.getDoubleTy();
  auto* const product =
      builder.CreateFMul(builder.CreateFPExt(x, wide), llvm::ConstantFP::get(wide, constant));
  return builder.CreateFPTrunc(product, to.getType());
}

}  // namespace

void replace_long_doubles(llvm::Function& function) {
  for (auto& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* by = nullptr;
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call != nullptr && is_logarithm(*call)) {
      const auto* of = llvm::dyn_cast<llvm::ConstantFP>(call->getArgOperand(0));
      const auto value = of != nullptr ? logarithm(of->getValueAPF()) : std::nullopt;
      if (value) by = llvm::ConstantFP::get(i.getType(), *value);
    } else if (auto* to = llvm::dyn_cast<llvm::FPTruncInst>(&i)) {
      by = narrow_product(*to);
    }
    if (by == nullptr) continue;
    i.replaceAllUsesWith(by);
    i.eraseFromParent();
  }
}

}  // namespace pappus::compiler
