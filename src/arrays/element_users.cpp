#include "arrays/element_users.h"

#include <cstdlib>
#include <cstring>

namespace pappus::arrays {
namespace {

using user = std::atomic_ref<std::int64_t>;
constexpr std::int64_t nobody = 0;

detail::buffer notes_about(const argument& of) {
  const auto bytes = static_cast<std::size_t>(of.part.volume()) * sizeof(std::int64_t);
  detail::buffer result(*of.elements->source.budget, bytes, "users of checked elements");
  if (bytes > 0) std::memset(result.data(), 0, bytes);
  return result;
}

bool may_meet(const argument& of) {
  return of.view == detail::view_access::write || of.view == detail::view_access::readwrite;
}

}  // namespace

bool element_users::are_noted(const launch& of) {
  return of.checks_access && of.known == launch::knowledge::assumed && of.indices.volume() > 1;
}

element_users::element_users(const launch& of) : arguments_(of.arguments.size()) {
  for (std::size_t a = 0; a < of.arguments.size(); ++a) {
    const auto& argument = of.arguments[a];
    if (!may_meet(argument) || argument.part.empty()) continue;
    arguments_[a].writers = notes_about(argument);
    if (argument.view == detail::view_access::readwrite)
      arguments_[a].readers = notes_about(argument);
  }
}

std::optional<std::int64_t> element_users::write(std::size_t argument, std::size_t element,
                                                 std::int64_t index) {
  auto& its = arguments_[argument];
  const auto own = index + 1;
  const auto before = user(its.writers.as<std::int64_t>()[element]).exchange(own);
  if (before != nobody && before != own) return before - 1;
  if (its.readers.data() == nullptr) return std::nullopt;
  const auto reader = user(its.readers.as<std::int64_t>()[element]).load();
  if (reader == nobody || reader == own) return std::nullopt;
  return std::abs(reader) - 1;
}

std::optional<std::int64_t> element_users::read(std::size_t argument, std::size_t element,
                                                std::int64_t index) {
  auto& its = arguments_[argument];
  const auto own = index + 1;
  user reader(its.readers.as<std::int64_t>()[element]);
  auto before = nobody;
  if (!reader.compare_exchange_strong(before, own) && before > 0 && before != own)
    reader.store(-before);
  const auto writer = user(its.writers.as<std::int64_t>()[element]).load();
  return writer == nobody || writer == own ? std::nullopt : std::optional(writer - 1);
}

}  // namespace pappus::arrays
