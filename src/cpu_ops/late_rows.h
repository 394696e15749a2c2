// Rows of groups that have no room in memory, as one worker finds them: copies of their keys and
// values, with the text that these point to where it doesn't stay, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory_scale.h"
#include "base/text_arena.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/loops/group.h"

namespace pappus::cpu_ops {

/// Bytes from the start of a late_row to its value.
inline std::size_t late_value_at(const detail::group_params& params) {
  constexpr std::size_t before = offsetof(detail::late_row<std::int64_t>, value);
  return detail::round_up(before, params.value_align);
}

/// Not thread-safe.
class late_rows {
 public:
  /// All must outlive it.
  /// \param text_stays  as long as this, so that there is no need for copies.
  late_rows(const detail::group_params& params, detail::memory_source& memory,
            std::string_view owner, bool text_stays)
      : params_(&params), memory_(&memory), owner_(owner), text_stays_(text_stays) {
    if (!text_stays) params.late.add_text_places(views_);
  }
  /// An empty one, for rows of the same leaf.
  late_rows another() const {
    late_rows made(*params_, *memory_, owner_, text_stays_);
    made.leaf_ = leaf_;
    return made;
  }

  /// The leaf that the rows which come now are in.
  void set_leaf(std::int64_t number) noexcept { leaf_ = number; }
  void add(std::string_view key, const std::byte* value);
  /// So many rows came, those included that weren't late.
  void count(std::size_t n) noexcept { seen_ += n; }
  /// Adds all of another, behind those so far.
  void append(late_rows&& other);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t seen() const noexcept { return seen_; }
  /// Of memory.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Appends copies of the rows at `to` and forgets them, but for their text, which it gives.
  void move_to(std::byte* to, std::vector<detail::buffer>& text);

 private:
  struct block {
    detail::buffer memory;
    std::size_t rows = 0;
  };
  static base::text_arena fresh_arena() {
    return {base::scaled<std::size_t>(512), base::scaled(std::size_t{32} << 10)};
  }
  std::byte* next_place();
  void copy_text(std::byte* row);

  const detail::group_params* params_;
  detail::memory_source* memory_;
  std::string_view owner_;
  bool text_stays_;
  std::vector<detail::text_place> views_;  // that are copied
  std::int64_t leaf_ = 0;
  std::vector<block> blocks_;
  base::text_arena arena_ = fresh_arena();
  std::vector<detail::buffer> text_;  // of others that were appended
  std::size_t rows_ = 0, bytes_ = 0, seen_ = 0;
};

}  // namespace pappus::cpu_ops
