// A list of texts as bytes that point nowhere: how many they are, where each ends behind these
// numbers, and their characters. Numbers are of 32 bits; of no text there is nothing at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace pappus::detail {

inline std::uint32_t list_number(std::string_view bytes, std::size_t i) noexcept {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + i * sizeof(number), sizeof(number));
  return number;
}

inline std::size_t count_of_texts(std::string_view bytes) noexcept {
  return bytes.empty() ? 0 : list_number(bytes, 0);
}

/// Text number i, of a list that has it.
inline std::string_view text_number(std::string_view bytes, std::size_t i) noexcept {
  const std::size_t first = (1 + std::size_t{list_number(bytes, 0)}) * sizeof(std::uint32_t),
                    begin = i == 0 ? 0 : list_number(bytes, i);
  return {bytes.data() + first + begin, list_number(bytes, i + 1) - begin};
}

/// What a list of these takes.
inline std::size_t bytes_of_texts(std::span<const std::string_view> texts) noexcept {
  if (texts.empty()) return 0;
  std::size_t bytes = (1 + texts.size()) * sizeof(std::uint32_t);
  for (const auto text : texts) bytes += text.size();
  return bytes;
}

/// Replaces `to` by the bytes of a list of these. False where they take 4 GiB or more.
inline bool pack_texts(std::span<const std::string_view> texts, std::string& to) {
  to.clear();
  if (texts.empty()) return true;
  if (bytes_of_texts(texts) > (std::numeric_limits<std::uint32_t>::max)()) return false;
  const auto add = [&](std::size_t number) {
    const auto narrow = static_cast<std::uint32_t>(number);
    to.append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
  };
  add(texts.size());
  std::size_t end = 0;
  for (const auto text : texts) add(end += text.size());
  for (const auto text : texts) to.append(text);
  return true;
}

}  // namespace pappus::detail
