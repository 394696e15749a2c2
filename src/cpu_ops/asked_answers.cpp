// The right rows of a join whose right side rests, for the windows of left rows that asked for
// their keys.
//
// Problem: a table of all keys that were asked for, or of all right rows, doesn't fit a core's
// cache, so each look-up would wait for memory; and rows that go to dozens of windows one by one
// are scattered.
//
// Idea: the rows of a partition get a table of their own, which fits a cache unless there are tens
// of millions of right rows. The keys that windows asked for are looked up in it window by window,
// and make way for what was found. Then it is known how much each window gets, which is copied from
// front to back.
//
// A partition whose rows are too many goes in pieces, of which all its keys are asked. Where only
// keys are sent, a window may get one of each piece.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "base/text.h"
#include "cpu_ops/asked_join.h"
#include "cpu_ops/heard_keys.h"
#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

/// Rows [first, second).
using stretch = std::pair<std::size_t, std::size_t>;

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t rows_between_checks = algorithms::stretch_rows;
constexpr std::size_t rows_max = std::size_t{1} << 31;  // that are numbered by 32 bits, with slots

std::size_t keys_an_item() { return base::scaled<std::size_t>(8192); }
std::size_t records_an_item() { return base::scaled<std::size_t>(65536); }

/// The rows of a partition by their keys. A slot holds the number of a key's first row; `next`, by
/// row, that of the next one with the same key.
template <typename Key>
class row_table {
 public:
  static std::size_t slots_for(std::size_t rows) { return 2 * rows + 1; }

  row_table(const Key* keys, std::uint32_t* next, std::span<std::uint32_t> slots)
      : keys_(keys), next_(next), slots_(slots) {}

  /// From behind, so that a row gets ahead of later ones with its key.
  /// \param left_out  by row, 1: the row isn't added. Null: all are.
  void fill(const detail::workers& team, std::span<const stretch> rows,
            const std::uint8_t* left_out) const {
    std::ranges::fill(slots_, none);
    for (std::size_t i = rows.size(); i-- > 0;)
      for (std::size_t row = rows[i].second; row-- > rows[i].first;) {
        if (row % rows_between_checks == 0 && team.stopping()) return;
        if (left_out == nullptr || left_out[row] == 0)
          next_[row] = std::exchange(slot_of(keys_[row]), static_cast<std::uint32_t>(row));
      }
  }
  /// The first row that has the key; none: no row has.
  std::uint32_t first(const Key& key) const { return slot_of(key); }

 private:
  std::uint32_t& slot_of(const Key& key) const {
    const std::uint64_t low = detail::hash(key) & 0xffffffffu;  // partitions have the top bits
    auto at = static_cast<std::size_t>(low * slots_.size() >> 32);
    while (slots_[at] != none && !(keys_[slots_[at]] == key))
      at = at + 1 < slots_.size() ? at + 1 : 0;
    return slots_[at];
  }

  const Key* keys_;
  std::uint32_t* next_;
  std::span<std::uint32_t> slots_;
};

/// Marks rows whose text is that of another one before, where so many have the same hash.
detail::buffer repeated_texts(const run_context& context, const std::uint64_t* hashes,
                              const detail::text_key* texts, std::size_t n) {
  const std::size_t mask = std::bit_ceil(2 * n + 1) - 1;
  detail::buffer marks(context.memory, n, context.owner),
      slots(context.memory, (mask + 1) * sizeof(std::uint32_t), context.owner);
  auto* const first = slots.as<std::uint32_t>();
  std::fill_n(first, mask + 1, none);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % rows_between_checks == 0) stop_if_cancelled(context.team);
    std::size_t at = detail::hash(hashes[i]) & mask;
    const auto is_other = [&](std::uint32_t row) {
      return hashes[row] != hashes[i] || texts[row] != texts[i];
    };
    while (first[at] != none && is_other(first[at])) at = (at + 1) & mask;
    marks.as<std::uint8_t>()[i] = first[at] != none ? 1 : 0;
    if (first[at] == none) first[at] = static_cast<std::uint32_t>(i);
  }
  return marks;
}

}  // namespace

/// Goes through the partitions, as many at a time as a part of the memory has room for.
class asked_join::answering {
 public:
  answering(asked_join& join, run_context& context)
      : join_(join), context_(context), keys_(partitions) {
    for (const auto& some : join.asked_)
      for (std::size_t p = 0; p < partitions; ++p)
        keys_[p] += some.keys.rows(some.buckets({p, p + 1}));
  }

  std::size_t keys() const { return std::reduce(keys_.begin(), keys_.end()); }
  void run();

 private:
  /// What is in memory together: right rows of some partitions, and the keys of them that some
  /// windows ask for.
  struct unit {
    bucket_range which;
    scattered_rows::place from;
    std::size_t rows;
    std::span<const some_windows> asked;
    std::size_t windows() const { return asked.back().first + asked.back().count - first_window(); }
    std::size_t first_window() const { return asked.front().first; }
    std::size_t partitions() const { return which.last - which.first; }
  };
  struct load {
    unit of;
    detail::buffer text, records;
    detail::buffer keys;  // what is found takes their places: keys, or numbers of first rows
    std::vector<std::vector<stretch>> rows;  // by partition
    std::vector<stretch> asked;              // keys, by partition, then by window
    std::future<void> there;                 // waits for the reading, and goes before its memory
  };
  /// Work that one worker does at a time: windows [begin, end) of the unit ask a partition.
  struct item {
    std::size_t partition, begin, end;
  };

  std::size_t unit_bytes() const;
  std::vector<unit> units() const;
  void add_units(bucket_range which, std::size_t rows, std::size_t keys, std::size_t room,
                 std::vector<unit>& all) const;
  std::size_t row_bytes() const;
  load read(const unit& of) const;
  /// \param size_of  what a window of a partition has to do
  template <typename Size>
  std::vector<item> items_of(const unit& of, std::size_t each, Size&& size_of) const;
  void answer(load& from);
  template <typename Key>
  std::vector<row_table<Key>> tables_of(const load& from, const Key* keys, std::uint32_t* next,
                                        std::span<std::uint32_t> slots) const;
  template <typename Key>
  std::uint32_t look_up(const row_table<Key>& table, std::byte* keys, std::size_t n,
                        const std::uint32_t* next) const;
  template <typename Key>
  void find(load& from, std::span<const row_table<Key>> tables, const std::uint32_t* next,
            std::vector<std::uint32_t>& counts);
  void send(const load& from, const std::uint32_t* next, const std::vector<std::uint32_t>& counts);
  void send_to(std::size_t begin, std::size_t end, std::size_t records, const load& from,
               const std::uint32_t* next, const std::vector<std::uint32_t>& counts);
  void copy_found(const std::byte* found, const load& from, const std::uint32_t* next,
                  std::byte* to, std::size_t records) const;

  asked_join& join_;
  run_context& context_;
  std::vector<std::size_t> keys_;  // that are asked for, by partition
};

/// Of a right row and what finds it.
std::size_t asked_join::answering::row_bytes() const {
  return join_.right_.row_bytes() + join_.key_bytes_ + 3 * sizeof(std::uint32_t) +
         (join_.strings_ ? sizeof(detail::text_key) : 0);
}

/// Bytes that a unit may have: the next one is read meanwhile, and windows get about as much. All
/// of it is in several buffers, which are rounded up.
std::size_t asked_join::answering::unit_bytes() const {
  constexpr std::size_t rounded_up = std::size_t{8} << 20, most = std::size_t{64} << 20;
  const std::size_t there = context_.store->available();
  const std::size_t spare = there - std::min(there, base::scaled(rounded_up));
  return std::min(std::max(spare / 4, there / 8), context_.team.count() * most);
}

std::vector<asked_join::answering::unit> asked_join::answering::units() const {
  const std::size_t room = unit_bytes();
  std::vector<unit> all;
  for (std::size_t begin = 0, end = 0; begin < partitions; begin = std::max(end, begin + 1)) {
    std::size_t rows = 0, keys = 0, bytes = 0;
    for (end = begin; end < partitions && keys_[end] > 0; ++end) {
      const std::size_t more = join_.right_.rows({end, end + 1});
      bytes += more * row_bytes() + keys_[end] * join_.key_bytes_;
      if (end > begin && (bytes > room || rows + more > rows_max)) break;
      rows += more;
      keys += keys_[end];
    }
    if (rows > 0) add_units({begin, end}, rows, keys, room, all);
  }
  return all;
}

/// Units of partitions: one, unless one partition has more than there is room for.
void asked_join::answering::add_units(bucket_range which, std::size_t rows, std::size_t keys,
                                      std::size_t room, std::vector<unit>& all) const {
  const bool fits = rows * row_bytes() + keys * join_.key_bytes_ <= room && rows <= rows_max;
  const std::size_t rows_each =
                        fits ? rows : std::clamp<std::size_t>(room / 2 / row_bytes(), 1, rows_max),
                    keys_each = fits ? keys : room / 2 / join_.key_bytes_;
  scattered_rows::place from;
  for (std::size_t done = 0; done < rows; done += rows_each) {
    const std::size_t n = std::min(rows_each, rows - done);
    for (std::size_t a = 0, b = 0; a < join_.asked_.size(); a = b) {
      std::size_t some = 0;
      do some += join_.asked_[b].keys.rows(join_.asked_[b].buckets(which)), ++b;
      while (b < join_.asked_.size() &&
             some + join_.asked_[b].keys.rows(join_.asked_[b].buckets(which)) <= keys_each);
      if (some > 0) all.push_back({which, from, n, std::span(join_.asked_).subspan(a, b - a)});
    }
    join_.right_.pass(which, from, n, [](std::size_t, std::size_t) {});
  }
}

/// Begins to read what a unit needs.
asked_join::answering::load asked_join::answering::read(const unit& of) const {
  load made{of, {}, {}, {}, std::vector<std::vector<stretch>>(of.partitions()), {}, {}};
  std::vector<graph::row_store::copy> copies;
  made.records =
      detail::buffer(context_.memory, of.rows * join_.right_.record_bytes(), context_.owner);
  auto from = of.from;
  join_.right_.next(of.which, from, of.rows, made.records.data(), copies);
  from = of.from;
  std::size_t row = 0;
  join_.right_.pass(of.which, from, of.rows, [&](std::size_t partition, std::size_t n) {
    made.rows[partition - of.which.first].emplace_back(row, row + n);
    row += n;
  });
  made.text = room_for_text(copies, context_.memory, context_.owner);

  std::size_t keys = 0;
  for (const auto& some : of.asked) keys += some.keys.rows(some.buckets(of.which));
  made.keys = detail::buffer(context_.memory, keys * join_.key_bytes_, context_.owner);
  made.asked.resize(of.partitions() * of.windows());
  std::size_t at = 0;
  for (const auto& some : of.asked) {
    const auto all = some.buckets(of.which);
    scattered_rows::place begin;
    some.keys.next(all, begin, SIZE_MAX, made.keys.data() + at * join_.key_bytes_, copies);
    for (std::size_t bucket = all.first; bucket < all.last; ++bucket) {
      const std::size_t n = some.keys.rows({bucket, bucket + 1}),
                        window = some.first + bucket % some.count - of.first_window();
      made.asked[(bucket / some.count - of.which.first) * of.windows() + window] = {at, at + n};
      at += n;
    }
  }
  made.there = context_.store->read_beside(std::move(copies), context_.team, context_.owner);
  return made;
}

template <typename Size>
std::vector<asked_join::answering::item> asked_join::answering::items_of(const unit& of,
                                                                         std::size_t each,
                                                                         Size&& size_of) const {
  std::vector<item> items;
  for (std::size_t p = 0; p < of.partitions(); ++p)
    for (std::size_t begin = 0, end = 0; begin < of.windows(); begin = end) {
      std::size_t size = 0;
      while (end < of.windows() && size < each) size += size_of(p * of.windows() + end++);
      if (size > 0) items.push_back({p, begin, end});
    }
  return items;
}

void asked_join::answering::run() {
  const auto all = units();
  load next;
  if (!all.empty()) next = read(all.front());
  for (std::size_t i = 0; i < all.size(); ++i) {
    load now = std::exchange(next, {});
    if (i + 1 < all.size()) next = read(all[i + 1]);
    now.there.get();
    answer(now);
  }
}

void asked_join::answering::answer(load& from) {
  const std::size_t rows = from.of.rows;
  detail::buffer keys = join_.whole_keys_of(context_, from.records.data(), rows), repeated;
  if (join_.strings_) {
    const auto whole = std::move(keys);
    const auto* const texts = whole.as<detail::text_key>();
    keys = asked_hashes(context_, texts, rows);
    if (!join_.gathers_)  // one of each is enough
      repeated = repeated_texts(context_, keys.as<std::uint64_t>(), texts, rows);
  }
  detail::buffer chains(context_.memory, rows * sizeof(std::uint32_t), context_.owner);
  auto* const next = chains.as<std::uint32_t>();
  std::vector<std::uint32_t> counts(from.asked.size());
  with_key_type(join_.key_bytes_, [&](auto type) {
    using key_type = decltype(type);
    const std::size_t count = 2 * rows + from.of.partitions();
    detail::buffer slots(context_.memory, count * sizeof(std::uint32_t), context_.owner);
    const auto tables =
        tables_of(from, keys.as<key_type>(), next, std::span(slots.as<std::uint32_t>(), count));
    detail::parallel_chunks(context_.team, tables.size(), [&](std::size_t p, unsigned) {
      tables[p].fill(context_.team, from.rows[p], repeated.as<std::uint8_t>());
    });
    stop_if_cancelled(context_.team);
    find<key_type>(from, tables, next, counts);
  });
  send(from, next, counts);
}

/// One for each partition, empty so far.
template <typename Key>
std::vector<row_table<Key>> asked_join::answering::tables_of(const load& from, const Key* keys,
                                                             std::uint32_t* next,
                                                             std::span<std::uint32_t> slots) const {
  std::vector<row_table<Key>> tables;
  for (const auto& rows : from.rows) {
    std::size_t n = 0;
    for (const auto& one : rows) n += one.second - one.first;
    const std::size_t own = row_table<Key>::slots_for(n);
    tables.emplace_back(keys, next, slots.first(own));
    slots = slots.subspan(own);
  }
  return tables;
}

/// Has keys make way for what is found: those that rows have, or the first rows that have them.
/// Returns how many records are to be sent for these.
template <typename Key>
std::uint32_t asked_join::answering::look_up(const row_table<Key>& table, std::byte* keys,
                                             std::size_t n, const std::uint32_t* next) const {
  std::uint32_t records = 0;
  std::byte* to = keys;
  const auto put = [&to](const auto& what) {
    algorithms::store(to, what);
    to += sizeof what;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = algorithms::load<Key>(keys + i * sizeof(Key));
    const std::uint32_t first = table.first(key);
    if (first == none) continue;
    if (!join_.sends_rows()) {
      put(key);
      ++records;
      continue;
    }
    put(first);
    for (auto row = first; row != none; row = next[row]) ++records;
  }
  return records;
}

/// \param counts  becomes the number of records to be sent, by partition, then by window
template <typename Key>
void asked_join::answering::find(load& from, std::span<const row_table<Key>> tables,
                                 const std::uint32_t* next, std::vector<std::uint32_t>& counts) {
  const std::size_t windows = from.of.windows();
  // How many rows have a key isn't known: few keys may be much work.
  const std::size_t few = detail::ceil_div(windows, std::size_t{4} * context_.team.count());
  const auto items = items_of(from.of, keys_an_item(), [&](std::size_t i) {
    const std::size_t keys = from.asked[i].second - from.asked[i].first;
    return keys > 0 ? std::max(keys, keys_an_item() / few) : 0;
  });
  detail::parallel_chunks(context_.team, items.size(), [&](std::size_t number, unsigned) {
    const auto& one = items[number];
    for (std::size_t window = one.begin; window < one.end; ++window) {
      if (context_.team.stopping()) return;
      const std::size_t at = one.partition * windows + window;
      const auto [first, last] = from.asked[at];
      counts[at] = look_up(tables[one.partition], from.keys.data() + first * sizeof(Key),
                           last - first, next);
    }
  });
  stop_if_cancelled(context_.team);
}

/// Copies the records to be sent of what look_up() found.
void asked_join::answering::copy_found(const std::byte* found, const load& from,
                                       const std::uint32_t* next, std::byte* to,
                                       std::size_t records) const {
  const std::size_t bytes = join_.answers_->record_bytes();
  if (!join_.sends_rows()) {
    if (records > 0) std::memcpy(to, found, records * bytes);
    return;
  }
  for (const std::byte* const end = to + records * bytes; to != end; found += sizeof(std::uint32_t))
    for (auto row = algorithms::load<std::uint32_t>(found); row != none; row = next[row]) {
      copy_record(to, from.records.data() + row * bytes, bytes);
      to += bytes;
    }
}

/// Has windows get what was found, in buffers of as many windows as have room.
void asked_join::answering::send(const load& from, const std::uint32_t* next,
                                 const std::vector<std::uint32_t>& counts) {
  const std::size_t windows = from.of.windows(),
                    row = join_.sends_rows() ? join_.right_.row_bytes() : join_.key_bytes_,
                    most = std::min({context_.store->available() / 4 / row, buffer_bytes_max / row,
                                     std::size_t{none}});
  const auto of_window = [&](std::size_t window) {
    std::size_t all = 0;
    for (; window < counts.size(); window += windows) all += counts[window];
    return all;
  };
  for (std::size_t begin = 0, end = 0; begin < windows; begin = end) {
    std::size_t all = of_window(end++);
    while (end < windows && all + of_window(end) <= most) all += of_window(end++);
    if (all > 0) send_to(begin, end, all, from, next, counts);
  }
}

/// Has windows [begin, end) get so many records.
void asked_join::answering::send_to(std::size_t begin, std::size_t end, std::size_t records,
                                    const load& from, const std::uint32_t* next,
                                    const std::vector<std::uint32_t>& counts) {
  const std::size_t windows = from.of.windows(), first_window = from.of.first_window(),
                    some = end - begin, bytes = join_.answers_->record_bytes();
  scattered_buffer made{{context_.memory, records * bytes, context_.owner},
                        std::vector<std::uint32_t>(join_.windows_.size())};
  std::vector<std::uint32_t> places(from.of.partitions() * some);
  std::uint32_t at = 0;
  for (std::size_t window = begin; window < end; ++window) {
    for (std::size_t p = 0; p < from.of.partitions(); ++p) {
      places[p * some + window - begin] = at;
      at += counts[p * windows + window];
    }
    made.ends[first_window + window] = at;
  }
  std::fill(made.ends.begin() + static_cast<std::ptrdiff_t>(first_window + end), made.ends.end(),
            at);
  const auto items = items_of(from.of, records_an_item(), [&](std::size_t i) {
    const std::size_t window = i % windows;
    return window >= begin && window < end ? counts[i] : 0;
  });
  detail::parallel_chunks(context_.team, items.size(), [&](std::size_t number, unsigned) {
    const auto& one = items[number];
    for (auto window = std::max(one.begin, begin); window < std::min(one.end, end); ++window) {
      if (context_.team.stopping()) return;
      const std::size_t i = one.partition * windows + window;
      copy_found(from.keys.data() + from.asked[i].first * join_.key_bytes_, from, next,
                 made.records.data() + places[one.partition * some + window - begin] * bytes,
                 counts[i]);
    }
  });
  stop_if_cancelled(context_.team);
  join_.answers_->add(context_, std::move(made));
}

void asked_join::answer(run_context& context) {
  if (!asks()) return;
  let_keys_rest(context);
  answers_.emplace(sends_rows() ? right_.layout() : type_of_keys(), windows_.size());
  answering all(*this, context);
  all.run();
  context.note = fmt::format("{} windows asked for {} keys: {} of {} right rows",
                             base::count_text(static_cast<std::int64_t>(windows_.size())),
                             base::count_text(static_cast<std::int64_t>(all.keys())),
                             base::count_text(static_cast<std::int64_t>(answers_->rows())),
                             base::count_text(static_cast<std::int64_t>(right_.rows())));
  asked_.clear();
}

}  // namespace pappus::cpu_ops
