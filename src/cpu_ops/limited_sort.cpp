#include "cpu_ops/limited_sort.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/key_bits.h"
#include "base/memory_scale.h"
#include "cpu_ops/shared_rows.h"
#include "cpu_ops/sort_keys.h"
#include "cpu_ops/sort_rows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::block_rows_max;
using detail::sort_moves;
using detail::sort_params;
using detail::sort_pass;

constexpr std::int64_t considered_rows = 1 << 15;  // by a worker at a time
constexpr std::int64_t few_rows = 1 << 14;         // are sorted as a whole
constexpr std::size_t wave_bytes_max = std::size_t{64} << 20;

/// The last of the best records so far. A row that comes later is among the first only if its keys
/// are less.
class bar {
 public:
  /// \param record  stays where it is as long as this: keys may point to its text.
  bar(const graph::node& node, const std::byte* record)
      : node_(node), passes_(node.as<sort_params>().passes), keys_(passes_.size()) {
    for (std::size_t k = 0; k < passes_.size(); ++k)
      passes_[k].keys(node.stage.element.get(), &record, 1, keys_[k].data());
  }

  /// Writes the numbers of the rows whose keys are less, or equal where the pass is one of several,
  /// in order; returns how many are.
  /// \param keys  of the last pass.
  /// \param flip  what turns them into bits that have their order.
  std::int64_t passing(const std::byte* keys, std::int64_t rows, std::uint64_t flip,
                       std::uint16_t* numbers) const {
    const auto& pass = passes_.back();
    if (pass.key_bytes == 0) return passing_strings(pass, keys, rows, numbers);
    return with_key_type(pass.key_bytes, [&](auto type) {
      using T = decltype(type);
      const auto* const all = reinterpret_cast<const T*>(keys);
      const T last = load<T>(keys_.back().data());
      const auto less = [&](std::int64_t i) {
        if constexpr (sizeof(T) == 16)
          return all[i] < last;
        else
          return (all[i] ^ static_cast<T>(flip)) < last;
      };
      if (several())
        return passing_if([&](std::int64_t i) { return !(last < all[i]); }, rows, numbers);
      return passing_if(less, rows, numbers);
    });
  }

  /// Whether there are several passes: then passing() is to be asked besides.
  bool several() const { return passes_.size() > 1; }
  /// Whether a record's keys are less, by all passes.
  bool passes(const std::byte* record) const {
    return compare_keys(node_, record, [&](std::size_t k) { return keys_[k].data(); }) < 0;
  }

 private:
  template <typename Passes>
  static std::int64_t passing_if(Passes&& passes, std::int64_t rows, std::uint16_t* numbers) {
    std::uint32_t any = 0;  // not bool, so that the loop vectorises
    for (std::int64_t i = 0; i < rows; ++i) any |= passes(i) ? 1u : 0u;
    if (any == 0) return 0;
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      numbers[n] = static_cast<std::uint16_t>(i);
      n += passes(i) ? 1 : 0;
    }
    return n;
  }

  std::int64_t passing_strings(const sort_pass& pass, const std::byte* keys, std::int64_t rows,
                               std::uint16_t* numbers) const {
    const std::size_t each = stored_key_bytes(pass);
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto order =
          compare_keys(pass, keys + static_cast<std::size_t>(i) * each, keys_.back().data());
      if (order < 0 || (order == 0 && several())) numbers[n++] = static_cast<std::uint16_t>(i);
    }
    return n;
  }

  const graph::node& node_;
  const std::vector<sort_pass>& passes_;
  std::vector<stored_key> keys_;
};

/// Keys of a block, and what moves with them.
struct block_keys {
  alignas(64) std::array<std::byte, block_rows_max * 16> keys, payload;
  std::array<std::uint16_t, block_rows_max> numbers;
};

class limited_sort {
 public:
  limited_sort(run_context& context, std::int64_t begin, std::int64_t end)
      : context_(context),
        params_(context.node.as<sort_params>()),
        element_(context.node.stage.element.get()),
        record_bytes_(context.node.out.size),
        begin_(begin),
        end_(end) {}

  first_records run() {
    const std::int64_t rows = end_ - begin_, limit = context_.limit;
    std::int64_t next = rows;
    if (limit <= rows / 8 && rows > 2 * few_rows) next = std::max(4 * limit, few_rows);
    first_records best{sort_rows(context_, begin_, begin_ + next), std::min(next, limit)};
    if (next == rows) return trimmed(std::move(best));
    const std::int64_t most = wave_rows_max();
    room_ = detail::buffer(context_.memory, bytes(most), context_.owner);
    while (next < rows && !context_.team.stopping()) {
      const std::int64_t wave = std::min({next, most, rows - next});
      look_at(begin_ + next, begin_ + next + wave, best);
      if (!found_.empty()) best = merged(std::move(best));
      next += wave;
    }
    return trimmed(std::move(best));
  }

 private:
  /// Consecutive candidates in `room_`, which begin at the place of their block's first row.
  struct stretch {
    std::int64_t first = 0, rows = 0;
  };

  std::size_t bytes(std::int64_t rows) const {
    return static_cast<std::size_t>(rows) * record_bytes_;
  }
  std::int64_t wave_rows_max() const {
    const auto most = std::min(base::scaled(wave_bytes_max), context_.available() / 8);
    const auto rows = static_cast<std::int64_t>(most / record_bytes_);
    return std::clamp(rows, block_rows_max, std::max((end_ - begin_) / 2, block_rows_max));
  }

  /// Puts the candidates of rows [begin, end) of the window into `room_`.
  void look_at(std::int64_t begin, std::int64_t end, const first_records& best) {
    const bar last(context_.node, best.records.data() + bytes(best.rows - 1));
    found_.clear();
    const auto consider = [&](std::int64_t from, std::int64_t to) {
      const auto own = std::make_unique_for_overwrite<block_keys>();
      return for_each_fast_block(context_, from, to, true, [&](const detail::block_args& args) {
        const std::int64_t first = args.row - context_.first_row - begin;
        const std::int64_t n = candidates_of(args, last, *own, room_.data() + bytes(first));
        if (n == 0) return;
        const std::lock_guard lock(mutex_);
        found_.push_back({first, n});
      });
    };
    detail::parallel_chunks(
        context_.team, static_cast<std::size_t>(detail::ceil_div(end - begin, considered_rows)),
        [&](std::size_t item, unsigned) {
          const auto from = begin + static_cast<std::int64_t>(item) * considered_rows;
          spread_rows(context_, from, std::min(from + considered_rows, end), consider);
        });
  }

  /// Writes a block's records that pass, in order; returns how many do.
  std::int64_t candidates_of(const detail::block_args& args, const bar& last, block_keys& own,
                             std::byte* to) const {
    params_.start(element_, args, own.keys.data(), own.payload.data());
    if (last.several())
      params_.passes.back().keys(element_,
                                 reinterpret_cast<const std::byte* const*>(own.payload.data()),
                                 args.rows, own.keys.data());
    const std::int64_t n = last.passing(own.keys.data(), args.rows,
                                        params_.integers ? params_.flip : 0, own.numbers.data());
    std::int64_t written = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      write_record(own, own.numbers[i], to + bytes(written));
      written += !last.several() || last.passes(to + bytes(written)) ? 1 : 0;
    }
    return written;
  }

  void write_record(const block_keys& own, std::size_t row, std::byte* to) const {
    const auto* const beside = own.payload.data() + row * params_.payload_bytes;
    const auto* const key = own.keys.data() + row * params_.passes.front().key_bytes;
    switch (params_.moves) {
      case sort_moves::keys:
        if (params_.decode != nullptr)
          params_.decode(key, to, 1);
        else
          std::memcpy(to, key, record_bytes_);
        return;
      case sort_moves::records:
        std::memcpy(to, beside, record_bytes_);
        return;
      case sort_moves::addresses:
        std::memcpy(to, load<const std::byte*>(beside), record_bytes_);
        return;
    }
  }

  /// The best of those and the wave's candidates.
  first_records merged(first_records best) {
    std::ranges::sort(found_, {}, &stretch::first);
    std::int64_t rows = best.rows;
    for (const auto& part : found_) rows += part.rows;
    detail::buffer all(context_.memory, bytes(rows), context_.owner);
    std::memcpy(all.data(), best.records.data(), bytes(best.rows));
    std::int64_t at = best.rows;
    for (const auto& part : found_) {
      std::memcpy(all.data() + bytes(at), room_.data() + bytes(part.first), bytes(part.rows));
      at += part.rows;
    }
    best.records.reset();
    return {sort_records(context_, std::move(all), rows), std::min(rows, context_.limit)};
  }

  /// The same in memory of their size, if they are few of those that there is room for.
  first_records trimmed(first_records best) const {
    if (2 * bytes(best.rows) > best.records.size()) return best;
    detail::buffer own(context_.memory, bytes(best.rows), context_.owner);
    std::memcpy(own.data(), best.records.data(), bytes(best.rows));
    return {std::move(own), best.rows};
  }

  run_context& context_;
  const sort_params& params_;
  const void* const element_;
  const std::size_t record_bytes_;
  const std::int64_t begin_, end_;
  detail::buffer room_;  // for records of as many rows as a wave has
  std::mutex mutex_;
  std::vector<stretch> found_;
};

}  // namespace

first_records sort_first(run_context& context, std::int64_t begin, std::int64_t end) {
  return limited_sort(context, begin, end).run();
}

}  // namespace pappus::cpu_ops
