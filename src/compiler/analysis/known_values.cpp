#include "compiler/analysis/known_values.h"

#include <llvm/ADT/STLExtras.h>

#include <utility>

namespace pappus::compiler {
namespace {

constexpr unsigned byte_bits = 8, wide_bits = 64;
/// Of a view_shape's numbers, the extents first.
constexpr std::int64_t shape_number_bytes = 8;

/// Whether the library can read it: an integer of 1, 2, 4 or 8 bytes.
bool is_readable(const llvm::Type* type) {
  const auto* integer = llvm::dyn_cast<llvm::IntegerType>(type);
  return integer != nullptr && integer->getBitWidth() >= byte_bits &&
         integer->getBitWidth() <= wide_bits && llvm::isPowerOf2_32(integer->getBitWidth());
}

/// Whether all that extend it without a sign know that it isn't negative: its sign will do then.
bool is_known_natural(const llvm::Value& value) {
  bool known = false, unknown = false;
  for (const auto* user : value.users())
    if (const auto* extended = llvm::dyn_cast<llvm::ZExtInst>(user))
      (extended->hasNonNeg() ? known : unknown) = true;
  return known && !unknown;
}

}  // namespace

known_values::known_values(const kernel_function& function, const source_names& source,
                           llvm::Function& code, const std::vector<constant_load>& constants) {
  name_views(function, source);
  for (const auto& c : constants) {
    if (!is_readable(c.value->getType())) continue;
    if (function.parameters[c.parameter].what == role::shape)
      add_extent(c);
    else
      add_captured(c, source);
  }
  name_indices(function, source, code);
}

std::optional<regions::expression> known_values::of(const llvm::Value* value) const {
  if (const auto index = indices_.find(value); index != indices_.end())
    return regions::expression::index(index->second);
  if (!value->getType()->isIntegerTy(wide_bits)) return std::nullopt;
  return extended(value, true);
}

std::optional<regions::expression> known_values::extended(const llvm::Value* value,
                                                          bool is_signed) const {
  const auto known = numbers_.find(const_cast<llvm::Value*>(value));
  if (known == numbers_.end()) return std::nullopt;
  const auto& [as_signed, as_unsigned] = known->second;
  return regions::expression::symbol(is_signed ? as_signed : as_unsigned);
}

llvm::Value* known_values::extent(unsigned view, std::size_t dimension) const {
  for (const auto& [value, numbers] : numbers_) {
    const auto* from = std::get_if<view_extent>(&symbols_[numbers.as_signed].from);
    if (from != nullptr && from->view == view && from->dimension == dimension) return value;
  }
  return nullptr;
}

std::size_t known_values::add(symbol one) {
  symbol_names_.push_back(one.name);
  symbols_.push_back(std::move(one));
  return symbols_.size() - 1;
}

void known_values::add_captured(const constant_load& c, const source_names& source) {
  auto name = source.captured(c.path);
  if (name.empty()) {
    name = "captured";
    for (const auto offset : c.path) name += "_" + std::to_string(offset);
  }
  const std::int64_t bits = c.value->getType()->getIntegerBitWidth();
  const auto of = [&](bool is_signed) {
    return add({name, captured_value{c.path, bits / byte_bits, is_signed}});
  };
  const auto as_signed = of(true);
  const bool both = bits < wide_bits && !is_known_natural(*c.value);
  numbers_[c.value] = {as_signed, both ? of(false) : as_signed};
}

void known_values::add_extent(const constant_load& c) {
  const auto view = c.parameter - static_cast<unsigned>(ranks_.size()) - first_view_;
  const auto dimension = c.path.front() / shape_number_bytes;
  const bool is_extent = c.path.size() == 1 && c.value->getType()->isIntegerTy(wide_bits) &&
                         c.path.front() % shape_number_bytes == 0 && dimension >= 0 &&
                         dimension < ranks_[view];
  if (!is_extent) return;
  const auto number = add({view_names_[view] + ".extent(" + std::to_string(dimension) + ")",
                           view_extent{view, static_cast<unsigned>(dimension)}});
  numbers_[c.value] = {number, number};
}

void known_values::name_views(const kernel_function& function, const source_names& source) {
  for (unsigned n = 0; n < function.parameters.size(); ++n) {
    const auto& parameter = function.parameters[n];
    if (parameter.what == role::shape) ranks_.push_back(parameter.size / (2 * shape_number_bytes));
    if (parameter.what != role::view) continue;
    if (view_names_.empty()) first_view_ = n;
    const auto number = view_names_.size();
    const auto known = number + 1 < source.parameters.size() ? source.parameters[number + 1] : "";
    constexpr unsigned letters = 8;  // i and what follows are indices
    const auto usual = number < letters ? std::string(1, static_cast<char>('a' + number))
                                        : "view" + std::to_string(number);
    view_names_.push_back(known.empty() ? usual : known);
  }
}

/// i, j, k, as in mathematics, where there are several and the source gives the names to nothing
/// else.
void known_values::name_indices(const kernel_function& function, const source_names& source,
                                llvm::Function& code) {
  const auto known = source.parameters.empty() ? "" : source.parameters.front();
  std::vector<std::string> usual;
  for (unsigned n = 0; n < function.parameters.size(); ++n) {
    if (function.parameters[n].what != role::index) continue;
    indices_[code.getArg(n)] = usual.size();
    usual.emplace_back(1, static_cast<char>('i' + usual.size()));
  }
  const bool taken = llvm::any_of(usual, [&](const std::string& name) {
    return llvm::is_contained(view_names_, name) || llvm::is_contained(symbol_names_, name);
  });
  for (std::size_t d = 0; d < usual.size(); ++d) {
    const bool own = !known.empty() && (taken || usual.size() == 1);
    index_names_.push_back(!own                ? usual[d]
                           : usual.size() == 1 ? known
                                               : known + "[" + std::to_string(d) + "]");
  }
}

}  // namespace pappus::compiler
