// What the compiler calls a type.
#pragma once

#include <string_view>

namespace pappus::detail {

/// The spelling of T, taken from the compiler's own name of this function.
template <typename T>
constexpr std::string_view type_name() {
#if defined(__clang__)
  constexpr std::string_view text = __PRETTY_FUNCTION__, open = "[T = ", close = "]";
#else
  constexpr std::string_view text = __PRETTY_FUNCTION__, open = "[with T = ", close = ";";
#endif
  const auto begin = text.find(open) + open.size();
  return text.substr(begin, text.find(close, begin) - begin);
}

/// Whether T is a struct or class without a name.
template <typename T>
inline constexpr bool is_unnamed = [] {
#if defined(__clang__)
  for (const std::string_view mark : {"(anonymous struct at ", "(anonymous class at ",
                                      "(unnamed struct at ", "(unnamed class at "})
#else
  for (const std::string_view mark : {"<unnamed struct>", "<unnamed class>"})
#endif
    if (type_name<T>().find(mark) != std::string_view::npos) return true;
  return false;
}();

}  // namespace pappus::detail
