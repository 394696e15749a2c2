// Records in numbered buckets, in the order in which they came, that go to the disk where memory is
// short.
//
// What comes at once is laid out bucket by bucket in one buffer, which rests as a whole: so it is
// written in large pieces, and neighbouring buckets are read in one piece of each buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

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
  std::vector<std::size_t> ends;  ///< of each bucket, in records
};

/// How often the records of items fall into buckets.
class bucket_counts {
 public:
  bucket_counts(const run_context& context, std::size_t items, std::size_t buckets)
      : buckets_(buckets),
        counts_(context.memory, items * buckets * sizeof(std::uint32_t), context.owner) {
    std::memset(counts_.data(), 0, counts_.size());
  }
  std::span<std::uint32_t> of(std::size_t item) {
    return {counts_.as<std::uint32_t>() + item * buckets_, buckets_};
  }
  std::size_t records(std::size_t item);
  /// Makes counts of items [begin, end) the places of their first records in a buffer; returns
  /// where its buckets end.
  std::vector<std::size_t> to_places(std::size_t begin, std::size_t end);

 private:
  std::size_t buckets_;
  detail::buffer counts_;
};

class scattered_rows {
 public:
  scattered_rows(std::size_t record_bytes, std::size_t buckets)
      : record_bytes_(record_bytes), buckets_(buckets) {}

  /// Adds records behind those so far, in as many buffers as it takes to keep them below
  /// `buffer_bytes` each; an item's aren't cut.
  /// \param visit   visit(item, put) calls put(const std::byte* record, bucket) for each record of
  ///                an item, in order; twice the same. Different items at the same time.
  /// \param finish  finish(scattered_buffer&), before a buffer is kept.
  template <typename Visit, typename Finish>
  void add(run_context& context, std::size_t items, std::size_t buffer_bytes, Visit&& visit,
           Finish&& finish);
  template <typename Visit>
  void add(run_context& context, std::size_t items, std::size_t buffer_bytes, Visit&& visit) {
    add(context, items, buffer_bytes, visit, [](scattered_buffer&) {});
  }

  std::size_t record_bytes() const noexcept { return record_bytes_; }
  std::size_t buckets() const noexcept { return buckets_; }
  std::size_t rows(bucket_range which) const;
  std::size_t rows() const { return rows({0, buckets_}); }

  /// How far records of a range have been read.
  struct place {
    std::size_t set = 0, row = 0;
  };
  /// What is to be copied to have the next records of a range, `most` at most, at `to`: those of
  /// each bucket in order. Returns how many there are; 0: there are none left.
  std::size_t next(bucket_range which, place& from, std::size_t most, std::byte* to,
                   std::vector<graph::row_store::copy>& copies) const;

 private:
  struct set {
    std::shared_ptr<graph::kept_rows> records;
    std::vector<std::size_t> ends;  // of each bucket, in records
    std::size_t begin(std::size_t bucket) const { return bucket == 0 ? 0 : ends[bucket - 1]; }
  };
  void keep(run_context& context, scattered_buffer made);

  std::size_t record_bytes_, buckets_;
  std::vector<set> sets_;
};

template <typename Visit, typename Finish>
void scattered_rows::add(run_context& context, std::size_t items, std::size_t buffer_bytes,
                         Visit&& visit, Finish&& finish) {
  bucket_counts counts(context, items, buckets_);
  detail::parallel_chunks(context.team, items, [&](std::size_t item, unsigned) {
    const auto own = counts.of(item);
    visit(item, [&](const std::byte*, std::size_t bucket) { ++own[bucket]; });
  });
  stop_if_cancelled(context.team);
  for (std::size_t begin = 0, end = 0; begin < items; begin = end) {
    std::size_t records = 0;
    do records += counts.records(end++);
    while (end < items && (records + counts.records(end)) * record_bytes_ <= buffer_bytes);
    if (records == 0) continue;
    scattered_buffer made{{context.memory, records * record_bytes_, context.owner},
                          counts.to_places(begin, end)};
    detail::parallel_chunks(context.team, end - begin, [&](std::size_t number, unsigned) {
      const auto places = counts.of(begin + number);
      visit(begin + number, [&](const std::byte* record, std::size_t bucket) {
        std::memcpy(made.records.data() + places[bucket]++ * record_bytes_, record, record_bytes_);
      });
    });
    stop_if_cancelled(context.team);
    finish(made);
    keep(context, std::move(made));
  }
}

}  // namespace pappus::cpu_ops
