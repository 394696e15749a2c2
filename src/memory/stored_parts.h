// Rows that a store keeps in parts, each of which goes to the disk and comes back by itself: there
// may be more of them than memory has room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/store.h"

namespace pappus::memory {

class stored_parts final : public graph::kept_rows {
 public:
  /// \param parts    what `of` keeps.
  /// \param missing  what is known of their rows
  stored_parts(std::shared_ptr<store> of, const detail::record_type& layout,
               std::vector<std::shared_ptr<kept_rows>> parts, detail::missing_counts missing);

  std::int64_t rows() const noexcept override { return ends_.empty() ? 0 : ends_.back(); }
  /// O(parts).
  detail::rows_ptr in_memory() override;
  detail::rows_ptr wake(std::string_view owner, const detail::workers* for_whom) override;
  bool lost() const noexcept override;
  std::span<const std::shared_ptr<const void>> owners() const noexcept override { return {}; }
  std::string about() override;
  std::size_t text_bytes(std::int64_t first, std::int64_t rows) const noexcept override;
  std::span<const std::shared_ptr<kept_rows>> parts() const noexcept override { return parts_; }

 private:
  const std::shared_ptr<store> store_;
  const detail::record_type layout_;
  const std::vector<std::shared_ptr<kept_rows>> parts_;
  const detail::missing_counts missing_;
  const std::vector<std::int64_t> ends_;  ///< numbers of the rows behind each part
};

}  // namespace pappus::memory
