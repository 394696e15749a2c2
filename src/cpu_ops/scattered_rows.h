// Records in numbered buckets, in the order in which they came, that go to the disk where memory is
// short.
//
// What comes at once is laid out bucket by bucket in one buffer, which rests as a whole: so it is
// written in large pieces, and neighbouring buckets are read in one piece of each buffer. Text that
// records point to goes with them, where it is found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/contract.h"
#include "graph/kept_rows.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cpu_ops {

/// Buckets [first, last).
struct bucket_range {
  std::size_t first = 0, last = 0;
};

/// Records of one buffer, bucket by bucket.
struct scattered_buffer {
  detail::buffer records;
  std::vector<std::uint32_t> ends;  ///< of each bucket, in records
  std::size_t begin(std::size_t bucket) const { return bucket == 0 ? 0 : ends[bucket - 1]; }
};

/// Lays records out bucket by bucket, those of each in order.
/// \tparam Visit  visit(item, put) calls put(const std::byte* record, bucket) for each record of an
///                item, in order; twice the same. Different items at the same time.
template <typename Visit>
class scattering {
 public:
  /// Counts records of items [0, items).
  scattering(const run_context& context, std::size_t record_bytes, std::size_t items,
             std::size_t buckets, const Visit& visit)
      : context_(context),
        visit_(visit),
        record_bytes_(record_bytes),
        buckets_(buckets),
        counts_(context.memory, items * buckets * sizeof(std::uint32_t), context.owner) {
    if (items == 0) return;
    std::memset(counts_.data(), 0, counts_.size());
    detail::parallel_chunks(context.team, items, [&](std::size_t item, unsigned) {
      auto* const own = counts_of(item);
      visit_(item, [&](const std::byte*, std::size_t bucket) { ++own[bucket]; });
    });
    stop_if_cancelled(context.team);
  }

  std::size_t records(std::size_t item) const {
    return std::accumulate(counts_of(item), counts_of(item) + buckets_, std::size_t{0});
  }

  /// The records of items [begin, end), `records` in number. Once for each item.
  scattered_buffer take(std::size_t begin, std::size_t end, std::size_t records) {
    scattered_buffer made{{context_.memory, records * record_bytes_, context_.owner},
                          std::vector<std::uint32_t>(buckets_)};
    std::uint32_t at = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      for (std::size_t item = begin; item < end; ++item)
        at += std::exchange(counts_of(item)[bucket], at);
      made.ends[bucket] = at;
    }
    detail::parallel_chunks(context_.team, end - begin, [&](std::size_t number, unsigned) {
      auto* const places = counts_of(begin + number);
      visit_(begin + number, [&](const std::byte* record, std::size_t bucket) {
        copy_record(made.records.data() + places[bucket]++ * record_bytes_, record, record_bytes_);
      });
    });
    stop_if_cancelled(context_.team);
    return made;
  }

 private:
  std::uint32_t* counts_of(std::size_t item) const {
    return counts_.as<std::uint32_t>() + item * buckets_;
  }

  const run_context& context_;
  const Visit& visit_;
  const std::size_t record_bytes_, buckets_;
  detail::buffer counts_;  // by item and bucket; then where the next record goes
};

class scattered_rows {
 public:
  scattered_rows(const detail::record_type& layout, std::size_t buckets)
      : layout_(layout), buckets_(buckets) {}

  /// Adds records behind those so far, in as many buffers as it takes to keep them below
  /// `buffer_bytes` each, and below 2^32 records; an item's aren't cut.
  template <typename Visit>
  void add(run_context& context, std::size_t items, std::size_t buffer_bytes, const Visit& visit);
  void add(run_context& context, scattered_buffer made);

  const detail::record_type& layout() const noexcept { return layout_; }
  std::size_t record_bytes() const noexcept { return layout_.size; }
  /// On the average, with the text.
  std::size_t row_bytes() const {
    return record_bytes() + text_bytes_ / std::max<std::size_t>(rows(), 1);
  }
  std::size_t buckets() const noexcept { return buckets_; }
  std::size_t rows(bucket_range which) const;
  std::size_t rows() const { return rows({0, buckets_}); }

  /// How far records of a range have been read.
  struct place {
    std::size_t set = 0, row = 0;
  };
  /// What is to be copied to have the next records of a range, `most` at most, at `to`: those of
  /// each bucket in order. Their text needs room_for_text(). Returns how many there are; 0: there
  /// are none left.
  std::size_t next(bucket_range which, place& from, std::size_t most, std::byte* to,
                   std::vector<graph::row_store::copy>& copies) const;
  /// Goes on as next() does and calls f(bucket, n): the next n records are of this bucket. One of
  /// several sets has several of such stretches.
  template <typename F>
  void pass(bucket_range which, place& from, std::size_t most, F&& f) const;

 private:
  struct set {
    std::shared_ptr<graph::kept_rows> records;
    std::vector<std::uint32_t> ends;  // of each bucket, in records
    std::size_t begin(std::size_t bucket) const { return bucket == 0 ? 0 : ends[bucket - 1]; }
  };

  detail::record_type layout_;
  std::size_t buckets_, text_bytes_ = 0;
  std::vector<set> sets_;
};

template <typename F>
void scattered_rows::pass(bucket_range which, place& from, std::size_t most, F&& f) const {
  for (; most > 0 && from.set < sets_.size(); from = {from.set + 1, 0}) {
    const auto& set = sets_[from.set];
    std::size_t at = set.begin(which.first) + from.row;
    for (std::size_t bucket = which.first; bucket < which.last; ++bucket) {
      if (set.ends[bucket] <= at) continue;
      const std::size_t n = std::min(set.ends[bucket] - at, most);
      f(bucket, n);
      at += n;
      most -= n;
      if (most > 0) continue;
      from.row = at - set.begin(which.first);
      return;
    }
  }
}

template <typename Visit>
void scattered_rows::add(run_context& context, std::size_t items, std::size_t buffer_bytes,
                         const Visit& visit) {
  scattering<Visit> all(context, record_bytes(), items, buckets_, visit);
  for (std::size_t begin = 0, end = 0; begin < items; begin = end) {
    std::size_t records = 0;
    do records += all.records(end++);
    while (end < items && (records + all.records(end)) * record_bytes() <= buffer_bytes);
    if (records > 0) add(context, all.take(begin, end, records));
  }
}

}  // namespace pappus::cpu_ops
