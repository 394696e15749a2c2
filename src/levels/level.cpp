#include "levels/level.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/environment.h"
#include "pappus/error.h"

namespace pappus::levels {
namespace {

struct level_text {
  std::string_view word, name, description;
};

#if defined(PAPPUS_LEVELS)
constexpr level_text texts[] = {{"v2", "x86-64-v2", "x86-64-v2 (SSE4.2)"},
                                {"v3", "x86-64-v3", "x86-64-v3 (AVX2)"},
                                {"v4", "x86-64-v4", "x86-64-v4 (AVX-512)"}};
constexpr level all[] = {level::v2, level::v3, level::v4};

// These ask the system, too, whether it keeps the wide registers.
std::size_t count_available() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3")) return 1;
  return __builtin_cpu_supports("x86-64-v4") ? 3 : 2;
}
#else
constexpr level_text texts[] = {{"baseline", "baseline", "the baseline of the architecture"}};
constexpr level all[] = {level::v2};

std::size_t count_available() { return 1; }
#endif

const level_text& text_of(level of) { return texts[static_cast<std::size_t>(of)]; }

}  // namespace

std::string_view name(level of) { return text_of(of).name; }
std::string_view description(level of) { return text_of(of).description; }

std::span<const level> available() {
  static const std::size_t count = count_available();
  return {all, count};
}

level level_of(std::string_view word, std::span<const level> levels) {
  for (const level known : levels)
    if (text_of(known).word == word) return known;
  std::string expected(text_of(levels.front()).word);
  for (const level known : levels.subspan(1))
    expected += fmt::format("{}{}", known == levels.back() ? " or " : ", ", text_of(known).word);
  const bool lacking = std::ranges::any_of(texts, [&](auto& text) { return text.word == word; });
  throw usage_error(fmt::format("PAPPUS_LEVEL: expected {}{}, got \"{}\"", expected,
                                lacking ? ", the levels that this processor has" : "", word));
}

level level_of_environment() {
  const char* const wanted = base::environment("PAPPUS_LEVEL");
  return wanted == nullptr ? available().back() : level_of(wanted, available());
}

}  // namespace pappus::levels
