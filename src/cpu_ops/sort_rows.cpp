// Sorts rows that are in memory by their keys.
//
// The typed loops put key bits beside what moves with them (loops/sort.h); the rest is the same for
// every type. One part of keys is sorted by radix once. Several parts are sorted one after the
// other, the least significant first, moving the addresses of the records; stability makes that the
// order by all of them. Records that were not moved with their keys are gathered at the end, each
// worker fetching a few ahead.
//
// Alternatives: moving large records through each pass of the radix (more bytes than one random
// read a record, and none of it in whole lines); comparing composite keys (mispredicts).
//
// Not here: rows that don't fit in memory (sorted_runs.h).
#include "cpu_ops/sort_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "algorithms/key_bits.h"
#include "algorithms/radix.h"
#include "algorithms/string_sort.h"
#include "cpu_ops/shared_rows.h"
#include "cpu_ops/sort_keys.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/stream.h"

namespace pappus::cpu_ops {
namespace {

using detail::sort_moves;
using detail::sort_params;
using detail::sort_pass;

constexpr std::int64_t piece_rows = 1 << 15;
constexpr std::int64_t block_rows = 512;

/// A buffer to sort from and one to sort to.
struct double_buffer {
  detail::buffer first, other;

  double_buffer(run_context& context, std::int64_t rows, std::size_t row_bytes)
      : first(context.memory, static_cast<std::size_t>(rows) * row_bytes, context.owner),
        other(context.memory, static_cast<std::size_t>(rows) * row_bytes, context.owner) {}
  void swap_if(sorted_in where) {
    if (where == sorted_in::other) std::swap(first, other);
  }
};

/// f(begin, end) for pieces of the rows, on all workers.
template <typename F>
void for_pieces(run_context& context, std::int64_t rows, F&& f) {
  detail::parallel_chunks(context.team,
                          static_cast<std::size_t>(detail::ceil_div(rows, piece_rows)),
                          [&](std::size_t item, unsigned) {
                            const auto begin = static_cast<std::int64_t>(item) * piece_rows;
                            f(begin, std::min(begin + piece_rows, rows));
                          });
}

class sorting {
 public:
  /// \param begin    the first of the window's rows.
  /// \param records  that are sorted in place of the window's rows. Empty: there are none.
  sorting(run_context& context, std::int64_t begin, std::int64_t rows, detail::buffer records)
      : context_(context),
        params_(context.node.as<sort_params>()),
        begin_(begin),
        rows_(rows),
        records_(std::move(records)) {}

  detail::buffer run() {
    if (params_.integers) return sort_integers();
    double_buffer payload(context_, rows_, params_.payload_bytes);
    for (std::size_t i = 0; i < params_.passes.size(); ++i) {
      const auto& pass = params_.passes[i];
      double_buffer keys(context_, rows_, stored_key_bytes(pass));
      compute_keys(i, keys.first.data(), payload.first.data());
      if (params_.moves != sort_moves::addresses) records_.reset();
      if (pass.key_bytes == 0) {
        keys.other.reset();
        sort_by_strings(pass, reinterpret_cast<const std::string_view*>(keys.first.data()),
                        payload);
      } else {
        const auto where = radix_sort(
            context_.team, context_.memory,
            {keys.first.data(), payload.first.data(), keys.other.data(), payload.other.data()},
            static_cast<std::uint64_t>(rows_), pass.key_bytes, params_.payload_bytes,
            context_.node.name);
        payload.swap_if(where);
        keys.swap_if(where);
        if (params_.moves == sort_moves::keys) {
          keys.other.reset();
          return finish_keys(std::move(keys.first), pass.key_bytes);
        }
      }
    }
    payload.other.reset();
    return params_.moves == sort_moves::records ? finish_records(std::move(payload.first))
                                                : gather(payload.first.as<const std::byte*>());
  }

 private:
  std::size_t record_bytes() const { return context_.node.out.size; }
  static std::size_t at(std::int64_t row, std::size_t bytes) {
    return static_cast<std::size_t>(row) * bytes;
  }

  detail::buffer sort_integers() {
    const std::size_t bytes = record_bytes();
    detail::buffer copy;
    const std::byte* from = records_.data();
    if (from == nullptr && params_.input_is_keys && context_.inputs.front()->contiguous()) {
      from = context_.inputs.front()->data() + at(begin_, bytes);
    } else if (from == nullptr) {
      copy = detail::buffer(context_.memory, at(rows_, bytes), context_.node.name);
      write_rows_keys(0, copy.data(), nullptr);
      from = copy.data();
    }
    detail::buffer records(context_.memory, at(rows_, bytes), context_.node.name);
    algorithms::sort_integers(context_.team, context_.memory, from, records.data(),
                              static_cast<std::uint64_t>(rows_), bytes, params_.flip,
                              context_.node.name);
    return records;
  }

  void compute_keys(std::size_t number, std::byte* keys, std::byte* payload) {
    if (records_.data() == nullptr) return write_rows_keys(number, keys, payload);
    for_pieces(context_, rows_, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end && !context_.team.stopping(); begin += block_rows)
        write_records_keys(number, begin, std::min(begin + block_rows, end), keys, payload);
    });
  }

  void write_rows_keys(std::size_t number, std::byte* keys, std::byte* payload) {
    const auto& pass = params_.passes[number];
    const std::size_t key_bytes = stored_key_bytes(pass);
    const void* element = context_.node.stage.element.get();
    const auto write = [&](std::int64_t begin, std::int64_t end) {
      return for_each_fast_block(context_, begin, end, true, [&](const detail::block_args& args) {
        const std::int64_t row = args.row - context_.first_row - begin_;
        if (number == 0)
          params_.start(element, args, keys + at(row, key_bytes),
                        payload == nullptr ? nullptr : payload + at(row, params_.payload_bytes));
        else
          pass.keys(element, reinterpret_cast<const std::byte* const*>(payload) + row, args.rows,
                    keys + at(row, key_bytes));
      });
    };
    for_pieces(context_, rows_, [&](std::int64_t begin, std::int64_t end) {
      spread_rows(context_, begin_ + begin, begin_ + end, write);
    });
  }

  void write_records_keys(std::size_t number, std::int64_t begin, std::int64_t end, std::byte* keys,
                          std::byte* payload) {
    const auto& pass = params_.passes[number];
    const std::size_t size = record_bytes(), stride = params_.payload_bytes;
    std::array<const std::byte*, block_rows> records;
    for (std::int64_t i = begin; i < end; ++i) {
      auto& record = records[static_cast<std::size_t>(i - begin)];
      std::byte* const beside = payload + at(i, stride);
      if (number > 0) {
        std::memcpy(&record, beside, sizeof record);
        continue;
      }
      record = records_.data() + at(i, size);
      if (params_.moves == sort_moves::records)
        std::memcpy(beside, record, size);
      else if (params_.moves == sort_moves::addresses)
        std::memcpy(beside, &record, sizeof record);
    }
    pass.keys(context_.node.stage.element.get(), records.data(), end - begin,
              keys + at(begin, stored_key_bytes(pass)));
  }

  void sort_by_strings(const sort_pass& pass, const std::string_view* strings,
                       double_buffer& addresses) {
    const detail::buffer order(context_.memory, at(rows_, sizeof(std::uint64_t)),
                               context_.node.name);
    sort_strings(context_.team, context_.memory, strings, static_cast<std::uint64_t>(rows_),
                 pass.descending, order.as<std::uint64_t>(), context_.node.name);
    const auto* const from = addresses.first.as<const std::byte*>();
    auto* const to = addresses.other.as<const std::byte*>();
    for_pieces(context_, rows_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = from[order.as<std::uint64_t>()[i]];
    });
    std::swap(addresses.first, addresses.other);
  }

  detail::buffer finish_keys(detail::buffer keys, std::size_t key_bytes) {
    const bool in_place = key_bytes == record_bytes();
    detail::buffer records;
    if (!in_place)
      records = detail::buffer(context_.memory, at(rows_, record_bytes()), context_.node.name);
    std::byte* const to = in_place ? keys.data() : records.data();
    for_pieces(context_, rows_, [&](std::int64_t begin, std::int64_t end) {
      params_.decode(keys.data() + at(begin, key_bytes), to + at(begin, record_bytes()),
                     end - begin);
    });
    return in_place ? std::move(keys) : std::move(records);
  }

  detail::buffer finish_records(detail::buffer payload) {
    const std::size_t stride = params_.payload_bytes, size = record_bytes();
    if (stride == size) return payload;
    detail::buffer records(context_.memory, at(rows_, size), context_.node.name);
    for_pieces(context_, rows_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::memcpy(records.data() + at(i, size), payload.data() + at(i, stride), size);
    });
    return records;
  }

  detail::buffer gather(const std::byte* const* addresses) {
    constexpr std::int64_t ahead = 16;
    const std::size_t size = record_bytes();
    detail::buffer records(context_.memory, at(rows_, size), context_.node.name);
    for_pieces(context_, rows_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (i + ahead < end)
          for (std::size_t line = 0; line < size + 63; line += 64)
            __builtin_prefetch(addresses[i + ahead] + std::min(line, size - 1));
        std::memcpy(records.data() + at(i, size), addresses[i], size);
      }
    });
    return records;
  }

  run_context& context_;
  const sort_params& params_;
  std::int64_t begin_, rows_;
  detail::buffer records_;
};

}  // namespace

detail::buffer sort_rows(run_context& context, std::int64_t begin, std::int64_t end) {
  return sorting(context, begin, end - begin, {}).run();
}

detail::buffer sort_records(run_context& context, detail::buffer records, std::int64_t rows) {
  return sorting(context, 0, rows, std::move(records)).run();
}

}  // namespace pappus::cpu_ops
