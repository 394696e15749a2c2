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
#include "ops/sort.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::block_rows_max;
using detail::sort_moves;
using detail::sort_params;
using detail::sort_pass;

constexpr std::int64_t looked_at_once = 1 << 15;  // rows, by a worker

/// The keys of the last of the best records so far.
class bar {
 public:
  /// \param record  stays where it is as long as this: keys may point to its text.
  bar(const graph::node& node, const std::byte* record)
      : node_(node), passes_(node.as<sort_params>().passes), keys_(passes_.size()) {
    for (std::size_t k = 0; k < passes_.size(); ++k)
      passes_[k].keys(node.stage.element.get(), &record, 1, keys_[k].data());
  }

  /// Whether the last pass alone doesn't tell which rows are below: those whose keys of it are
  /// equal may be.
  bool is_of_several_passes() const { return passes_.size() > 1; }

  /// Whether a record is below by all passes.
  bool is_above(const std::byte* record) const {
    return compare_keys(node_, record, [&](std::size_t k) { return keys_[k].data(); }) < 0;
  }

  /// Writes the numbers of the rows that are below by the last pass, or may be, in order; returns
  /// how many these are.
  /// \param keys  of the last pass
  /// \param flip  what turns keys into bits that have their order: of integers, of 4 or 8 bytes
  std::int64_t find_below(const std::byte* keys, std::int64_t rows, std::uint64_t flip,
                          std::uint16_t* numbers) const {
    const auto& pass = passes_.back();
    if (pass.key_bytes == 0) return find_strings_below(pass, keys, rows, numbers);
    return with_key_type(pass.key_bytes, [&](auto type) {
      using T = decltype(type);
      const auto* const all = reinterpret_cast<const T*>(keys);
      const T last = load<T>(keys_.back().data());
      if (is_of_several_passes())
        return find_if([&](std::int64_t i) { return !(last < all[i]); }, rows, numbers);
      if constexpr (sizeof(T) == 16)
        return find_if([&](std::int64_t i) { return all[i] < last; }, rows, numbers);
      else
        return find_if([&](std::int64_t i) { return (all[i] ^ static_cast<T>(flip)) < last; }, rows,
                       numbers);
    });
  }

 private:
  template <typename Found>
  static std::int64_t find_if(Found&& found, std::int64_t rows, std::uint16_t* numbers) {
    std::uint32_t any = 0;  // not bool, so that the loop vectorises
    for (std::int64_t i = 0; i < rows; ++i) any |= found(i) ? 1u : 0u;
    if (any == 0) return 0;
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      numbers[n] = static_cast<std::uint16_t>(i);
      n += found(i) ? 1 : 0;
    }
    return n;
  }

  std::int64_t find_strings_below(const sort_pass& pass, const std::byte* keys, std::int64_t rows,
                                  std::uint16_t* numbers) const {
    const std::size_t each = stored_key_bytes(pass);
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto* const key = keys + static_cast<std::size_t>(i) * each;
      const auto order = compare_keys(pass, key, keys_.back().data());
      if (order < 0 || (order == 0 && is_of_several_passes()))
        numbers[n++] = static_cast<std::uint16_t>(i);
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
        next_(begin),
        end_(end) {}

  first_records run() {
    const std::int64_t rows = end_ - next_, limit = context_.limit;
    if (!ops::sorts_some(rows, limit)) return sort_next(rows);
    auto best = sort_next(ops::sorted_first(limit));
    room_ = ops::candidates_max(
        rows, limit, record_bytes_,
        std::min(base::scaled(ops::candidate_bytes_max), context_.available() / 8));
    while (next_ < end_ && !context_.team.stopping()) {
      const std::int64_t before = rows - (end_ - next_);
      const std::int64_t wave = std::min({before, room_ - candidates_, end_ - next_});
      const bool few_left_out = 2 * look_at_next(wave, best) > wave;
      const bool sort_others = few_left_out && has_room_to_sort(end_ - next_);
      if (sort_others || candidates_ >= limit || next_ == end_) best = merged(std::move(best), {});
      if (sort_others) {
        memory_.reset();
        auto others = sort_next(end_ - next_);
        return merged(std::move(best), std::move(others));
      }
    }
    return best;
  }

 private:
  /// Candidates of a block: `rows` from number `at` on.
  struct stretch {
    std::int64_t row = 0;  ///< number of the block's first
    std::int64_t at = 0, rows = 0;
  };

  std::size_t bytes(std::int64_t rows) const {
    return static_cast<std::size_t>(rows) * record_bytes_;
  }

  bool has_room_to_sort(std::int64_t rows) const {
    const auto held = context_.node.op->holds_of_window(context_.node);
    return rows > 0 && static_cast<double>(rows) * held.row + held.worker * context_.team.count() <=
                           static_cast<double>(context_.available());
  }

  /// The first of the next n rows, n > 0.
  first_records sort_next(std::int64_t n) {
    auto all = sort_rows(context_, next_, next_ + n);
    next_ += n;
    return first_of(std::move(all), n);
  }

  first_records first_of(detail::buffer sorted, std::int64_t rows) const {
    const std::int64_t wanted = std::min(rows, context_.limit);
    if (2 * bytes(wanted) > sorted.size()) return {std::move(sorted), wanted};
    detail::buffer own(context_.memory, bytes(wanted), context_.owner);
    std::memcpy(own.data(), sorted.data(), bytes(wanted));
    return {std::move(own), wanted};
  }

  /// Puts the candidates of the next n rows behind those that there are; returns how many they are.
  std::int64_t look_at_next(std::int64_t n, const first_records& best) {
    const std::int64_t before = candidates_;
    if (memory_.data() == nullptr)
      memory_ = detail::buffer(context_.memory, bytes(room_), context_.owner);
    const bar last(context_.node, best.records.data() + bytes(best.rows - 1));
    const auto look = [&](std::int64_t from, std::int64_t to) {
      const auto own = std::make_unique_for_overwrite<block_keys>();
      return for_each_fast_block(context_, from, to, true, [&](const detail::block_args& args) {
        if (const auto found = find(args, last, *own); found > 0) add(args, *own, found);
      });
    };
    detail::parallel_chunks(
        context_.team, static_cast<std::size_t>(detail::ceil_div(n, looked_at_once)),
        [&](std::size_t item, unsigned) {
          const auto from = next_ + static_cast<std::int64_t>(item) * looked_at_once;
          const auto to = std::min(from + looked_at_once, next_ + n);
          spread_rows(context_, from, to, look);
        });
    next_ += n;
    return candidates_ - before;
  }

  /// How many rows of a block are candidates; their numbers are in own.numbers.
  std::int64_t find(const detail::block_args& args, const bar& last, block_keys& own) const {
    if (!last.is_of_several_passes()) {
      params_.start(element_, args, own.keys.data(), own.payload.data());
      return last.find_below(own.keys.data(), args.rows, params_.integers ? params_.flip : 0,
                             own.numbers.data());
    }
    // What moves is the address of the stage's record.
    auto* const addresses = reinterpret_cast<const std::byte**>(own.payload.data());
    for (std::int64_t i = 0; i < args.rows; ++i) addresses[i] = args.inputs[0] + bytes(i);
    params_.passes.back().keys(element_, addresses, args.rows, own.keys.data());
    const auto maybe = last.find_below(own.keys.data(), args.rows, 0, own.numbers.data());
    return std::remove_if(own.numbers.begin(), own.numbers.begin() + maybe,
                          [&](std::uint16_t i) { return !last.is_above(addresses[i]); }) -
           own.numbers.begin();
  }

  void add(const detail::block_args& args, const block_keys& own, std::int64_t found) {
    std::int64_t at = 0;
    {
      const std::lock_guard lock(mutex_);
      at = std::exchange(candidates_, candidates_ + found);
      stretches_.push_back({args.row, at, found});
    }
    for (std::int64_t i = 0; i < found; ++i)
      write_record(own, own.numbers[static_cast<std::size_t>(i)], memory_.data() + bytes(at + i));
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

  /// The first of the best, of all candidates, and of others that come after these.
  first_records merged(first_records best, first_records others) {
    std::ranges::sort(stretches_, {}, &stretch::row);
    const std::int64_t rows = best.rows + candidates_ + others.rows;
    if (rows == best.rows) return best;
    detail::buffer all(context_.memory, bytes(rows), context_.owner);
    std::byte* to = all.data();
    const auto put = [&](const std::byte* records, std::int64_t n) {
      if (n > 0) std::memcpy(to, records, bytes(n));
      to += bytes(n);
    };
    put(best.records.data(), best.rows);
    for (const auto& part : stretches_) put(memory_.data() + bytes(part.at), part.rows);
    put(others.records.data(), others.rows);
    best.records.reset();
    others.records.reset();
    stretches_.clear();
    candidates_ = 0;
    return first_of(sort_records(context_, std::move(all), rows), rows);
  }

  run_context& context_;
  const sort_params& params_;
  const void* const element_;
  const std::size_t record_bytes_;
  std::int64_t next_;  // the first row of the window that nobody has looked at
  const std::int64_t end_;
  std::int64_t room_ = 0;  // for candidates
  detail::buffer memory_;  // theirs
  std::mutex mutex_;
  std::int64_t candidates_ = 0;
  std::vector<stretch> stretches_;
};

}  // namespace

first_records sort_first(run_context& context, std::int64_t begin, std::int64_t end) {
  return limited_sort(context, begin, end).run();
}

}  // namespace pappus::cpu_ops
