// A cache of element functions' device versions; the key is the description they were made from.
//
// A program that asks the same query again and again makes new nodes each time, which say the same
// of themselves. Writing their text takes ten times as long as taking the description down
// (description.h), so texts are kept, for all sessions, and so are the programs made with them. The
// description itself is the key, compared in full; a key as short as a hash could be wrong.
//
// A description may be as long as the user's texts: the number of elements and their bytes are
// bounded, and whichever was asked for longest ago goes.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "codegen/element/element.h"

namespace pappus::codegen {

/// Thread-safe.
class element_cache {
 public:
  /// \param bytes_max  of keys and texts
  element_cache(std::size_t elements_max, std::size_t bytes_max)
      : elements_max_(elements_max), bytes_max_(bytes_max) {}

  /// Null: none is kept for the key.
  element_ptr find(std::string_view key);
  /// Returns what is then kept for the key: `made`, or another thread's if that was first. If it is
  /// too large to be kept, `made`.
  element_ptr add(std::string key, element_ptr made);
  std::size_t size() const;

 private:
  struct entry {
    std::string key;
    element_ptr made;
    std::size_t bytes() const { return key.size() + made->text.size(); }
  };
  using entries = std::list<entry>;

  const std::size_t elements_max_, bytes_max_;
  mutable std::mutex mutex_;
  entries latest_first_;
  std::unordered_map<std::string_view, entries::iterator> by_key_;
  std::size_t bytes_ = 0;
};

/// This process's cache.
element_cache& known_elements();

}  // namespace pappus::codegen
