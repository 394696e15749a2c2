// What a benchmark reads from explain().
#pragma once

#include <string>
#include <string_view>

namespace pappus::bench {

/// Why the query of one stage won't run on a device; empty where it will.
inline std::string why_on_cpu(const std::string& explained) {
  if (explained.find("\ndevice code\n") != explained.npos) return {};
  constexpr std::string_view mark = "on the CPU: ";
  const auto at = explained.find(mark);
  if (at == explained.npos) return "the devices that were named leave it to the CPU";
  const auto begin = at + mark.size();
  return explained.substr(begin, explained.find('\n', begin) - begin);
}

}  // namespace pappus::bench
