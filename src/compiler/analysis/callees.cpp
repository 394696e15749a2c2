#include "compiler/analysis/callees.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/analysis/clean.h"
#include "compiler/analysis/extract.h"
#include "compiler/emit/helpers.h"
#include "compiler/emit/maths.h"

namespace pappus::compiler {
namespace {

/// A name without what stands between < and >, but for those of operators, and without the
/// library's version.
std::string without_arguments(llvm::StringRef name) {
  constexpr llvm::StringLiteral version = "__cxx11::";
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto before = name.take_front(i);
    const bool is_operator = before.ends_with("operator") || before.ends_with("operator<") ||
                             before.ends_with("operator>") || before.ends_with("operator-");
    if (name.drop_front(i).starts_with(version)) i += version.size();
    if (name[i] == '<' && !is_operator) ++depth;
    if (depth == 0) result += name[i];
    if (name[i] == '>' && !is_operator && depth > 0) --depth;
  }
  return result;
}

bool allocates(llvm::StringRef symbol) {
  return symbol.starts_with("_Znw") || symbol.starts_with("_Zna") ||
         llvm::StringSwitch<bool>(symbol)
             .Cases("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", true)
             .Cases("strdup", "memalign", true)
             .Default(false);
}

bool frees(llvm::StringRef symbol) {
  return symbol.starts_with("_Zdl") || symbol.starts_with("_Zda") || symbol == "free";
}

/// The library defines these once and for all for char.
bool is_of_string(llvm::StringRef name) {
  return name.starts_with("std::basic_string::") || name.starts_with("std::allocator::");
}

/// What of <iostream> or <cstdio> a function is part of; empty: none.
llvm::StringRef stream_of(llvm::StringRef symbol) {
  const auto signature = llvm::demangle(symbol);
  const llvm::StringRef text = signature;
  if (text.contains("std::istream") || text.contains("std::basic_istream")) return "std::istream";
  for (const llvm::StringRef part :
       {"std::ostream", "std::basic_ostream", "std::ios_base", "std::basic_ios", "std::basic_file"})
    if (text.contains(part)) return "std::ostream";
  const bool is_file_function =
      llvm::StringSwitch<bool>(symbol)
          .Cases("printf", "fprintf", "puts", "putchar", "putc", "fputs", "fputc", "fwrite", true)
          .Cases("vprintf", "vfprintf", "perror", "scanf", "fscanf", "fread", "fgets", true)
          .Cases("fopen", "fclose", "fflush", "read", "write", "open", "getchar", true)
          .Cases("__printf_chk", "__fprintf_chk", "getc", "fgetc", "getline", true)
          .Default(false);
  return is_file_function ? symbol : "";
}

/// cexp and its like, which the functions of <complex> call.
bool is_complex_maths(llvm::StringRef symbol) {
  if (!symbol.consume_front("c")) return false;
  if (symbol.ends_with("f") || symbol.ends_with("l")) symbol = symbol.drop_back();
  return llvm::StringSwitch<bool>(symbol)
      .Cases("abs", "arg", "exp", "log", "log10", "pow", "sqrt", "proj", true)
      .Cases("sin", "cos", "tan", "asin", "acos", "atan", true)
      .Cases("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", true)
      .Default(false);
}

bool is_of_c_library(llvm::StringRef symbol) {
  llvm::LibFunc known;
  return llvm::TargetLibraryInfoImpl().getLibFunc(symbol, known) || is_complex_maths(symbol) ||
         llvm::StringSwitch<bool>(symbol)
             .Cases("rand", "srand", "random", "drand48", "time", "clock", "nanosleep", true)
             .Cases("div", "ldiv", "lldiv", "strtof", "strtod", "qsort", "bsearch", true)
             .Cases("strerror", "getenv", true)
             .Default(false);
}

/// Emission has them as text.
bool is_on_devices(const llvm::CallBase& call, llvm::StringRef symbol) {
  return find_maths(call) != nullptr || is_character_function(symbol) ||
         llvm::StringSwitch<bool>(symbol)
             .Cases("memcmp", "bcmp", "memchr", "strlen", true)
             .Cases("strcmp", "strncmp", true)
             .Cases("abs", "labs", "llabs", true)
             .Default(false);
}

/// The function comes from a table that the object itself points to.
bool is_virtual(const llvm::CallBase& call) {
  const auto* function = llvm::dyn_cast<llvm::LoadInst>(call.getCalledOperand());
  if (function == nullptr || call.arg_empty()) return false;
  const auto* table =
      llvm::dyn_cast<llvm::LoadInst>(function->getPointerOperand()->stripInBoundsConstantOffsets());
  if (table == nullptr) return false;
  const auto* object = table->getPointerOperand()->stripPointerCasts();
  return llvm::any_of(call.args(),
                      [&](const llvm::Use& a) { return a->stripPointerCasts() == object; });
}

objection objection_to_body(const llvm::Function& callee) {
  const auto name = short_name(callee.getName());
  if (!callee.hasFnAttribute(recursive_mark)) return {obstacle_in(callee).why, name};
  if (llvm::StringRef(name).starts_with("std::__introsort")) return {cause::sorts, "std::sort"};
  if (llvm::StringRef(name).starts_with("std::__") && llvm::StringRef(name).contains("sort"))
    return {cause::sorts, "std::stable_sort"};
  return {cause::recursion, name};
}

/// Of include/pappus/category.h.
bool is_of_category_text(llvm::StringRef name) {
  return name == "pappus::detail::text_of_code" || name == "pappus::detail::is_text_of_code" ||
         name == "pappus::detail::code_of_text";
}

objection objection_to_declaration(const llvm::Function& callee) {
  const auto symbol = callee.getName();
  const auto name = short_name(symbol);
  if (allocates(symbol)) return {cause::allocates, name};
  if (frees(symbol)) return {cause::frees, name};
  if (is_of_string(name)) return {cause::allocates, "std::string"};
  if (is_of_category_text(name)) return {cause::category_text, ""};
  if (const auto stream = stream_of(symbol); !stream.empty()) return {cause::prints, stream.str()};
  if (symbol.starts_with("__ubsan_")) return {cause::ubsan, ""};
  if (symbol.starts_with("__atomic_")) return {cause::atomic, ""};
  if (symbol.starts_with("pthread_")) return {cause::locks, name};
  if (symbol == "__dynamic_cast" || symbol == "__cxa_bad_cast")
    return {cause::run_time_type, "dynamic_cast"};
  if (symbol == "__cxa_bad_typeid") return {cause::run_time_type, "typeid"};
  if (symbol.starts_with("_ZTW"))
    return {cause::thread_local_, short_name(("_Z" + symbol.drop_front(4)).str())};
  if (callee.hasFnAttribute(llvm::Attribute::ReturnsTwice)) return {cause::setjmp, ""};
  if (callee.hasFnAttribute(replaceable_mark)) return {cause::replaceable, name};
  if (llvm::StringRef(name).starts_with("std::") || is_of_c_library(symbol))
    return {cause::unseen_library, name};
  if (callee.isVarArg()) return {cause::variadic, name};
  return {cause::unseen_body, name};
}

}  // namespace

std::string short_name(llvm::StringRef symbol) {
  llvm::ItaniumPartialDemangler parts;
  const auto mangled = symbol.str();  // `parts` points into it.
  if (parts.partialDemangle(mangled.c_str())) return mangled;
  const auto take = [](char* text) {
    std::string result = text == nullptr ? "" : text;
    std::free(text);
    return result;
  };
  if (!parts.isFunction()) {
    const auto whole = without_arguments(take(parts.finishDemangle(nullptr, nullptr)));
    const bool is_local = symbol.starts_with("_ZZ");
    return is_local ? llvm::StringRef(whole).rsplit(':').second.str() : whole;
  }
  const auto scope = without_arguments(take(parts.getFunctionDeclContextName(nullptr, nullptr)));
  const auto base = without_arguments(take(parts.getFunctionBaseName(nullptr, nullptr)));
  if (base == "operator()" && llvm::StringRef(scope).contains("lambda")) return "a lambda";
  return scope.empty() ? base : scope + "::" + base;
}

std::optional<objection> objection_to_owner(const std::vector<llvm::StringRef>& functions) {
  struct known_owner {
    llvm::StringLiteral prefix, owner;
    cause why = cause::allocates;
  };
  // What one finds on the way in comes before the classes that those share.
  using enum cause;
  constexpr known_owner owners[] = {
      {"std::any::", "", std_any},
      {"std::any_cast", "", std_any},
      {"std::__any_caster", "", std_any},
      {"std::type_info::", "typeid", run_time_type},
      {"std::lock_guard::", "std::lock_guard", locks},
      {"std::unique_lock::", "std::unique_lock", locks},
      {"std::shared_lock::", "std::shared_lock", locks},
      {"std::scoped_lock::", "std::scoped_lock", locks},
      {"std::mutex::", "std::mutex", locks},
      {"std::recursive_mutex::", "std::recursive_mutex", locks},
      {"std::shared_mutex::", "std::shared_mutex", locks},
      {"std::__shared_mutex_pthread::", "std::shared_mutex", locks},
      {"std::call_once", "std::call_once", locks},
      {"std::vector::", "std::vector"},
      {"std::basic_string::", "std::string"},
      {"std::map::", "std::map", looks_up},
      {"std::multimap::", "std::multimap", looks_up},
      {"std::set::", "std::set", looks_up},
      {"std::multiset::", "std::multiset", looks_up},
      {"std::unordered_map::", "std::unordered_map", looks_up},
      {"std::unordered_multimap::", "std::unordered_multimap", looks_up},
      {"std::unordered_set::", "std::unordered_set", looks_up},
      {"std::unordered_multiset::", "std::unordered_multiset", looks_up},
      {"std::deque::", "std::deque"},
      {"std::list::", "std::list"},
      {"std::forward_list::", "std::forward_list"},
      {"std::make_unique", "std::unique_ptr"},
      {"std::unique_ptr::", "std::unique_ptr"},
      {"std::__shared_", "std::shared_ptr"},
      {"std::__weak_", "std::shared_ptr"},
      {"std::_Sp_counted_", "std::shared_ptr"},
      {"std::_Vector_base::", "std::vector"},
      {"std::_Rb_tree", "std::map or std::set", looks_up},
      {"std::_Hashtable", "std::unordered_map or std::unordered_set", looks_up},
      {"std::__detail::_Hash", "std::unordered_map or std::unordered_set", looks_up},
      {"std::__detail::_Map_base", "std::unordered_map", looks_up},
      {"std::__detail::_Prime_rehash", "std::unordered_map or std::unordered_set", looks_up},
  };
  std::vector<std::string> names;
  for (const auto symbol : functions) names.push_back(short_name(symbol));
  const auto is_in = [&](llvm::StringRef prefix) {
    return llvm::any_of(names, [&](llvm::StringRef n) { return n.starts_with(prefix); });
  };
  if (is_in("std::function::")) return objection{std_function, ""};
  for (const auto& known : owners)
    if (is_in(known.prefix)) return objection{known.why, known.owner.str()};
  return std::nullopt;
}

bool destroys(const std::vector<llvm::StringRef>& functions) {
  return llvm::any_of(functions, [](llvm::StringRef symbol) {
    return llvm::StringRef(short_name(symbol)).contains("::~");
  });
}

obstacle obstacle_in(const llvm::Function& function) {
  const auto* first = &function.getEntryBlock().front();
  if (function.isPresplitCoroutine()) return {cause::coroutine, first};
  for (const auto& i : llvm::instructions(function)) {
    if (llvm::isa<llvm::IndirectBrInst>(i)) return {cause::computed_goto, &i};
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr) continue;
    if (call->getIntrinsicID() == llvm::Intrinsic::vastart) return {cause::variadic, &i};
    if (call->hasFnAttr(llvm::Attribute::ReturnsTwice)) return {cause::setjmp, &i};
  }
  return {cause::not_inlined, first};
}

std::optional<objection> objection_to(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return objection{cause::assembly, ""};
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (callee == nullptr)
    return objection{is_virtual(call) ? cause::virtual_call : cause::pointer_call, ""};
  if (!callee->isDeclaration()) return objection_to_body(*callee);
  if (is_on_devices(call, callee->getName())) return std::nullopt;
  return objection_to_declaration(*callee);
}

}  // namespace pappus::compiler
