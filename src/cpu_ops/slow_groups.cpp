// Rows whose key or value functions are slow: several workers extract keys and values, one takes
// them in row order. What a piece extracted is kept until its turn comes; where memory for that is
// short, the rows are extracted by the one that takes them.
#include <cstring>
#include <optional>

#include "algorithms/alignment.h"
#include "base/memory_scale.h"
#include "cpu_ops/group.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {
namespace {

/// Of one piece: a row may yield very many. Late rows stay, so they leave less room for pieces.
std::size_t kept_bytes_max(const run_context& context, bool some_are_late) {
  constexpr std::size_t least = std::size_t{32} << 10, most = std::size_t{4} << 20;
  return some_are_late ? base::scaled_clamp(context.available() / 256, least, most)
                       : base::scaled(most);
}

class extracted_rows {
 public:
  bool too_many() const { return too_many_; }

  void compute(const run_context& context, const group_params& params, string_keys strings,
               std::int64_t begin, std::int64_t end) try {
    if (strings.late != nullptr) {
      late_.emplace(strings.late->another());
      strings.late = &*late_;
    }
    bytes_max_ = kept_bytes_max(context, strings.late != nullptr);
    group_feeder feeder(context, params, strings);
    for (slow_rows rest{begin, end}; rest.any() && !too_many_;) {
      rest = feeder.feed(rest.begin, rest.end, true,
                         [&](const std::byte* keys, const std::byte* values, std::size_t n) {
                           keep(context, bits_bytes(params), params.payload_bytes, keys, values, n);
                         });
      rest = take_in_order<extracted_rows>(
          context, rest,
          [&](extracted_rows& piece, std::int64_t first, std::int64_t last) {
            piece.compute(context, params, strings, first, last);
          },
          [&](extracted_rows& piece, std::int64_t, std::int64_t) {
            for (auto& run : piece.runs_) runs_.push_back(std::move(run));
            if (piece.late_) late_->append(std::move(*piece.late_));
            bytes_ += piece.bytes_;
            too_many_ |= piece.too_many_;
            return !too_many_;
          });
    }
  } catch (const memory_error&) {
    give_up();
  } catch (const too_much_to_keep&) {
    give_up();
  }

  void hand_on(const row_taker& take, late_rows* late) {
    for (const auto& run : runs_) take(run.memory.data(), run.values, run.n);
    if (late != nullptr) late->append(std::move(*late_));
  }

 private:
  struct run {
    detail::buffer memory;  // keys, then values
    const std::byte* values;
    std::size_t n;
  };

  void keep(const run_context& context, std::size_t key_bytes, std::size_t value_bytes,
            const std::byte* keys, const std::byte* values, std::size_t n) {
    const std::size_t all_keys = round_up(n * key_bytes, alignment_for(value_bytes));
    const std::size_t all_values = n * value_bytes;
    bytes_ += all_keys + all_values;
    if (bytes_ + (late_ ? late_->bytes() : 0) > bytes_max_) throw too_much_to_keep{};
    detail::buffer memory(context.memory, all_keys + all_values, context.owner);
    std::byte* const to = memory.data();
    std::memcpy(to, keys, n * key_bytes);
    if (all_values != 0) std::memcpy(to + all_keys, values, all_values);
    runs_.push_back({std::move(memory), to + all_keys, n});
  }
  void give_up() {
    runs_.clear();
    late_.reset();
    too_many_ = true;
  }

  std::vector<run> runs_;
  std::optional<late_rows> late_;
  std::size_t bytes_ = 0, bytes_max_ = 0;
  bool too_many_ = false;
};

}  // namespace

slow_rows feed_slow_rows(const run_context& context, const group_params& params,
                         string_keys strings, const slow_rows& rest, const row_taker& take) {
  bool short_of_memory = false;
  auto left = take_in_order<extracted_rows>(
      context, rest,
      [&](extracted_rows& piece, std::int64_t begin, std::int64_t end) {
        piece.compute(context, params, strings, begin, end);
      },
      [&](extracted_rows& piece, std::int64_t begin, std::int64_t end) {
        short_of_memory = piece.too_many();
        if (short_of_memory)
          group_feeder(context, params, strings).feed(begin, end, false, take);
        else
          piece.hand_on(take, strings.late);
        return !short_of_memory;
      });
  if (short_of_memory) left.row_ns = 0;
  return left;
}

}  // namespace pappus::cpu_ops
