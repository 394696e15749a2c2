#include <llvm/Support/SaveAndRestore.h>

#include "compiler/emit/leaves.h"
#include "compiler/emit/repeats.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

// Longer copies are loops.
constexpr std::uint64_t unrolled_max = 64;

expression plus(const expression& base, std::int64_t offset) {
  if (offset == 0) return base;
  const auto magnitude =
      offset < 0 ? 0 - static_cast<std::uint64_t>(offset) : static_cast<std::uint64_t>(offset);
  return binary(base, offset < 0 ? "-" : "+", {std::to_string(magnitude)}, level::sum, base.type);
}

}  // namespace

writer::location writer::locate(const llvm::Value* pointer) {
  location at;
  at.where = spaces_.of(pointer);
  const bool number = at.where.what == space::kind::number || at.where.what == space::kind::none;
  const auto type = number ? integer_type(64, false) : c_type{c_type::kind::pointer, 64, false};
  const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(pointer);
  const bool is_written = !instruction || is_transparent(*instruction) ||
                          folding_.is_folded(*instruction) || instruction == writing_;
  if (gep && is_written) {
    llvm::MapVector<llvm::Value*, llvm::APInt> terms;
    llvm::APInt offset(64, 0);
    if (gep->getType()->isVectorTy() || !gep->collectOffset(layout_, 64, terms, offset)) {
      reject(cause::unknown_code, instruction);
      return {{"0", level::primary, type}, 0, at.where};
    }
    at = locate(gep->getPointerOperand());
    at.offset += offset.getSExtValue();
    for (const auto& [index, scale] : terms) {
      auto term = integer(index, true);
      add_index(at, index, term, scale.getSExtValue());
      if (term.type.bits != 64) term = cast(integer_type(64, true), term);
      const auto step = scale.getSExtValue();
      if (step != 1) {
        term = binary(integer_literal(scale, true, true), "*", term, level::product, term.type);
      }
      at.base = binary(at.base, "+", term, level::sum, at.base.type);
    }
    return at;
  }
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    std::optional<cause> why;
    const auto name = tables_.name_of(*global, why);
    if (why) reject(*why);
    result_.doubles |= tables_.doubles();
    at.base = {"(" + at.where.qualifiers() + "uchar*)" + name, level::unary, type};
    return at;
  }
  if (const auto offset = spaces_.captured_at(pointer)) {
    at.base = {"captured_" + std::to_string(*offset), level::primary, type};
    return at;
  }
  if (instruction && instruction != writing_ && folding_.is_folded(*instruction)) {
    at.base = built(*instruction, 0);
  } else if (instruction && instruction == writing_) {
    at.base = written_pointer(*instruction);
  } else if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(pointer)) {
    at.base = {"0", level::primary, type};
  } else if (instruction && is_transparent(*instruction)) {
    at.base = transparent(*instruction, 0);
  } else if (llvm::isa<llvm::Argument>(pointer) || instruction) {
    at.base = {name_of_value(pointer, 0), level::primary, type};
    if (!pointers_.contains(pointer)) return at;
    at.root = pointer;
    if (instruction)
      at.base = {"(" + at.where.qualifiers() + "uchar*)" + at.base.text, level::unary, type};
  } else {
    reject(llvm::isa<llvm::Function>(pointer) ? cause::pointer_call : cause::unknown_code);
    at.base = {"0", level::primary, type};
  }
  return at;
}

// A pointer that is neither an offset nor a name.
expression writer::written_pointer(const llvm::Instruction& value) {
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) return selected(*select, 0);
  if (llvm::isa<llvm::FreezeInst>(value)) return this->value(value.getOperand(0));
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&value)) return converted(*cast, 0);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
    const llvm::SaveAndRestore<const llvm::Instruction*> position(current_, load);
    const auto at = locate(load->getPointerOperand());
    if (may_follow(at, false)) {
      return loaded(at, llvm::Type::getInt64Ty(load->getContext()), false,
                    load->getAlign().value());
    }
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&value)) return called(*call, 0);
  if (result_.reasons.empty()) reject(cause::unknown_code, &value);
  return {"0", level::primary, integer_type(64, false)};
}

expression writer::pointer(const location& at) { return plus(at.base, at.offset); }

bool writer::may_follow(const location& at, bool writes) {
  switch (at.where.what) {
    case space::kind::none:
    case space::kind::number:
      reject(cause::host_pointer);
      return false;
    case space::kind::mixed:
      reject(cause::mixed_memory);
      return false;
    default:
      if (writes && !at.where.writable()) reject(cause::writes_shared);
      return !writes || at.where.writable();
  }
}

std::string writer::access(const location& at, c_type type) {
  if (const auto field = field_at(at, type)) return field->text;
  const auto unaliased = name_of(type);
  if (unaliased == "uchar" && at.base.binds == level::primary) {
    if (at.offset >= 0) return at.base.text + "[" + std::to_string(at.offset) + "]";
  }
  if (unaliased == "uchar") return "*" + operand(pointer(at), level::unary);
  return "*(" + at.where.qualifiers() + unaliased + "_a*)" + operand(pointer(at), level::unary);
}

// A scalar, in as many accesses as its alignment needs.
expression writer::loaded(const location& at, llvm::Type* type, bool is_signed,
                          std::uint64_t align) {
  const bool floats = type->isFloatingPointTy();
  if (floats && !type->isFloatTy() && !type->isDoubleTy()) {
    reject(type->isHalfTy() || type->isBFloatTy() ? cause::narrow_float : cause::long_double);
    return {"0"};
  }
  const auto bits =
      type->isPointerTy() ? 64u : static_cast<unsigned>(type->getPrimitiveSizeInBits());
  if (bits > 64) {
    reject(cause::int128);
    return {"0"};
  }
  result_.doubles |= type->isDoubleTy();
  const auto parts = parts_of((bits + 7) / 8, align);
  if (parts.size() == 1) {
    const auto whole = floats ? floating_type(bits) : integer_type(storage_bits(bits), is_signed);
    expression e;
    if (const auto field = field_at(at, whole)) {
      e = *field;
    } else {
      e.text = access(at, whole);
      e.binds = e.text.back() == ']' ? level::primary : level::unary;
      e.type = whole;
    }
    if (bits == 1) {
      const auto bit = binary(e, "&", {"1"}, level::bitwise, {});
      return binary({"(" + bit.text + ")"}, "!=", {"0"}, level::equality, integer_type(1, false));
    }
    if (!floats && !is_c_width(bits)) return masked(e, bits);
    return e;
  }
  const auto word = integer_type(bits <= 32 ? 32 : 64, false);
  expression all;
  auto part_at = at;
  for (const auto part : parts) {
    const auto type_of_part = integer_type(part * 8, false);
    const auto text = access(part_at, type_of_part);
    auto e = cast(word, {text, level::unary, type_of_part});
    const auto shift = (part_at.offset - at.offset) * 8;
    if (shift > 0) e = binary(e, "<<", {std::to_string(shift)}, level::shift, word);
    all = shift == 0
              ? e
              : expression{all.text + " | " + operand(e, level::unary), level::bitwise, word};
    part_at.offset += part;
  }
  if (floats) return call(bits == 32 ? "as_float" : "as_double", all.text, floating_type(bits));
  if (bits % 8 != 0) return masked(all, bits);
  if (!is_c_width(bits)) {
    all.type = integer_type(bits, false);
    return all;
  }
  return bits < 32 || is_signed ? cast(integer_type(bits, is_signed), all) : all;
}

// \param from  evaluated once for each access
void writer::store_leaf(const location& at, llvm::Type* type, const expression& from,
                        std::uint64_t align) {
  const bool floats = type->isFloatingPointTy();
  const auto bits =
      type->isPointerTy() ? 64u : static_cast<unsigned>(type->getPrimitiveSizeInBits());
  const auto parts = parts_of((bits + 7) / 8, align);
  if (parts.size() == 1) {
    auto whole =
        floats ? floating_type(bits) : integer_type(storage_bits(bits), from.type.is_signed);
    if (bits == 8) whole.is_signed = false;
    line(access(at, whole) + " = " +
         (bits == 8 && from.type.is_signed ? cast(whole, from).text
          : bits == 1                      ? cast(whole, from).text
                                           : from.text) +
         ";");
    return;
  }
  const auto word = integer_type(bits <= 32 ? 32 : 64, false);
  expression e = from;
  if (floats) {
    e = {bits_of_float(from), level::primary, word};
  } else if (is_c_width(bits)) {
    e = with_sign(from, false);
  }
  auto part_at = at;
  for (const auto part : parts) {
    const auto shift = (part_at.offset - at.offset) * 8;
    const auto piece =
        shift == 0 ? e : binary(e, ">>", {std::to_string(shift)}, level::shift, word);
    const auto type_of_part = integer_type(part * 8, false);
    line(access(part_at, type_of_part) + " = " + cast(type_of_part, piece).text + ";");
    part_at.offset += part;
  }
}

void writer::store(const llvm::StoreInst& op) {
  const auto* stored = op.getValueOperand();
  const auto at = locate(op.getPointerOperand());
  if (op.isVolatile() || op.isAtomic()) reject(cause::unknown_code, &op);
  if (!may_follow(at, true)) return;
  unsigned number = 0;
  for (const auto& part : leaves_of(stored->getType(), layout_)) {
    auto part_at = at;
    part_at.offset += part.offset;
    auto e = value(stored, number++);
    if (e.type.what == c_type::kind::pointer) {
      reject(cause::keeps_address, &op);
      return;
    }
    const auto align = llvm::commonAlignment(op.getAlign(), part.offset).value();
    store_leaf(part_at, part.type, e, align);
  }
}

// memcpy and memmove.
void writer::transfer(const llvm::MemTransferInst& op) {
  auto to = locate(op.getRawDest()), from = locate(op.getRawSource());
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(op.getLength());
  if (length && length->isZero()) return;
  if (!may_follow(to, true) || !may_follow(from, false)) return;
  const auto align =
      std::min(op.getDestAlign().valueOrOne().value(), op.getSourceAlign().valueOrOne().value());
  const bool overlaps = llvm::isa<llvm::MemMoveInst>(op) && to.where == from.where;
  if (length && length->getZExtValue() <= unrolled_max) {
    const auto parts = parts_of(length->getZExtValue(), align);
    const auto first = next_name_;
    // Where both may overlap, all is read before anything is written.
    if (overlaps) {
      line("{");
      ++depth_;
      unsigned number = first;
      for (const auto part : parts) {
        const auto type = integer_type(part * 8, false);
        line("const " + name_of(type) + " v" + std::to_string(number++) + " = " +
             access(from, type) + ";");
        from.offset += part;
      }
    }
    unsigned number = first;
    for (const auto part : parts) {
      const auto type = integer_type(part * 8, false);
      line(access(to, type) + " = " +
           (overlaps ? "v" + std::to_string(number++) : access(from, type)) + ";");
      to.offset += part;
      from.offset += part;
    }
    if (overlaps) {
      --depth_;
      line("}");
    }
    return;
  }
  const auto unit = length ? parts_of(length->getZExtValue(), align).back() : 1;
  const auto type = integer_type(unit * 8, false);
  const auto bytes =
      length ? std::to_string(length->getZExtValue()) : integer(op.getLength(), false).text;
  const auto at = [&](location one) {
    one.base = binary(pointer(one), "+", {"at"}, level::sum, one.base.type);
    one.offset = 0;
    return access(one, type);
  };
  const auto step = unit == 1 ? std::string("++at") : "at += " + std::to_string(unit);
  const auto forward =
      "for (ulong at = 0; at < " + bytes + "; " + step + ") " + at(to) + " = " + at(from) + ";";
  if (!overlaps) {
    line(forward);
    return;
  }
  line("if (" + pointer(to).text + " < " + pointer(from).text + ") {");
  line("  " + forward);
  line("} else {");
  line("  for (ulong at = " + bytes + "; at > 0;) {");
  line("    " + std::string(unit == 1 ? "--at" : "at -= " + std::to_string(unit)) + ";");
  line("    " + at(to) + " = " + at(from) + ";");
  line("  }");
  line("}");
}

void writer::fill(const llvm::MemSetInst& op) {
  auto to = locate(op.getRawDest());
  if (!may_follow(to, true)) return;
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(op.getLength());
  const auto* byte = llvm::dyn_cast<llvm::ConstantInt>(op.getValue());
  const auto align = op.getDestAlign().valueOrOne().value();
  if (!length || !byte) {
    to.base = binary(pointer(to), "+", {"at"}, level::sum, to.base.type);
    to.offset = 0;
    line("for (ulong at = 0; at < " + integer(op.getLength(), false).text + "; ++at) " +
         access(to, integer_type(8, false)) + " = " + integer(op.getValue(), false).text + ";");
    return;
  }
  const auto bytes = length->getZExtValue();
  if (bytes == 0) return;
  const auto word = [&](unsigned size) {
    return integer_literal(llvm::APInt::getSplat(size * 8, byte->getValue()), false).text;
  };
  if (bytes <= unrolled_max) {
    for (const auto part : parts_of(bytes, align)) {
      line(access(to, integer_type(part * 8, false)) + " = " + word(part) + ";");
      to.offset += part;
    }
    return;
  }
  const auto unit = parts_of(bytes, align).back();
  to.base = binary(pointer(to), "+", {"at"}, level::sum, to.base.type);
  to.offset = 0;
  line("for (ulong at = 0; at < " + std::to_string(bytes) + "; at += " + std::to_string(unit) +
       ") " + access(to, integer_type(unit * 8, false)) + " = " + word(unit) + ";");
}

// The words have the alignment that accesses in parts of at most 8 bytes need.
void writer::declare_local(const llvm::AllocaInst& local) {
  const auto size = local.getAllocationSize(layout_);
  if (!size || size->isScalable()) {
    reject(cause::unknown_code, &local);
    return;
  }
  const auto words = std::max<std::uint64_t>(1, (size->getFixedValue() + 7) / 8);
  auto name = variables_.name_of(&local, 1);
  if (name.empty()) name = "local" + std::to_string(next_local_++);
  names_[&local] = name;
  declarations_ += "  ulong " + name + "_words[" + std::to_string(words) + "];\n  uchar* const " +
                   name + " = (uchar*)" + name + "_words;\n";
}

}  // namespace pappus::compiler
