#include "compiler/analysis/text_comparisons.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <string>
#include <utility>

#include "compiler/analysis/block_facts.h"
#include "compiler/analysis/field_loads.h"
#include "pappus/detail/base/view_layout.h"

namespace pappus::compiler {
namespace {

namespace pattern = llvm::PatternMatch;
using llvm::Value;

constexpr std::int64_t word = sizeof(void*);

/// From a view's pointer to its length, of the standard library that this is compiled with, as the
/// programs are.
std::int64_t pointer_to_length() {
  const auto view = detail::layout_of_views();
  return static_cast<std::int64_t>(view.length) - static_cast<std::int64_t>(view.pointer);
}

/// What was captured may be a string, too, which has them the other way round.
bool is_beside(std::int64_t offset, std::int64_t pointer) {
  return offset == pointer - word || offset == pointer + word;
}

Value* without_zeros(Value* value) {
  auto* const wide = llvm::dyn_cast<llvm::ZExtInst>(value);
  return wide != nullptr ? wide->getOperand(0) : value;
}

/// The first bytes of a constant; none: they aren't known, or too many.
std::string bytes_of(const Value* constant, const Value* size) {
  constexpr std::uint64_t most = 256;
  const auto* n = llvm::dyn_cast<llvm::ConstantInt>(size);
  llvm::ConstantDataArraySlice slice;
  if (n == nullptr || n->getZExtValue() > most ||
      !llvm::getConstantDataArrayInfo(constant, slice, 8) || slice.Array == nullptr ||
      slice.Length < n->getZExtValue())
    return {};
  return slice.Array->getRawDataValues().substr(slice.Offset, n->getZExtValue()).str();
}

/// Notes where the length of the captured text lies. False: not there, or elsewhere, too.
bool take_captured_length(std::int64_t offset, comparison& text) {
  if (!is_beside(offset, text.captured->offset) || text.captured_size.value_or(offset) != offset)
    return false;
  text.captured_size = offset;
  return true;
}

/// Whether so many bytes are all of one of the two texts, or of the shorter one. Of the captured
/// one, notes where its length lies.
bool take_length(const kernel_function& function, const Value* size, comparison& texts) {
  const Value *first = nullptr, *second = nullptr;
  if (pattern::match(size, pattern::m_UMin(pattern::m_Value(first), pattern::m_Value(second))))
    return take_length(function, first, texts) && take_length(function, second, texts);
  if (const auto field = load_of(function, size, role::input))
    return field->parameter == texts.parameter && field->bytes == word &&
           field->offset == texts.offset + pointer_to_length();
  const auto captured = load_of(function, size, role::captures);
  return captured && captured->bytes == word && take_captured_length(captured->offset, texts);
}

/// Of a field, with what is in `made`.
comparison of_field(const loaded& field, const char* is, comparison made) {
  made.parameter = field.parameter;
  made.offset = field.offset;
  made.bytes = field.bytes;
  made.is_text = true;
  made.is = is;
  return made;
}

/// The text behind a view's pointer, which begins with what is in `made`.
std::optional<comparison> of_view(const kernel_function& function, const Value* pointer,
                                  comparison made) {
  const auto field = load_of(function, pointer, role::input);
  if (!field || !pointer->getType()->isPointerTy()) return std::nullopt;
  return of_field(*field, "begins with", std::move(made));
}

/// By a call that compares so many bytes.
std::optional<comparison> compared(const kernel_function& function, const Value* pointer,
                                   const Value* other, const Value* size) {
  comparison made;
  made.text = bytes_of(other, size);
  if (!made.text.empty()) return of_view(function, pointer, std::move(made));
  const auto captured = load_of(function, other, role::captures);
  if (!captured || captured->bytes != word) return std::nullopt;
  made.captured = {captured->offset, captured->bytes, {}};
  auto found = of_view(function, pointer, std::move(made));
  if (found && !take_length(function, size, *found)) found.reset();
  return found;
}

/// Whether it compares the length of a text, with a constant, or with what was captured, as the
/// text is.
bool is_about_length(const comparison& one, const comparison& text) {
  if (one.is_text || one.floating || one.addend != 0 || one.parameter != text.parameter ||
      one.bytes != word || one.offset != text.offset + pointer_to_length() ||
      one.captured.has_value() != text.captured.has_value())
    return false;
  return !one.captured || (one.captured->steps.empty() && one.captured->bytes == word);
}

/// Where bytes are compared for all of the field's length, what this is compared with tells where
/// that of the captured text lies.
bool find_captured_length(comparison& text, const std::vector<comparison>& found) {
  if (!text.captured || text.captured_size) return true;
  for (const auto& one : found)
    if (is_about_length(one, text) && is_beside(one.captured->offset, text.captured->offset) &&
        !take_captured_length(one.captured->offset, text))
      return false;
  return text.captured_size.has_value();
}

/// Of a constant length, that it is n or more; of a captured one, that it isn't less.
bool is_at_least(const comparison& one, std::int64_t n) {
  if (one.captured) return one.is == "==" || one.is == ">=" || one.is == ">";
  return ((one.is == "==" || one.is == ">=") && one.value >= n) ||
         (one.is == ">" && one.value >= n - 1) || (one.is == "!=" && one.value == 0 && n == 1);
}

}  // namespace

std::optional<comparison> text_comparison(const kernel_function& function, Value* value,
                                          Value* other) {
  if (const auto* call = compared_bytes(value)) {
    if (!pattern::match(other, pattern::m_Zero())) return std::nullopt;
    const auto *first = call->getArgOperand(0), *second = call->getArgOperand(1),
               *size = call->getArgOperand(2);
    auto found = compared(function, first, second, size);
    return found ? found : compared(function, second, first, size);
  }
  const llvm::APInt* bytes = nullptr;
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(without_zeros(value));
  if (load == nullptr || !load->getType()->isIntegerTy() ||
      load->getType()->getIntegerBitWidth() % 8 != 0 ||
      !pattern::match(other, pattern::m_APInt(bytes)))
    return std::nullopt;
  comparison made;
  for (unsigned at = 0; at < load->getType()->getIntegerBitWidth(); at += 8)
    made.text += static_cast<char>(bytes->extractBitsAsZExtValue(8, at));
  return of_view(function, load->getPointerOperand(), std::move(made));
}

std::optional<comparison> category_comparison(const kernel_function& function,
                                              const llvm::CallBase& call) {
  const auto code = load_of(function, call.getArgOperand(0), role::input);
  comparison made;
  made.text = bytes_of(call.getArgOperand(2), call.getArgOperand(1));
  if (!code || made.text.empty()) return std::nullopt;
  return of_field(*code, "==", std::move(made));
}

bool asks_text_of_category(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  return callee != nullptr && callee->isDeclaration() && call.arg_size() == 3 &&
         callee->getName().starts_with("_ZN6pappus6detail15is_text_of_codeEj");
}

bool has_all(comparison& text, const std::vector<comparison>& found) {
  if (text.is == "==") return true;
  if (!find_captured_length(text, found)) return false;
  const auto n = static_cast<std::int64_t>(text.text.size());
  bool enough = false, all = false;
  for (const auto& one : found) {
    if (!is_about_length(one, text) || (one.captured && one.captured->offset != text.captured_size))
      continue;
    enough |= is_at_least(one, n);
    all |= one.is == "==" && (one.captured || one.value == n);
  }
  if (all) text.is = "==";
  return enough;
}

}  // namespace pappus::compiler
