// Tells where a function of the caller's threw.
//
// An exception of one of the standard library's types is replaced by one that is also a
// failed_call; nobody can derive from the types of others at run time, so those pass as they are.
#include <cxxabi.h>

#include <any>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <typeinfo>
#include <variant>

#include <fmt/format.h>

#include "base/failure.h"
#include "pappus/error.h"
#include "run/executor.h"

namespace pappus::run {
namespace {

/// \tparam Thrown  a type of the standard library.
template <typename Thrown>
class told final : public Thrown, public failed_call {
 public:
  told(const Thrown& original, failure where, std::string text)
      : Thrown(original), failed_call(std::move(where)), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// "a.cpp:12:30" of "(lambda at a.cpp:12:30)".
std::string_view place_of(std::string_view function) {
  constexpr std::string_view before = "(lambda at ";
  const auto begin = function.rfind(before);
  if (begin == std::string_view::npos) return {};
  const auto place = function.substr(begin + before.size());
  return place.substr(0, place.find(')'));
}

std::string told_text(const failure& where) {
  auto text = fmt::format("{}; thrown in {}", where.message, where.operator_name);
  if (const auto place = place_of(where.function); !place.empty())
    text += fmt::format(" at {}", place);
  if (where.row >= 0) text += fmt::format(", row {}", where.row);
  return text + fmt::format(" of {}", where.stage);
}

template <typename... Types>
void throw_told(const std::exception& e, const failure& where) {
  const auto try_type = [&]<typename Thrown>(std::type_identity<Thrown>) {
    if (typeid(e) == typeid(Thrown))
      throw told<Thrown>(dynamic_cast<const Thrown&>(e), where, told_text(where));
  };
  (try_type(std::type_identity<Types>{}), ...);
}

void throw_told_if_standard(const std::exception& e, const failure& where) {
  throw_told<std::exception, std::logic_error, std::domain_error, std::invalid_argument,
             std::length_error, std::out_of_range, std::runtime_error, std::range_error,
             std::overflow_error, std::underflow_error, std::system_error,
             std::filesystem::filesystem_error, std::bad_alloc, std::bad_array_new_length,
             std::bad_cast, std::bad_any_cast, std::bad_typeid, std::bad_function_call,
             std::bad_optional_access, std::bad_variant_access, std::bad_weak_ptr>(e, where);
}

std::string type_of_current_exception() {
  const auto* type = abi::__cxa_current_exception_type();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return fmt::format("an exception of type {}", name ? name.get() : type->name());
}

}  // namespace

void live_executor::tell_failure(plan::stage_index which) {
  auto note = base::take_note();
  const auto& node = *plan_.stages[plan::index(which)].node;
  failure where{.operator_name = note.op != nullptr ? note.op : node.name,
                .row = note.row,
                .stage = graph::label(node),
                .function = note.function != nullptr ? note.function : ""};
  if (const auto name = node.op->user_name(); !name.empty()) where.operator_name = name;
  const auto tell = [&] {
    if (!note.told && with_.on_failure) with_.on_failure(where);
    note.told = true;
    base::leave_note(note);  // a loop's stage sees it again
  };
  try {
    throw;
  } catch (const error&) {  // of Pappus: they tell by themselves
    throw;
  } catch (const failed_call&) {
    throw;
  } catch (const devices::device_error&) {
    throw;
  } catch (const chunk_loop::needs_cpu&) {
    throw;
  } catch (const std::exception& e) {
    where.message = e.what();
    tell();
    throw_told_if_standard(e, where);
    throw;
  } catch (...) {
    where.message = type_of_current_exception();
    tell();
    throw;
  }
}

}  // namespace pappus::run
