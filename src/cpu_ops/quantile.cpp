// Quantiles of all rows, of which there may be more than memory holds: keys by their rank.
//
// Idea: a sample of a few thousand keys tells between which two keys a rank lies, almost certainly.
// One pass over all keys counts those below and puts those between aside, about 4 of 100; the rank
// is found among these (algorithms/select.h). Where the sample was wrong the counts say so, and the
// next pass has a narrower range; after a few passes it is halved. So the result depends on ranks
// alone, and what the sample was only shows in the time.
//
// Rows in memory stay where they are. Those that come in windows are copied, in parts that may go
// to the disk and are read from there once a pass.
//
// Alternatives: sorting (five times the traffic); counting keys by their top bits, which takes a
// pass for the extremes and one for the counts before any key can be put aside.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "algorithms/rows_in.h"
#include "algorithms/select.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "cpu_ops/contract.h"
#include "ops/implementations.h"
#include "ops/quantile.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/loops/quantile.h"

namespace pappus::cpu_ops {
namespace {

using detail::quantile_params;

/// Some keys, evenly spaced: at least half of sample_most if there are as many.
constexpr std::size_t sample_most = std::size_t{1} << 14;

/// All keys of the stage, wherever they are.
template <typename Key>
class quantile_keys {
 public:
  std::size_t size() const noexcept { return size_; }
  /// Sorted.
  std::span<const Key> sample() {
    std::ranges::sort(sample_);
    return sample_;
  }

  /// Takes rows that stay where they are as long as this exists.
  void borrow(const run_context& context) {
    for (const auto& rows : context.inputs) {
      stride_ = std::max<std::size_t>(2 * static_cast<std::size_t>(rows->rows()) / sample_most, 1);
      for (const auto& chunk : rows->chunks())
        sample(reinterpret_cast<const Key*>(chunk.data), static_cast<std::size_t>(chunk.rows));
      borrowed_.push_back(rows);
    }
  }

  /// Takes copies of the window's rows.
  void copy(const run_context& context) {
    for (const auto& rows : context.inputs)
      for (const auto& chunk : rows->chunks())
        copy_keys(context, reinterpret_cast<const Key*>(chunk.data),
                  static_cast<std::size_t>(chunk.rows));
  }

  /// Calls f(keys) for some keys after the other, of any order, by all workers.
  template <typename F>
  void for_each(const run_context& context, F&& f) {
    std::vector<std::span<const Key>> there;
    std::vector<detail::rows_ptr> pinned;
    std::vector<std::shared_ptr<graph::kept_rows>> elsewhere;
    for (const auto& rows : borrowed_) add_chunks(*rows, there);
    for (const auto& part : parts_) {
      if (auto rows = part->in_memory()) {
        add_chunks(*rows, there);
        pinned.push_back(std::move(rows));
      } else {
        elsewhere.push_back(part);
      }
    }
    there.push_back({open_.as<const Key>(), in_open_});
    run(context, there, f);
    pinned.clear();
    if (elsewhere.empty()) return;
    detail::buffer memory(context.memory, part_keys_ * sizeof(Key), context.owner);
    for (const auto& part : elsewhere) {
      const graph::row_store::copy wanted[] = {{part, 0, part->rows(), memory.data()}};
      context.store->read(wanted, context.team, context.owner);
      const std::span<const Key> keys[] = {
          {memory.as<const Key>(), static_cast<std::size_t>(part->rows())}};
      run(context, keys, f);
    }
  }

 private:
  static void add_chunks(const detail::row_set& rows, std::vector<std::span<const Key>>& to) {
    for (const auto& chunk : rows.chunks())
      to.push_back(
          {reinterpret_cast<const Key*>(chunk.data), static_cast<std::size_t>(chunk.rows)});
  }

  template <typename F>
  static void run(const run_context& context, std::span<const std::span<const Key>> all, F& f) {
    std::vector<std::span<const Key>> items;
    for (auto rest : all)
      while (!rest.empty()) {
        items.push_back(rest.first(std::min(rest.size(), rows_an_item())));
        rest = rest.subspan(items.back().size());
      }
    detail::parallel_chunks(context.team, items.size(),
                            [&](std::size_t item, unsigned) { f(items[item]); });
  }

  void sample(const Key* keys, std::size_t n) {
    while (next_ < size_ + n) {
      sample_.push_back(keys[next_ - size_]);
      next_ += stride_;
      if (sample_.size() < sample_most) continue;
      for (std::size_t i = 0; i < sample_most / 2; ++i) sample_[i] = sample_[2 * i];
      sample_.resize(sample_most / 2);
      stride_ *= 2;
    }
    size_ += n;
  }

  void copy_keys(const run_context& context, const Key* keys, std::size_t n) {
    sample(keys, n);
    while (n > 0) {
      if (part_keys_ == 0) {
        constexpr std::size_t least = std::size_t{256} << 10, most = std::size_t{8} << 20;
        part_keys_ = base::scaled_clamp(context.available() / 16, least, most) / sizeof(Key);
      }
      if (open_.size() == 0)
        open_ = detail::buffer(context.memory, part_keys_ * sizeof(Key), context.owner);
      const std::size_t some = std::min(n, part_keys_ - in_open_);
      std::memcpy(open_.as<Key>() + in_open_, keys, some * sizeof(Key));
      in_open_ += some;
      keys += some;
      n -= some;
      if (in_open_ == part_keys_) close(context);
    }
  }

  void close(const run_context& context) {
    auto rows = std::make_shared<detail::row_set>(detail::record_type{sizeof(Key), 1, "key"});
    append_buffer(*rows, std::move(open_), static_cast<std::int64_t>(in_open_));
    in_open_ = 0;
    if (context.store != nullptr)
      parts_.push_back(context.store->keep(std::move(rows)));
    else
      borrowed_.push_back(std::move(rows));
  }

  std::size_t size_ = 0;
  std::vector<Key> sample_;
  std::size_t stride_ = 1, next_ = 0;  // the number of the next key for the sample
  std::vector<detail::rows_ptr> borrowed_;
  std::vector<std::shared_ptr<graph::kept_rows>> parts_;
  detail::buffer open_;  // the part that isn't full
  std::size_t part_keys_ = 0;
  std::size_t in_open_ = 0;
};

/// Finds keys by their rank.
template <typename Key>
class rank_search {
 public:
  rank_search(const run_context& context, quantile_keys<Key>& keys)
      : context_(context),
        keys_(keys),
        sample_(keys.sample()),
        room_(std::min({keys.size(), std::max(keys.size() / 16, base::scaled(std::size_t{1} << 16)),
                        std::max(context.available() / 4 / sizeof(Key), std::size_t{4096})})),
        aside_(context.memory, room_ * sizeof(Key), context.owner) {}

  neighbours<Key> find(std::size_t rank) {
    range now{0, static_cast<Key>(~Key{0}), 0, keys_.size()};
    for (int pass = 0; now.low != now.high; ++pass) {
      const auto asked = now.keys <= room_ ? now : bracket(rank, now, pass);
      const auto counted = put_aside(asked.low, asked.high);
      if (rank < counted.before)
        now = {now.low, static_cast<Key>(asked.low - 1), now.before, counted.before - now.before};
      else if (rank >= counted.before + counted.keys)
        now = {static_cast<Key>(asked.high + 1), now.high, counted.before + counted.keys,
               now.before + now.keys - counted.before - counted.keys};
      else if (now = counted; now.keys <= room_)
        return find_aside(rank, now);
    }
    return {now.low, next_of(rank, now, now.low)};
  }

 private:
  /// Keys from low to high, and how many there are before them and of them.
  struct range {
    Key low, high;
    std::size_t before, keys;
  };

  /// A part of the range in which the rank probably is.
  range bracket(std::size_t rank, const range& now, int pass) const {
    const auto first = std::ranges::lower_bound(sample_, now.low);
    const auto n = std::upper_bound(first, sample_.end(), now.high) - first;
    if (pass < 4 && n > 64) {
      const double drawn = static_cast<double>(n);
      const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(rank - now.before) /
                                                  static_cast<double>(now.keys) * drawn);
      const auto margin = static_cast<std::ptrdiff_t>(2 * std::sqrt(drawn));
      const Key low = at < margin ? now.low : first[at - margin];
      const Key high = at + margin >= n ? now.high : first[at + margin];
      if (low != now.low || high != now.high) return {low, high, 0, 0};
    }
    return {now.low, static_cast<Key>(now.low + (now.high - now.low) / 2), 0, 0};
  }

  /// Counts the keys from low to high and those before, and has them put aside where there is room.
  range put_aside(Key low, Key high) {
    std::atomic<std::size_t> before{0}, used{0};
    keys_.for_each(context_, [&](std::span<const Key> keys) {
      constexpr std::size_t block = 1024;
      Key found[block];
      std::size_t less = 0;
      const Key span = static_cast<Key>(high - low);
      for (std::size_t begin = 0; begin < keys.size(); begin += block) {
        const std::size_t end = std::min(begin + block, keys.size());
        std::size_t n = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Key own = keys[i];
          less += own < low ? 1 : 0;
          found[n] = own;
          n += static_cast<Key>(own - low) <= span ? 1 : 0;
        }
        if (n == 0) continue;
        const std::size_t at = used.fetch_add(n, std::memory_order_relaxed);
        if (at + n <= room_) std::memcpy(aside_.template as<Key>() + at, found, n * sizeof(Key));
      }
      before.fetch_add(less, std::memory_order_relaxed);
    });
    return {low, high, before, used};
  }

  neighbours<Key> find_aside(std::size_t rank, const range& of) {
    auto found = select(aside_.template as<Key>(), of.keys, rank - of.before);
    if (rank + 1 == of.before + of.keys) found.next = next_of(rank, of, of.high, found.at);
    return found;
  }

  /// The key behind a rank of the range; `last` is the greatest that it may have.
  Key next_of(std::size_t rank, const range& of, Key last) { return next_of(rank, of, last, last); }
  Key next_of(std::size_t rank, const range& of, Key last, Key own) {
    if (rank + 1 < of.before + of.keys || rank + 1 == keys_.size()) return own;
    std::atomic<Key> least{static_cast<Key>(~Key{0})};
    keys_.for_each(context_, [&](std::span<const Key> keys) {
      Key found = static_cast<Key>(~Key{0});
      for (const Key key : keys) found = key > last ? std::min(found, key) : found;
      for (Key known = least; found < known && !least.compare_exchange_weak(known, found);) {
      }
    });
    return least;
  }

  const run_context& context_;
  quantile_keys<Key>& keys_;
  std::span<const Key> sample_;
  std::size_t room_;  // keys that can be put aside
  detail::buffer aside_;
};

template <typename F>
void with_quantile_keys(run_context& context, F&& f) {
  const auto use = [&](auto key) {
    using keys = quantile_keys<decltype(key)>;
    if (!context.state) context.state = std::make_shared<keys>();
    f(*static_cast<keys*>(context.state.get()));
  };
  if (context.node.as<quantile_params>().key_bytes == 4)
    use(std::uint32_t{});
  else
    use(std::uint64_t{});
}

void take_keys(run_context& context) {
  with_quantile_keys(context, [&](auto& keys) {
    if (context.in_windows)
      keys.copy(context);
    else
      keys.borrow(context);
  });
}

template <typename Key>
void write_quantiles(run_context& context, quantile_keys<Key>& keys, double* out) {
  const auto& params = context.node.as<quantile_params>();
  if (keys.size() == 0) {
    std::ranges::fill_n(out, static_cast<std::ptrdiff_t>(params.p.size()),
                        std::numeric_limits<double>::quiet_NaN());
    return;
  }
  rank_search<Key> search(context, keys);
  for (const double p : params.p) {
    const ops::quantile_place place(p, keys.size());
    const auto found = search.find(place.rank);
    *out++ = ops::between(params.number(found.at), params.number(found.next), place.fraction);
  }
}

void find_quantiles(run_context& context) {
  detail::buffer out(context.memory, context.node.as<quantile_params>().p.size() * sizeof(double),
                     context.owner);
  with_quantile_keys(context,
                     [&](auto& keys) { write_quantiles(context, keys, out.as<double>()); });
  context.state.reset();
  append_buffer(*context.output, std::move(out), 1);
}

constexpr phase quantile_phases[] = {
    {"take keys", phase::kind::launch, phase::when::each_window, take_keys},
    {"find ranks", phase::kind::reduce, phase::when::at_end, find_quantiles},
};

}  // namespace

const cpu_operator& quantile_on_cpu() {
  static constexpr cpu_operator made{quantile_phases};
  return made;
}

}  // namespace pappus::cpu_ops
