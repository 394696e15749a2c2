#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SaveAndRestore.h>

#include "compiler/emit/helpers.h"
#include "compiler/emit/leaves.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {

using llvm::Intrinsic::ID;
namespace intrinsics = llvm::Intrinsic;

std::string writer::helper(const std::string& name, const std::string& text) {
  helpers_.try_emplace(name, text);
  return "$f_" + name;
}

expression writer::called(const llvm::CallBase& call, unsigned leaf) {
  if (const auto* function = find_maths(call)) return maths_call(call, *function, leaf);
  if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return intrinsic(*known, leaf);
  return memory_call(call);
}

expression writer::intrinsic(const llvm::IntrinsicInst& call, unsigned leaf) {
  const auto argument = [&](unsigned i) { return value(call.getArgOperand(i), leaf); };
  switch (call.getIntrinsicID()) {
    case intrinsics::fmuladd:
      return binary(binary(argument(0), "*", argument(1), level::product, type_of(&call, leaf)),
                    "+", argument(2), level::sum, type_of(&call, leaf));
    case intrinsics::is_constant:
      return {"false", level::primary, integer_type(1, false)};
    case intrinsics::minimum:
    case intrinsics::maximum:
      return extreme(call, call.getIntrinsicID() == intrinsics::minimum, leaf);
    case intrinsics::is_fpclass:
      return classified(call, leaf);
    case intrinsics::fptosi_sat:
    case intrinsics::fptoui_sat:
      return saturated(call, call.getIntrinsicID() == intrinsics::fptosi_sat, leaf);
    case intrinsics::powi: {
      const auto type = type_of(&call, leaf);
      const auto name = helper(type.bits == 32 ? "powerf" : "power", integer_power(type));
      return compiler::call(
          name, argument(0).text + ", " + integer(call.getArgOperand(1), true).text, type);
    }
    case intrinsics::canonicalize:
    case intrinsics::expect:
    case intrinsics::expect_with_probability:
    case intrinsics::arithmetic_fence:
    case intrinsics::annotation:
    case intrinsics::ssa_copy:
      return argument(0);
    case intrinsics::ctpop:
    case intrinsics::ctlz:
    case intrinsics::cttz:
    case intrinsics::bswap:
    case intrinsics::bitreverse:
    case intrinsics::fshl:
    case intrinsics::fshr:
      return bit_count(call, leaf);
    case intrinsics::abs:
    case intrinsics::smin:
    case intrinsics::smax:
    case intrinsics::umin:
    case intrinsics::umax:
    case intrinsics::scmp:
    case intrinsics::ucmp:
      return integer_extreme(call, leaf);
    case intrinsics::sadd_sat:
    case intrinsics::uadd_sat:
    case intrinsics::ssub_sat:
    case intrinsics::usub_sat:
      return saturating(call, leaf);
    default:
      break;
  }
  if (const auto* op = llvm::dyn_cast<llvm::WithOverflowInst>(&call)) return overflowing(*op, leaf);
  reject(cause::unknown_call, &call);
  return {"0", level::primary, type_of(&call, leaf)};
}

// Counts, swaps and rotations of bits.
expression writer::bit_count(const llvm::IntrinsicInst& op, unsigned leaf) {
  const auto bits = leaf_type(op.getType(), leaf)->getIntegerBitWidth();
  if (bits > 64) {
    reject(cause::int128, &op);
    return {"0"};
  }
  const auto type = integer_type(bits, false);
  const unsigned wide = bits <= 32 ? 32 : 64;
  const auto wide_type = integer_type(wide, false);
  const auto id = op.getIntrinsicID();
  auto x = integer(op.getArgOperand(0), false, leaf);
  if (storage_bits(bits) < 32) x = cast(wide_type, x);
  const auto result = [&](const expression& e) {
    auto narrow = cast(integer_type(storage_bits(bits), false), e);
    narrow.type = type;
    return narrow;
  };
  switch (id) {
    case intrinsics::ctpop:
      return result(call("popcount", x.text, wide_type));
    case intrinsics::ctlz: {
      auto zeros = call("clz", x.text, wide_type);
      if (bits == wide) return result(zeros);
      return result(binary(zeros, "-", {std::to_string(wide - bits)}, level::sum, wide_type));
    }
    case intrinsics::cttz: {
      // The bits below the lowest that is set; above an odd width all are.
      if (bits != wide) {
        const auto stop = integer_literal(llvm::APInt::getOneBitSet(wide, bits), false);
        x = {"(" + binary(x, "|", stop, level::bitwise, wide_type).text + ")"};
      }
      const auto one = wide == 32 ? "1u" : "1ul";
      return result(
          call("popcount",
               "~" + operand(x, level::unary) + " & (" + operand(x, level::sum) + " - " + one + ")",
               wide_type));
    }
    case intrinsics::bswap:
    case intrinsics::bitreverse: {
      const bool swaps = id == intrinsics::bswap;
      const auto name = (swaps ? "swap_bytes" : "reverse_bits") + std::to_string(bits);
      if (!is_c_width(bits)) reject(cause::unknown_code, &op);
      return call(helper(name, swaps ? byte_swap(bits) : bit_reverse(bits)), x.text, type);
    }
    default: {
      const bool left = id == intrinsics::fshl;
      if (!is_c_width(bits)) reject(cause::unknown_code, &op);
      const auto name = (left ? "shift_left" : "shift_right") + std::to_string(bits);
      const auto low = integer(op.getArgOperand(1), false, leaf);
      auto by = integer(op.getArgOperand(2), false, leaf);
      if (by.type.bits == 64) by = cast(integer_type(32, false), by);
      return call(helper(name, funnel_shift(bits, left)), x.text + ", " + low.text + ", " + by.text,
                  type);
    }
  }
}

expression writer::integer_extreme(const llvm::IntrinsicInst& op, unsigned leaf) {
  const auto bits = leaf_type(op.getArgOperand(0)->getType(), leaf)->getIntegerBitWidth();
  if (bits > 64) {
    reject(cause::int128, &op);
    return {"0"};
  }
  const auto id = op.getIntrinsicID();
  const bool is_signed = id != intrinsics::umin && id != intrinsics::umax && id != intrinsics::ucmp;
  const bool odd = !is_c_width(bits) || bits == 1;
  const unsigned wide = bits <= 32 ? 32 : 64;
  const auto type = integer_type(odd ? wide : bits, is_signed);
  auto a = integer(op.getArgOperand(0), is_signed, leaf);
  if (id == intrinsics::abs) {
    const auto negative = binary(a, "<", {"0"}, level::relation, {});
    const bool least_is_poison = llvm::cast<llvm::ConstantInt>(op.getArgOperand(1))->isOne();
    const auto unsigned_type = integer_type(wide, false);
    if (least_is_poison && !odd) {
      auto minus = expression{"-" + operand(a, level::primary), level::unary, a.type};
      auto e = conditional(negative, minus, a);
      return bits < 32 ? cast(type, e) : e;
    }
    const auto same = cast(unsigned_type, a);
    const auto zero = integer_literal(llvm::APInt(wide, 0), false);
    auto e = conditional(negative, binary(zero, "-", same, level::sum, unsigned_type), same);
    e.type = unsigned_type;
    if (odd) return masked(e, bits);
    return bits < 32 ? cast(integer_type(bits, false), e) : e;
  }
  auto b = integer(op.getArgOperand(1), is_signed, leaf);
  if (id == intrinsics::scmp || id == intrinsics::ucmp) {
    return {"(" + binary(a, ">", b, level::relation, {}).text + ") - (" +
                binary(a, "<", b, level::relation, {}).text + ")",
            level::sum, integer_type(32, true)};
  }
  if (storage_bits(bits) < 32) {
    a = cast(integer_type(32, is_signed), a);
    b = cast(integer_type(32, is_signed), b);
  }
  const bool least = id == intrinsics::smin || id == intrinsics::umin;
  auto e = call(least ? "min" : "max", a.text + ", " + b.text, type);
  if (odd && is_signed) return masked(cast(integer_type(wide, false), e), bits);
  if (odd) e.type = integer_type(bits, false);
  return e;
}

// Leaf 0 is the result as it wraps, leaf 1 tells whether it did.
expression writer::overflowing(const llvm::WithOverflowInst& op, unsigned leaf) {
  const auto bits = op.getLHS()->getType()->getScalarSizeInBits();
  if (bits > 64 || !is_c_width(bits) || bits == 1) {
    reject(cause::unknown_code, &op);
    return {"0"};
  }
  const bool is_signed = op.isSigned();
  const auto type = integer_type(bits, false);
  const auto code = op.getBinaryOp();
  const char* sign = code == llvm::Instruction::Add   ? "+"
                     : code == llvm::Instruction::Sub ? "-"
                                                      : "*";
  const auto binds = code == llvm::Instruction::Mul ? level::product : level::sum;
  const auto flag = integer_type(1, false);
  if (leaf == 1 && bits <= 32) {
    // The exact result has twice the bits.
    const auto wide = integer_type(64, true);
    const auto a = cast(wide, integer(op.getLHS(), is_signed));
    const auto b = cast(wide, integer(op.getRHS(), is_signed));
    const auto exact = binary(a, sign, b, binds, wide);
    if (!is_signed && code == llvm::Instruction::Mul) {
      const auto product = binary(cast(integer_type(64, false), a), sign, b, binds, wide);
      const auto most = integer_literal(llvm::APInt::getMaxValue(bits).zext(64), false);
      return binary(product, ">", most, level::relation, flag);
    }
    return binary(exact, "!=", cast(wide, cast(integer_type(bits, is_signed), exact)),
                  level::equality, flag);
  }
  auto a = integer(op.getLHS(), false), b = integer(op.getRHS(), false);
  if (bits < 32) a = cast(integer_type(32, false), a);
  const auto wrapped = binary(a, sign, b, binds, type);
  if (leaf == 0) return bits < 32 ? cast(type, wrapped) : wrapped;
  if (code == llvm::Instruction::Mul) {
    const auto ulong_type = integer_type(64, false);
    if (!is_signed)
      return binary(call("mul_hi", a.text + ", " + b.text, ulong_type), "!=", {"0"},
                    level::equality, flag);
    const auto sa = integer(op.getLHS(), true), sb = integer(op.getRHS(), true);
    const auto high = call("mul_hi", sa.text + ", " + sb.text, integer_type(64, true));
    const auto low = cast(integer_type(64, true), wrapped);
    return binary(high, "!=", binary(low, ">>", {"63"}, level::shift, low.type), level::equality,
                  flag);
  }
  const bool adds = code == llvm::Instruction::Add;
  if (!is_signed) {
    return adds ? binary(wrapped, "<", a, level::relation, flag)
                : binary(a, "<", b, level::relation, flag);
  }
  // Signed sums overflow where both signs differ from that of the result.
  const auto sum = expression{"(" + wrapped.text + ")", level::primary, type};
  const auto first = binary(a, "^", sum, level::bitwise, type);
  const auto second =
      adds ? binary(b, "^", sum, level::bitwise, type) : binary(a, "^", b, level::bitwise, type);
  const auto both = binary(first, "&", second, level::bitwise, type);
  return binary(cast(integer_type(64, true), both), "<", {"0"}, level::relation, flag);
}

expression writer::saturating(const llvm::IntrinsicInst& op, unsigned leaf) {
  const auto id = op.getIntrinsicID();
  const bool is_signed = id == intrinsics::sadd_sat || id == intrinsics::ssub_sat;
  const bool subtracts = id == intrinsics::ssub_sat || id == intrinsics::usub_sat;
  const auto bits = leaf_type(op.getType(), leaf)->getIntegerBitWidth();
  if (bits > 64 || !is_c_width(bits) || bits == 1) {
    reject(cause::unknown_code, &op);
    return {"0"};
  }
  const auto type = integer_type(bits, is_signed);
  const auto name = (subtracts ? "subtract_" : "add_") + name_of(type);
  return call(helper(name, saturating_sum(type, subtracts)),
              integer(op.getArgOperand(0), is_signed, leaf).text + ", " +
                  integer(op.getArgOperand(1), is_signed, leaf).text,
              type);
}

// memcmp and its like, over memory of any space.
expression writer::memory_call(const llvm::CallBase& call) {
  const llvm::SaveAndRestore<const llvm::Instruction*> position(current_, &call);
  const auto* callee = call.getCalledFunction();
  const auto name = callee ? callee->getName() : llvm::StringRef();
  const auto int_type = integer_type(32, true);
  const auto readable = [&](unsigned i) {
    const auto at = locate(call.getArgOperand(i));
    return may_follow(at, false);
  };
  const auto letter = [&](unsigned i) {
    auto where = spaces_.of(call.getArgOperand(i)).qualifiers();
    std::string tag;
    for (const char c : where) {
      if (llvm::isAlnum(c)) tag += llvm::toLower(c);
    }
    return tag;
  };
  const auto compared = [&](const char* kind, auto text_of) {
    const auto own = kind + letter(0) + "_" + letter(1);
    const auto most =
        call.arg_size() > 2 ? integer(call.getArgOperand(2), false).text : "18446744073709551615ul";
    return compiler::call(
        helper(own, text_of(own, spaces_.of(call.getArgOperand(0)).qualifiers(),
                            spaces_.of(call.getArgOperand(1)).qualifiers())),
        value(call.getArgOperand(0)).text + ", " + value(call.getArgOperand(1)).text + ", " + most,
        int_type);
  };
  if ((name == "memcmp" || name == "bcmp") && readable(0) && readable(1))
    return compared("compare_", compare_bytes);
  if ((name == "strcmp" || name == "strncmp") && readable(0) && readable(1))
    return compared("compare_strings_", compare_strings);
  if (name == "memchr" && readable(0)) {
    const auto own = "find_" + letter(0);
    const auto type = c_type{c_type::kind::pointer, 64, false};
    return compiler::call(
        helper(own, find_byte(own, spaces_.of(call.getArgOperand(0)).qualifiers())),
        value(call.getArgOperand(0)).text + ", " + integer(call.getArgOperand(1), true).text +
            ", " + integer(call.getArgOperand(2), false).text,
        type);
  }
  if (name == "strlen" && readable(0)) {
    const auto own = "length_" + letter(0);
    return compiler::call(
        helper(own, string_length(own, spaces_.of(call.getArgOperand(0)).qualifiers())),
        value(call.getArgOperand(0)).text, integer_type(64, false));
  }
  if (name == "abs" || name == "labs" || name == "llabs") {
    const auto x = integer(call.getArgOperand(0), true);
    auto minus = expression{"-" + operand(x, level::primary), level::unary, x.type};
    return conditional(binary(x, "<", {"0"}, level::relation, {}), minus, x);
  }
  if (is_character_function(name))
    return compiler::call(helper(name.str(), character_function(name)),
                          integer(call.getArgOperand(0), true).text, int_type);
  if (result_.reasons.empty()) reject(cause::unknown_call, &call);
  return {"0", level::primary, call.getType()->isVoidTy() ? int_type : type_of(&call)};
}

}  // namespace pappus::compiler
