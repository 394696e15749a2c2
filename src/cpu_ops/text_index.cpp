#include "cpu_ops/text_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "algorithms/stretches.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using algorithms::longest_text;
using detail::join_batch;
using detail::text_key;

constexpr std::uint64_t word_rows = 65536;
constexpr std::uint64_t few_bytes = 7;
constexpr std::size_t prefetch_texts_beyond_bytes = std::size_t{512} << 10;

bool has_few_bytes(const text_key& text) { return text.bits().lo <= few_bytes; }

/// Bytes and how many there are. The last byte is above few_bytes in words of longer texts.
std::uint64_t word_of_few(const text_key& text) { return text.bits().hi | text.bits().lo; }

using numbers = std::array<std::uint16_t, join_batch::rows_max>;

/// Numbers i of [0, n) for which wanted(i), without a branch that nobody can guess.
template <typename Wanted>
std::size_t list(std::size_t n, Wanted&& wanted, numbers& to) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[count] = static_cast<std::uint16_t>(i);
    count += wanted(i) ? 1 : 0;
  }
  return count;
}

/// Of at most a batch.
void hash(const text_key* texts, std::size_t n, std::uint64_t seed, std::uint64_t* words) {
  numbers longer;
  const std::size_t count = list(n, [&](std::size_t i) { return !texts[i].is_short(); }, longer);
  if (count < n)
    for (std::size_t i = 0; i < n; ++i) words[i] = texts[i].hash_of_short(seed);
  for (std::size_t k = 0; k < count; ++k) words[longer[k]] = texts[longer[k]].hash(seed);
}

/// Sets words[i] to what texts[i], of at most a batch, is looked up by.
void words_of(const join_index& index, const text_key* texts, std::size_t n, std::uint64_t* words) {
  const std::uint64_t seed = index.seed;
  switch (index.longest) {
    case longest_text::few_bytes:
      std::transform(texts, texts + n, words, word_of_few);
      break;
    case longest_text::is_short:  // longer ones are told apart, whatever their words are
      for (std::size_t i = 0; i < n; ++i) words[i] = texts[i].hash_of_short(seed);
      break;
    case longest_text::is_longer:
      hash(texts, n, seed, words);
      break;
  }
}

longest_text longest_of(const run_context& context, const text_key* texts, std::uint64_t n) {
  std::atomic<bool> all_few{true}, all_short{true};
  for_each_item(context.team, n, word_rows, [&](std::uint64_t begin, std::uint64_t end) {
    bool few = true, is_short = true;
    for (std::uint64_t i = begin; i < end; ++i) {
      few &= has_few_bytes(texts[i]);
      is_short &= texts[i].is_short();
    }
    if (!few) all_few.store(false, std::memory_order_relaxed);
    if (!is_short) all_short.store(false, std::memory_order_relaxed);
  });
  return all_few     ? longest_text::few_bytes
         : all_short ? longest_text::is_short
                     : longest_text::is_longer;
}

/// Whether each row's text is that of the first row with the same hash.
bool hashes_tell_texts_apart(const run_context& context, const join_index& index,
                             const std::uint64_t* hashes, const text_key* texts) {
  std::atomic<bool> holds{true};
  for_each_item(context.team, index.rows, word_rows, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t first[join_batch::rows_max], count[join_batch::rows_max];
    for (std::uint64_t at = begin; at < end && holds.load(std::memory_order_relaxed);
         at += join_batch::rows_max) {
      const auto n = std::min<std::size_t>(join_batch::rows_max, end - at);
      index.table->probe(reinterpret_cast<const std::byte*>(hashes + at), n, first, count);
      for (std::size_t i = 0; i < n; ++i)
        if (count[i] > 1 && texts[index.table->row(first[i])] != texts[at + i])
          holds.store(false, std::memory_order_relaxed);
    }
  });
  return holds;
}

/// The first row of each that has one, else any.
void first_rows(const join_index& index, const join_batch& batch, std::uint64_t* rows) {
  if (index.table->unique()) {
    for (std::size_t i = 0; i < batch.rows; ++i)
      rows[i] = batch.first[i] & -std::uint64_t{batch.count[i] != 0};
    return;
  }
  for (std::size_t i = 0; i < batch.rows; ++i)
    rows[i] = batch.count[i] == 0   ? 0
              : batch.count[i] == 1 ? batch.first[i]
                                    : index.table->row(batch.first[i]);
}

/// Leaves those whose text, too, is that of the row with their hash.
void leave_equal(const join_index& index, const text_key* keys, join_batch& batch) {
  const auto* const texts = index.texts.as<text_key>();
  std::uint64_t rows[join_batch::rows_max], differs[join_batch::rows_max];
  first_rows(index, batch, rows);
  if (index.texts.size() > prefetch_texts_beyond_bytes)
    for (std::size_t i = 0; i < batch.rows; ++i) __builtin_prefetch(texts + rows[i]);
  for (std::size_t i = 0; i < batch.rows; ++i) {
    const auto &a = keys[i].bits(), &b = texts[rows[i]].bits();
    differs[i] = (a.lo ^ b.lo) | (a.hi ^ b.hi);
  }
  if (index.longest == longest_text::is_longer) {
    numbers longer;
    const auto is_longer = [&](std::size_t i) {
      return (keys[i].is_short() ? 0 : batch.count[i]) != 0;
    };
    const std::size_t n = list(batch.rows, is_longer, longer);
    for (std::size_t k = 0; k < n; ++k)
      differs[longer[k]] = texts[rows[longer[k]]] == keys[longer[k]] ? 0 : 1;
  }
  for (std::size_t i = 0; i < batch.rows; ++i)
    batch.count[i] = differs[i] == 0 ? batch.count[i] : 0;
}

}  // namespace

void index_texts(const run_context& context, detail::buffer texts, join_index& index) {
  const auto* const from = texts.as<text_key>();
  index.longest = longest_of(context, from, index.rows);
  const bool few = index.longest == longest_text::few_bytes;
  detail::buffer words(context.memory, index.rows * sizeof(std::uint64_t), context.owner);
  auto* const to = words.as<std::uint64_t>();
  for (;; ++index.seed) {
    for_each_item(context.team, index.rows, word_rows, [&](std::uint64_t at, std::uint64_t end) {
      for (; at < end; at += join_batch::rows_max)
        words_of(index, from + at, std::min<std::size_t>(end - at, join_batch::rows_max), to + at);
    });
    if (few) texts.reset();
    index.table.reset();
    index.table.emplace(context.team, context.memory, words.data(), index.rows, sizeof(*to),
                        join_domain{}, context.owner);
    if (few || index.table->unique() || hashes_tell_texts_apart(context, index, to, from)) break;
  }
  index.texts = std::move(texts);
}

void find_texts(const join_index& index, const text_key* keys, join_batch& batch) {
  std::uint64_t words[join_batch::rows_max];
  words_of(index, keys, batch.rows, words);
  index.table->probe(reinterpret_cast<const std::byte*>(words), batch.rows, batch.first,
                     batch.count);
  if (index.longest != longest_text::few_bytes) leave_equal(index, keys, batch);
}

}  // namespace pappus::cpu_ops
