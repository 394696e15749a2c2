// The texts of categories: each different one once, and a number for it.
//
// Problem: the threads of readers meet the same few texts again and again, and functions that run
// on all cores ask for the text of a number; neither may wait.
//
// Idea: as algorithms/strings.h numbers keys of a query, but for good and with the way back. 64
// tables of open addressing, chosen by the hash; an entry is one word, hash bits and the number,
// written last, so look-ups take no lock. What isn't found is looked for again under its table's
// lock, then inserted. A table that is half full is copied to one twice as large; the old one
// stays, for someone may be reading it. Texts lie behind one another; where they do is in segments
// that never move, each twice as large as the last.
//
// Alternatives: a dictionary a column (see include/pappus/category.h); one lock, as readers have
// caches of their own (formats/category_cache.h): functions that make categories of text would wait
// for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace pappus::base {

class category_texts {
 public:
  /// \param bytes_max  of memory that it takes; what would be more is refused.
  explicit category_texts(std::size_t bytes_max);
  ~category_texts();
  category_texts(const category_texts&) = delete;
  category_texts& operator=(const category_texts&) = delete;

  /// That of all categories, which stays until the process ends.
  static category_texts& of_process();

  /// The same without a check whether it must be made; null: nobody has asked for it yet.
  static const category_texts* made_of_process() noexcept {
    return made_of_process_.load(std::memory_order_acquire);
  }

  /// The number of a text, which gets the next one if it has none; 0 if it is empty. Thread-safe.
  /// Throws memory_error where there is no room for it.
  std::uint32_t code_of(std::string_view text);
  /// Thread-safe. Of other numbers than code_of() returned: empty.
  std::string_view text_of(std::uint32_t code) const noexcept {
    const auto place = place_of(code);
    const auto* const segment = segments_[place.segment].load(std::memory_order_acquire);
    return segment == nullptr ? std::string_view() : segment[place.at];
  }

  /// Different texts, without the empty one. Thread-safe.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  /// Of memory, without what allocating costs. Thread-safe.
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  /// 0: none; else hash bits above, the number below.
  using entry = std::atomic<std::uint64_t>;
  struct table {
    std::unique_ptr<entry[]> entries;
    std::size_t mask = 0;
  };
  struct alignas(64) shard {
    std::atomic<const table*> current{nullptr};
    std::mutex lock;
    std::size_t used = 0;
    std::vector<std::unique_ptr<table>> tables;  // the last is current
    std::vector<std::unique_ptr<char[]>> texts;
    char* text_end = nullptr;                // of those in the last of texts
    std::size_t room = 0, next_bytes = 512;  // behind that; of the next of texts
  };
  static constexpr std::size_t shards = 64, first_segment = 1024, segments = 23;
  struct place {
    std::size_t segment, at;
  };
  static place place_of(std::uint32_t code) noexcept;

  std::uint32_t find(const table* in, std::string_view text, std::uint64_t hash) const noexcept;
  std::uint32_t insert(shard& where, std::string_view text, std::uint64_t hash);
  void grow(shard& where, std::string_view text);
  void charge(std::size_t bytes, std::string_view text);
  std::string_view copy(shard& where, std::string_view text);
  std::string_view* segment_for(const place& where);
  std::uint32_t next_code(std::string_view text);

  static std::atomic<const category_texts*> made_of_process_;

  const std::size_t bytes_max_;
  std::atomic<std::size_t> size_{0}, bytes_{0};
  std::array<std::atomic<std::string_view*>, segments> segments_{};
  std::mutex adding_segment_;
  std::array<shard, shards> shards_;
};

}  // namespace pappus::base
