#include "compiler/analysis/slots.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/Path.h>

#include <functional>
#include <optional>

namespace pappus::compiler {
namespace {

/// The text of a constant string that `value` points to.
llvm::StringRef characters_of(const llvm::Constant* value) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value->stripPointerCasts());
  if (variable == nullptr || !variable->hasInitializer()) return {};
  const auto* content = variable->getInitializer();
  if (content->getType()->isStructTy()) content = content->getAggregateElement(0U);  // std::array
  const auto* data = llvm::dyn_cast_or_null<llvm::ConstantDataSequential>(content);
  return data != nullptr && data->isCString() ? data->getAsCString() : llvm::StringRef();
}

std::int64_t number(const llvm::Constant* aggregate, unsigned member) {
  return llvm::cast<llvm::ConstantInt>(aggregate->getAggregateElement(member))->getSExtValue();
}

struct annotation {
  llvm::Constant* what;
  llvm::StringRef text;
  const llvm::Constant* arguments;  ///< a struct; null: none
};

void each_annotation(const llvm::Module& module,
                     const std::function<void(const annotation&)>& visit) {
  enum member : unsigned { what, text, arguments = 4 };
  const auto* annotations = module.getNamedGlobal("llvm.global.annotations");
  if (annotations == nullptr || !annotations->hasInitializer()) return;
  for (const auto& entry : annotations->getInitializer()->operands()) {
    const auto* row = llvm::cast<llvm::Constant>(entry);
    const auto* extra = llvm::dyn_cast<llvm::GlobalVariable>(row->getAggregateElement(arguments));
    visit({row->getAggregateElement(what)->stripPointerCasts(),
           characters_of(row->getAggregateElement(text)),
           extra != nullptr && extra->hasInitializer() ? extra->getInitializer() : nullptr});
  }
}

std::int64_t version_of(const llvm::Constant* arguments) {
  return arguments == nullptr ? 0 : number(arguments, 0);
}

std::optional<slot> read_slot(llvm::GlobalVariable* variable) {
  enum member : unsigned { thunk = 1, parameters, parameter_count, function };
  const auto* content = variable->getInitializer();
  const auto pointer = [&](member m) {
    return content->getAggregateElement(m)->stripPointerCasts();
  };
  auto* code = llvm::dyn_cast<llvm::Function>(pointer(thunk));
  const auto* rows = llvm::dyn_cast<llvm::GlobalVariable>(pointer(parameters));
  if (code == nullptr || code->isDeclaration() || rows == nullptr || !rows->hasInitializer())
    return std::nullopt;
  slot result{variable, code, {}, characters_of(pointer(function)).str()};
  for (std::int64_t i = 0; i < number(content, parameter_count); ++i) {
    const auto* row = rows->getInitializer()->getAggregateElement(static_cast<unsigned>(i));
    result.parameters.push_back({static_cast<role>(number(row, 0)),
                                 static_cast<std::int32_t>(number(row, 1)), number(row, 2)});
  }
  if (result.parameters.size() != code->arg_size()) return std::nullopt;
  return result;
}

std::string identifier(llvm::StringRef text) {
  std::string result;
  for (const char c : text) result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front())) result.insert(0, "f_");
  return result;
}

/// The last name of "a::b<c>::(anonymous namespace)::d<e>": d.
llvm::StringRef last_name(llvm::StringRef type) {
  int depth = 0;
  std::size_t begin = 0, end = llvm::StringRef::npos;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (c == '<' && depth++ == 0) end = i;
    if (c == '>') --depth;
    if (depth == 0 && (c == ':' || c == ' ' || c == '&')) begin = i + 1, end = type.npos;
  }
  return type.slice(begin, end);
}

}  // namespace

found_slots find_slots(const llvm::Module& module) {
  found_slots slots;
  each_annotation(module, [&](const annotation& a) {
    auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(a.what);
    if (a.text != "pappus.slot" || variable == nullptr || !variable->hasInitializer()) return;
    if (const auto version = version_of(a.arguments); version != detail::compiler_version)
      slots.foreign.push_back({variable, version});
    else if (auto found = read_slot(variable))
      slots.own.push_back(std::move(*found));
  });
  return slots;
}

std::optional<unsigned> fast_floats_in(const llvm::Module& module) {
  std::optional<unsigned> glibc_minor;
  each_annotation(module, [&](const annotation& a) {
    if (a.text != "pappus.fast_floats" || a.arguments == nullptr) return;
    glibc_minor = static_cast<unsigned>(number(a.arguments, 0));
  });
  return glibc_minor;
}

bool must_run_on_device(const llvm::Module& module, const llvm::Function& function) {
  bool found = false;
  each_annotation(module, [&](const annotation& a) {
    found |= a.what == &function && a.text == "pappus.device";
  });
  return found;
}

std::string written_at::text() const {
  return path.empty() ? "" : path + ":" + std::to_string(line) + ":" + std::to_string(column);
}

written_at place_of(llvm::StringRef function) {
  constexpr llvm::StringLiteral opening = "(lambda at ";
  const auto begin = function.find(opening);
  if (begin == llvm::StringRef::npos) return {};
  const auto place = function.substr(begin + opening.size()).split(')').first;
  const auto [before, column] = place.rsplit(':');
  const auto [path, line] = before.rsplit(':');
  written_at result;
  if (!line.getAsInteger(10, result.line) && !column.getAsInteger(10, result.column))
    result.path = path.str();
  return result;
}

std::string name_of(llvm::StringRef function) {
  if (const auto place = place_of(function); !place.path.empty())
    return identifier(llvm::sys::path::filename(place.path)) + "_" + std::to_string(place.line);
  // fn_type<&geo::nearest>, or the name of a function object's class.
  const auto call = function.find("fn_type<");
  if (call == llvm::StringRef::npos) return identifier(last_name(function));
  const auto named = function.substr(call).split('<').second;
  return identifier(last_name(named.drop_back(named.ends_with(">"))));
}

}  // namespace pappus::compiler
