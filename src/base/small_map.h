// A map that allocates nothing while it is small, as in the planning of most queries.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace pappus::base {

/// The first 16 keys lie in the map itself and are searched one by one; with the 17th all move to a
/// hash table. Pointers to values are valid until the next key is added.
template <typename Key, typename Value>
class small_map {
 public:
  /// The value of a key, and whether the key was new and has been added with `value`.
  std::pair<Value*, bool> emplace(const Key& key, const Value& value) {
    if (auto* known = find(key)) return {known, false};
    if (size_ < few_.size()) {
      few_[size_] = {key, value};
      return {&few_[size_++].second, true};
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    return {&many_.emplace(key, value).first->second, true};
  }

  /// Throws std::out_of_range if there is no such key.
  Value& at(const Key& key) {
    if (auto* known = find(key)) return *known;
    throw std::out_of_range("small_map: no such key");
  }

  /// Null if there is no such key.
  Value* find(const Key& key) {
    if (!many_.empty()) {
      const auto found = many_.find(key);
      return found == many_.end() ? nullptr : &found->second;
    }
    for (std::size_t i = 0; i < size_; ++i)
      if (few_[i].first == key) return &few_[i].second;
    return nullptr;
  }

 private:
  std::array<std::pair<Key, Value>, 16> few_{};
  std::size_t size_ = 0;  // of few_
  std::unordered_map<Key, Value> many_;
};

}  // namespace pappus::base
