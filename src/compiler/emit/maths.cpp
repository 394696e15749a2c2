#include "compiler/emit/maths.h"

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <iterator>

namespace pappus::compiler {
namespace {

using shape = maths_function::shape;

// Sorted by name.
constexpr maths_function table[] = {
    {"__divdc3", "divide", shape::complex},
    {"__divsc3", "divide", shape::complex},
    {"__muldc3", "multiply", shape::complex},
    {"__mulsc3", "multiply", shape::complex},
    {"acos", "acos", shape::floats},
    {"acosh", "acosh", shape::floats},
    {"asin", "asin", shape::floats},
    {"asinh", "asinh", shape::floats},
    {"atan", "atan", shape::floats},
    {"atan2", "atan2", shape::floats},
    {"atanh", "atanh", shape::floats},
    {"cabs", "hypot", shape::of_complex},
    {"carg", "atan2", shape::of_complex},
    {"cbrt", "cbrt", shape::floats},
    {"ceil", "ceil", shape::floats},
    {"cexp", "exponential", shape::complex},
    {"copysign", "copysign", shape::floats},
    {"cos", "cos", shape::floats},
    {"cosh", "cosh", shape::floats},
    {"csqrt", "root", shape::complex},
    {"erf", "erf", shape::floats},
    {"erfc", "erfc", shape::floats},
    {"exp", "exp", shape::floats},
    {"exp10", "exp10", shape::floats},
    {"exp2", "exp2", shape::floats},
    {"expm1", "expm1", shape::floats},
    {"fabs", "fabs", shape::floats},
    {"fdim", "fdim", shape::floats},
    {"floor", "floor", shape::floats},
    {"fma", "fma", shape::floats},
    {"fmax", "fmax", shape::floats},
    {"fmin", "fmin", shape::floats},
    {"fmod", "fmod", shape::floats},
    {"frexp", "frexp", shape::to_pointers},
    {"hypot", "hypot", shape::floats},
    {"ilogb", "ilogb", shape::to_int},
    {"ldexp", "ldexp", shape::float_int},
    {"lgamma", "lgamma", shape::floats},
    {"llrint", "rint", shape::to_long},
    {"llround", "round", shape::to_long},
    {"log", "log", shape::floats},
    {"log10", "log10", shape::floats},
    {"log1p", "log1p", shape::floats},
    {"log2", "log2", shape::floats},
    {"logb", "logb", shape::floats},
    {"lrint", "rint", shape::to_long},
    {"lround", "round", shape::to_long},
    {"modf", "modf", shape::to_pointers},
    {"nearbyint", "rint", shape::floats},
    {"nextafter", "nextafter", shape::floats},
    {"pow", "pow", shape::floats},
    {"remainder", "remainder", shape::floats},
    {"remquo", "remquo", shape::to_pointers},
    {"rint", "rint", shape::floats},
    {"round", "round", shape::floats},
    {"roundeven", "rint", shape::floats},
    {"scalbln", "ldexp", shape::float_int},
    {"scalbn", "ldexp", shape::float_int},
    {"sin", "sin", shape::floats},
    {"sincos", "sincos", shape::to_pointers},
    {"sinh", "sinh", shape::floats},
    {"sqrt", "sqrt", shape::floats},
    {"tan", "tan", shape::floats},
    {"tanh", "tanh", shape::floats},
    {"tgamma", "tgamma", shape::floats},
    {"trunc", "trunc", shape::floats},
};

// The intrinsic's name in C.
llvm::StringRef name_of(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::minnum:
      return "fmin";
    case llvm::Intrinsic::maxnum:
      return "fmax";
    // Their names continue with those of the types.
    case llvm::Intrinsic::acos:
    case llvm::Intrinsic::asin:
    case llvm::Intrinsic::atan:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::cosh:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::ldexp:
    case llvm::Intrinsic::llrint:
    case llvm::Intrinsic::llround:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::lrint:
    case llvm::Intrinsic::lround:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::sinh:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::tan:
    case llvm::Intrinsic::tanh:
    case llvm::Intrinsic::trunc:
      return llvm::Intrinsic::getBaseName(id).drop_front(std::size("llvm.") - 1);
    default:
      return {};
  }
}

/// As x86-64 passes a std::complex<float>.
bool is_complex_float(const llvm::Type* type) {
  const auto* pair = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return pair != nullptr && pair->getNumElements() == 2 && pair->getElementType()->isFloatTy();
}

}  // namespace

const maths_function* find_maths(llvm::StringRef name) {
  const auto* found = std::lower_bound(
      std::begin(table), std::end(table), name,
      [](const maths_function& row, llvm::StringRef key) { return row.name < key; });
  return found != std::end(table) && name == found->name ? found : nullptr;
}

const maths_function* find_maths(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (!callee) return nullptr;
  if (callee->isIntrinsic()) return find_maths(name_of(callee->getIntrinsicID()));
  if (!callee->isDeclaration() || callee->arg_empty()) return nullptr;
  const auto name = callee->getName();
  const auto* type = callee->getArg(0)->getType();
  if (type->isDoubleTy()) return find_maths(name);
  if (is_complex_float(type) && callee->arg_size() == 1 && name.ends_with("f"))
    return find_maths(name.drop_back());
  if (!type->isFloatTy()) return nullptr;
  if (const auto* found = find_maths(name); found && found->what == shape::complex) return found;
  return name.ends_with("f") ? find_maths(name.drop_back()) : nullptr;
}

}  // namespace pappus::compiler
