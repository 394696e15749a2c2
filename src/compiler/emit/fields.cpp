// Accesses by the fields of records: v_trade->m_price, v_points[v_i].m_at.m_x.
//
// Where the type of a parameter's records is known (records.h), the text has a pointer of that type
// beside the parameter, which stays one of bytes. What lies at a byte of such a record, or of the
// i-th one behind a pointer, is written as the field there, if that is a number of the access' kind
// and size; a variable for the address of one record is a pointer to records, too.
#include <llvm/Support/MathExtras.h>

#include "compiler/emit/writer.h"

namespace pappus::compiler {

/// Which of the parameters' records have fields with names, and how these are called.
void writer::know_records() {
  for (unsigned i = 0; i < kernel_.parameters.size() && i < kernel_.records.size(); ++i) {
    const auto& parameter = kernel_.parameters[i];
    auto one =
        record::of(kernel_.records[i], parameter.size, static_cast<std::uint64_t>(parameter.align));
    if (!one) continue;
    if (parameter.what == role::captures) one->rename("record_captures");
    pointers_[code_.getArg(i)].to = &own_name(std::move(one));
  }
}

/// The record, or the same one that is known already; of others none is called so.
const record& writer::own_name(std::unique_ptr<record> one) {
  const auto wanted = one->name();
  for (unsigned n = 1;; ++n) {
    const auto other =
        llvm::find_if(records_, [&](const auto& known) { return known->name() == one->name(); });
    if (other == records_.end()) return *records_.emplace_back(std::move(one));
    if ((*other)->definition() == one->definition()) return **other;
    one->rename(wanted + "_" + std::to_string(n));
  }
}

/// `where`'s qualifiers before it, a star behind it.
std::string writer::pointer_type(const record& to, const space& where) {
  return where.qualifiers() + to.name() + "*";
}

/// The record's field that this access is to; none: it isn't known, or no field is just that.
std::optional<expression> writer::field_at(const location& at, c_type type) {
  const auto found = pointers_.find(at.root);
  if (!at.root || found == pointers_.end()) return std::nullopt;
  auto& pointer = found->second;
  const auto bytes = pointer.to->bytes();
  const auto number = llvm::divideFloorSigned(at.offset, bytes);
  const auto part = pointer.to->at(static_cast<std::uint64_t>(at.offset - number * bytes), type);
  if (!part) return std::nullopt;
  const auto index = element_number(at, number);
  if (index.empty() && number != 0) return std::nullopt;
  pointer.used = true;
  return expression{index.empty() ? pointer.name + "->" + part->path
                                  : pointer.name + "[" + index + "]." + part->path,
                    level::primary, part->type};
}

/// "v_i + 1" of the element `number` behind that of the location's index; empty: the first.
std::string writer::element_number(const location& at, std::int64_t number) {
  if (at.index.text.empty()) return {};
  if (number == 0) return at.index.text;
  const auto digits = std::to_string(number < 0 ? -number : number);
  const auto index = at.index.type.bits == 64 ? at.index : cast(integer_type(64, true), at.index);
  return binary(index, number < 0 ? "-" : "+", {digits}, level::sum, index.type).text;
}

/// Takes up, in a location of a record, the `term` for an index, which adds `scale` times as many
/// bytes.
void writer::add_index(location& at, const llvm::Value* index, expression term,
                       std::int64_t scale) {
  const auto found = pointers_.find(at.root);
  if (!at.root || found == pointers_.end()) return;
  // Subscripts are widened as this is.
  if (const auto* wide = llvm::dyn_cast<llvm::CastInst>(index);
      wide && folding_.is_folded(*wide) &&
      (llvm::isa<llvm::SExtInst>(wide) || (llvm::isa<llvm::ZExtInst>(wide) && wide->hasNonNeg())) &&
      is_c_width(wide->getSrcTy()->getIntegerBitWidth()))
    term = integer(wide->getOperand(0), true);
  const bool first = at.index.text.empty() && scale == found->second.to->bytes();
  if (first && term.type.what == c_type::kind::integer && term.type.is_signed)
    at.index = std::move(term);
  else
    at.root = nullptr;
}

/// Writes the variable of a record's address as a pointer to records; false: it isn't one.
bool writer::declare_pointer(const llvm::Instruction& value) {
  if (!llvm::isa<llvm::GetElementPtrInst>(value)) return false;
  const auto at = locate(&value);
  const auto found = pointers_.find(at.root);
  if (!at.root || found == pointers_.end() || at.index.text.empty()) return false;
  auto& from = found->second;
  if (at.offset % from.to->bytes() != 0) return false;
  from.used = true;
  const auto* to = from.to;
  const auto type = pointer_type(*to, at.where), name = name_of_value(&value, 0);
  line(type + " const " + name + " = &" + from.name + "[" +
       element_number(at, at.offset / to->bytes()) + "];");
  pointers_[&value] = record_pointer{to, name, true};
  return true;
}

/// What stands before the statements: the types of records, and the pointers to them.
std::string writer::declared_records() const {
  std::string types, variables;
  for (const auto& one : records_) {
    bool used = false;
    for (const auto& argument : code_.args()) {
      const auto found = pointers_.find(&argument);
      if (found == pointers_.end() || !found->second.used || found->second.to != one.get())
        continue;
      used = true;
      const auto type = pointer_type(*one, spaces_.of(&argument));
      variables += "  " + type + " const " + found->second.name + " = (" + type + ")" +
                   names_.lookup(&argument) + ";\n";
    }
    if (used) types += one->definition();
  }
  return types + variables;
}

}  // namespace pappus::compiler
