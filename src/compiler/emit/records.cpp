#include "compiler/emit/records.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <set>

#include "compiler/analysis/source_names.h"
#include "compiler/emit/variables.h"

namespace pappus::compiler {
namespace {

constexpr std::uint64_t bits_a_byte = 8;

std::optional<c_type> number_of(const llvm::DIType& type) {
  namespace dwarf = llvm::dwarf;
  const auto bits = static_cast<unsigned>(type.getSizeInBits());
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
  if (const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(&type)) {
    const auto tag = derived->getTag();
    const bool address = tag == dwarf::DW_TAG_pointer_type || tag == dwarf::DW_TAG_reference_type;
    return address && bits == 64 ? std::optional(integer_type(64, false)) : std::nullopt;
  }
  const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(&type);
  if (!basic) return std::nullopt;
  switch (basic->getEncoding()) {
    case dwarf::DW_ATE_float:
      return bits >= 32 ? std::optional(floating_type(bits)) : std::nullopt;
    case dwarf::DW_ATE_signed:
    case dwarf::DW_ATE_signed_char:
      return integer_type(bits, true);
    case dwarf::DW_ATE_unsigned:
    case dwarf::DW_ATE_unsigned_char:
    case dwarf::DW_ATE_UTF:
    case dwarf::DW_ATE_boolean:
      return integer_type(bits, false);
    default:
      return std::nullopt;
  }
}

/// Of templates without their arguments: these may be lambdas, which are called after their lines.
std::string type_name(llvm::StringRef name) {
  return "record_" + identifier_of(name.take_until([](char c) { return c == '<'; }));
}

}  // namespace

std::optional<record::shape> record::shape_of(const llvm::DIType* type, std::uint64_t align) {
  type = plain(type);
  if (!type) return std::nullopt;
  shape result;
  result.bytes = result.align = type->getSizeInBits() / bits_a_byte;
  const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(type);
  if (composite && composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
    if (composite->getBaseType()) return shape_of(composite->getBaseType(), align);
  } else if (composite && composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    return array_of(*composite, align);
  } else if (composite && composite->getTag() != llvm::dwarf::DW_TAG_union_type) {
    return struct_of(*composite, align);
  } else if (!composite) {
    result.number = number_of(*type);
  }
  if (!result.number || result.align > align) return std::nullopt;
  return result;
}

std::optional<record::shape> record::array_of(const llvm::DICompositeType& type,
                                              std::uint64_t align) {
  auto inner = shape_of(type.getBaseType(), align);
  if (!inner) return std::nullopt;
  const auto ranges = type.getElements();
  for (unsigned i = ranges.size(); i-- > 0;) {
    const auto* range = llvm::dyn_cast<llvm::DISubrange>(ranges[i]);
    const auto* count =
        range ? llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount()) : nullptr;
    if (!count || count->getSExtValue() <= 0) return std::nullopt;
    shape outer;
    outer.count = count->getZExtValue();
    outer.bytes = outer.count * inner->bytes;
    outer.align = inner->align;
    outer.parts.push_back({"", 0, std::move(*inner)});
    inner = std::move(outer);
  }
  return inner;
}

std::optional<record::shape> record::struct_of(const llvm::DICompositeType& type,
                                               std::uint64_t align) {
  shape result;
  result.bytes = type.getSizeInBits() / bits_a_byte;
  std::set<std::string> names;
  std::uint64_t end = 0;
  for (const auto* element : type.getElements()) {
    const auto* one = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (!one || one->isStaticMember() || one->isBitField()) continue;
    const bool is_base = one->getTag() == llvm::dwarf::DW_TAG_inheritance;
    if (!is_base && one->getTag() != llvm::dwarf::DW_TAG_member) continue;
    const auto offset = one->getOffsetInBits() / bits_a_byte;
    auto what = shape_of(one->getBaseType(), align);
    if (!what || offset < end || offset % what->align != 0 || offset + what->bytes > result.bytes ||
        one->getSizeInBits() % bits_a_byte != 0)
      continue;
    // A std::array is the array in it.
    if (type.getName().starts_with("array<") && offset == 0 && what->bytes == result.bytes)
      return what;
    auto called = is_base ? plain(one->getBaseType())->getName() : one->getName();
    std::string name = "m_" + identifier_of(called);
    if (!names.insert(name).second || called.empty()) {
      name += "_" + std::to_string(offset);
      names.insert(name);
    }
    end = offset + what->bytes;
    result.align = std::max(result.align, what->align);
    result.parts.push_back({std::move(name), offset, std::move(*what)});
  }
  // An odd size is that of a packed record, of which no array is one in C.
  if (result.parts.empty() || result.bytes % result.align != 0) return std::nullopt;
  return result;
}

std::unique_ptr<record> record::of(const llvm::DIType* type, std::uint64_t bytes,
                                   std::uint64_t align) {
  type = plain(type);
  if (!llvm::isa_and_nonnull<llvm::DICompositeType>(type) ||
      type->getSizeInBits() != bytes * bits_a_byte)
    return nullptr;
  // The library's arrays of words for records have no more.
  constexpr std::uint64_t most_aligned = 8;
  auto whole = shape_of(type, std::min(align, most_aligned));
  if (!whole || whole->number || whole->count != 0) return nullptr;
  auto result = std::make_unique<record>();
  result->whole_ = std::move(*whole);
  result->name_ = type_name(type->getName());
  return result;
}

std::optional<field> record::in(const shape& what, std::uint64_t offset, c_type type) {
  if (what.number) {
    if (offset != 0 || what.number->what != type.what || what.number->bits != type.bits)
      return std::nullopt;
    return field{"", *what.number};
  }
  if (what.count != 0) {
    const auto& element = what.parts.front().what;
    if (offset >= what.bytes) return std::nullopt;
    auto found = in(element, offset % element.bytes, type);
    if (!found) return std::nullopt;
    // Behind it a member's name or another subscript.
    if (!found->path.empty() && found->path.front() != '[') found->path.insert(0, ".");
    found->path.insert(0, "[" + std::to_string(offset / element.bytes) + "]");
    return found;
  }
  for (const auto& part : what.parts) {
    if (offset < part.offset || offset >= part.offset + part.what.bytes) continue;
    auto found = in(part.what, offset - part.offset, type);
    if (!found) return std::nullopt;
    if (!found->path.empty() && found->path.front() != '[') found->path.insert(0, ".");
    found->path.insert(0, part.name);
    return found;
  }
  return std::nullopt;
}

std::optional<field> record::at(std::uint64_t offset, c_type type) const {
  return in(whole_, offset, type);
}

std::string record::declared(const shape& what, const std::string& name, std::size_t blanks) {
  if (what.number) {
    const auto type = name_of(*what.number);
    return std::string(blanks, ' ') + type + "_a " + name + ";\n";
  }
  if (what.count != 0)
    return declared(what.parts.front().what, name + "[" + std::to_string(what.count) + "]", blanks);
  const std::string indent(blanks, ' ');
  return indent + "struct {\n" + body(what, blanks + 2) + indent + "} " + name + ";\n";
}

std::string record::body(const shape& what, std::size_t blanks) {
  std::string text;
  std::uint64_t end = 0;
  const auto pad_to = [&](std::uint64_t offset) {
    text += std::string(blanks, ' ') + "uchar padding" + std::to_string(end) + "[" +
            std::to_string(offset - end) + "];\n";
    end = offset;
  };
  for (const auto& part : what.parts) {
    if (llvm::alignTo(end, part.what.align) != part.offset) pad_to(part.offset);
    text += declared(part.what, part.name, blanks);
    end = part.offset + part.what.bytes;
  }
  if (llvm::alignTo(end, what.align) != what.bytes) pad_to(what.bytes);
  return text;
}

std::string record::definition() const {
  return "  typedef struct __attribute__((may_alias)) {\n" + body(whole_, 4) + "  } " + name_ +
         ";\n";
}

}  // namespace pappus::compiler
