// Keys that are views of characters in the record itself, and keys that are packed.
//
// A record that is computed on the way exists while the loop is at it, but keys are handed on some
// hundred at a time. So the text of those that lie in their record is copied; other text, that of a
// file say, stays where it is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "pappus/detail/base/packed_key.h"

namespace pappus::detail {

/// Keeps a key as it is.
struct as_it_is {
  template <typename Key, typename Whose>
  const Key& operator()(const Key& key, const Whose&) const {
    return key;
  }
};

/// Where nothing needs to be copied.
struct no_key_text {
  static const char* data() { return nullptr; }
  static std::size_t size() { return 0; }
  void clear() {}
  template <typename MakeRoom>
  as_it_is keeper(MakeRoom&&) {
    return {};
  }
};

template <typename T>
std::span<const std::byte> bytes_of_records(const T& one) {
  return std::as_bytes(std::span<const T>(std::addressof(one), 1));
}
template <typename T>
std::span<const std::byte> bytes_of_records(std::span<const T> all) {
  return std::as_bytes(all);
}

/// Copies of keys that lie in records of so many bytes.
template <std::size_t RecordBytes>
class key_text {
 public:
  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  void clear() { used_ = 0; }

  /// A function (key, whose it is) -> the key, or a copy of it that lasts until clear().
  /// \param make_room  is called where there is none left, and calls clear().
  template <typename MakeRoom>
  auto keeper(MakeRoom&& make_room) {
    return [this, make_room](std::string_view key, const auto& whose) {
      const auto records = bytes_of_records(whose);
      const auto at = reinterpret_cast<std::uintptr_t>(key.data()) -
                      reinterpret_cast<std::uintptr_t>(records.data());
      if (at >= records.size() || key.size() > (std::min)(records.size() - at, bytes_.size()))
        return key;
      if (key.size() > bytes_.size() - used_) make_room();
      char* const to = bytes_.data() + used_;
      std::memcpy(to, key.data(), key.size());
      used_ += key.size();
      return std::string_view(to, key.size());
    };
  }

 private:
  std::array<char, (std::max)(RecordBytes, std::size_t{16384})> bytes_;
  std::size_t used_ = 0;
};

/// Packed keys (base/packed_key.h).
class packed_key_text {
 public:
  const char* data() const { return bytes_; }
  std::size_t size() const { return room_; }
  void clear() { used_ = 0; }

  /// A function (key, whose it is) -> the packed key, which lasts until clear().
  /// \param make_room  is called where there is none left, and calls clear().
  template <typename MakeRoom>
  auto keeper(MakeRoom&& make_room) {
    return [this, make_room](const auto& key, const auto&) {
      const auto most = key_packer::bytes_max(key);
      if (most > room_ - used_) {
        if (used_ > 0) make_room();
        if (most > room_) grow(most);
      }
      const auto packed = key_packer::pack(key, bytes_ + used_);
      used_ += packed.size();
      return packed;
    };
  }

 private:
  void grow(std::size_t bytes) {
    large_ = std::make_unique<char[]>(bytes);
    bytes_ = large_.get();
    room_ = bytes;
  }

  std::array<char, 16384> few_;
  std::unique_ptr<char[]> large_;
  char* bytes_ = few_.data();
  std::size_t room_ = few_.size(), used_ = 0;
};

}  // namespace pappus::detail
