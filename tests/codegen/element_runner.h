// Runs an element function's text on a device by the plainest kernels there are, for comparison
// with the CPU. Rows go in two launches, so that the number of the first row matters.
#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/element/element.h"
#include "devices/registry.h"
#include "pappus/pappus.h"

namespace pappus::testing {

class element_runner {
 public:
  element_runner(devices::attached& on, const detail::node& n)
      : node_(n),
        element_(codegen::element_of(n)),
        captured_(codegen::values_of(n)),
        device_(*on.driver),
        queue_(device_.make_queue()) {
    const auto session = n.session.lock();
    for (const auto& input : n.stage.inputs)
      inputs_.push_back(detail::evaluate_contiguous(session, input));
    for (const auto& side : n.stage.sides)
      sides_.push_back(detail::evaluate_contiguous(session, side));
    rows_ = n.stage.rows;
    for (const auto& input : inputs_)
      if (rows_ < 0 || input->rows() < rows_) rows_ = input->rows();
  }

  std::int64_t rows() const { return rows_; }

  /// The stage's records as bytes.
  std::vector<std::byte> records() {
    if (node_.stage.yields == detail::cardinality::any) return many_records();
    std::vector<std::byte> all;
    const auto size = node_.out.size;
    for (const auto& [begin, end] : launches()) {
      auto out = room(static_cast<std::size_t>(end - begin) * size);
      auto kept = room(static_cast<std::size_t>(end - begin));
      launch("run_map", map_text(), begin, end, {*out, *kept});
      const auto records = content(out), keep = content(kept);
      for (std::size_t i = 0; i < keep.size(); ++i)
        if (keep[i] != std::byte{0})
          all.insert(all.end(), records.begin() + static_cast<std::ptrdiff_t>(i * size),
                     records.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    }
    return all;
  }

  /// The result of a fold of few rows: one leaf.
  std::vector<std::byte> folded() {
    const auto& reducer = node_.as<detail::fold_params>().reducer;
    std::vector<std::byte> state(reducer.state_size);
    reducer.init(reducer.context.get(), state.data());
    auto states = room(state.size());
    queue_->write(*states.memory, 0, state.data(), state.size());
    const auto text = "#define LANES " + std::to_string(reducer.lanes) + "\n" + fold_text();
    for (const auto& [begin, end] : launches()) launch("run_fold", text, begin, end, {*states});
    state = content(states);
    std::vector<std::byte> result(reducer.result.size);
    reducer.finish(reducer.context.get(), state.data(), result.data());
    return result;
  }

  struct keys_and_values {
    std::vector<std::byte> keys, values, kept;
  };
  /// Of all rows. \param value_bytes  at least 1.
  keys_and_values grouped(std::size_t value_bytes) {
    auto keys = room(static_cast<std::size_t>(rows_) * element_->key_bytes.front());
    auto values = room(static_cast<std::size_t>(rows_) * value_bytes);
    auto kept = room(static_cast<std::size_t>(rows_));
    launch("run_group", group_text(), 0, rows_, {*keys, *values, *kept});
    return {content(keys), content(values), content(kept)};
  }

  /// The key of each of the stage's records for one pass of a sort.
  std::vector<std::byte> keys(std::size_t pass) {
    const auto p = std::to_string(pass);
    auto keys = room(static_cast<std::size_t>(rows_) * element_->key_bytes[pass]);
    launch("run_keys",
           "KERNEL void run_keys(ELEMENT_PARAMS, long rows, GLOBAL key_" + p +
               "* keys) {\n  FOR_ROWS(row, rows) {\n    element_out value;\n"
               "    element(ELEMENT_ARGS, row, &value);\n    keys[row] = key_of_" +
               p + "(ELEMENT_ARGS, value);\n  }\n}\n",
           0, rows_, {*keys});
    return content(keys);
  }

  /// Running values, one after the other.
  std::vector<std::byte> scanned() {
    auto out = room(static_cast<std::size_t>(rows_) * node_.out.size);
    launch("run_scan",
           "KERNEL void run_scan(ELEMENT_PARAMS, long rows, GLOBAL element_out* out) {\n"
           "  if (ITEM != 0) return;\n  element_out running, next;\n"
           "  for (long row = 0; row < rows; ++row) {\n    element(ELEMENT_ARGS, row, &next);\n"
           "    running = row == 0 ? next : combine(ELEMENT_ARGS, running, next);\n    out[row] = "
           "running;\n"
           "  }\n}\n",
           0, rows_, {*out});
    return content(out);
  }

 private:
  struct range {
    std::int64_t begin, end;
  };
  std::vector<range> launches() const { return {{0, rows_ / 3}, {rows_ / 3, rows_}}; }

  static std::string map_text() {
    return "KERNEL void run_map(ELEMENT_PARAMS, long rows, GLOBAL element_out* out, GLOBAL uchar* "
           "kept) {\n  FOR_ROWS(row, rows) {\n    element_out value;\n"
           "    kept[row] = (uchar)element(ELEMENT_ARGS, row, &value);\n"
           "    if (kept[row]) out[row] = value;\n  }\n}\n";
  }
  static std::string fold_text() {
    return "KERNEL void run_fold(ELEMENT_PARAMS, long rows, GLOBAL reducer_state* states) {\n"
           "  if (ITEM != 0) return;\n  for (long row = 0; row < rows; ++row) {\n"
           "    const long lane = (first_row + row) % LANES;\n"
           "    reducer_state s = states[lane];\n    accumulate_row(ELEMENT_ARGS, row, &s);\n"
           "    states[lane] = s;\n  }\n}\n";
  }
  static std::string group_text() {
    return "KERNEL void run_group(ELEMENT_PARAMS, long rows, GLOBAL group_key* keys,\n"
           "                      GLOBAL group_value* values, GLOBAL uchar* kept) {\n"
           "  FOR_ROWS(row, rows) {\n    group_key key = 0;\n    group_value value;\n"
           "    kept[row] = (uchar)group_row(ELEMENT_ARGS, row, &key, &value);\n"
           "    if (!kept[row]) continue;\n    keys[row] = key;\n    values[row] = value;\n  "
           "}\n}\n";
  }

  std::vector<std::byte> many_records() {
    std::vector<std::byte> all;
    for (const auto& [begin, end] : launches()) {
      const auto rows = static_cast<std::size_t>(end - begin);
      auto counts = room(rows * sizeof(std::int64_t));
      launch("run_count",
             "KERNEL void run_count(ELEMENT_PARAMS, long rows, GLOBAL long* counts) {\n"
             "  FOR_ROWS(row, rows) { counts[row] = element_count(ELEMENT_ARGS, row); }\n}\n",
             begin, end, {*counts});
      std::vector<std::int64_t> at(rows + 1);
      const auto counted = content(counts);
      for (std::size_t i = 0; i < rows; ++i) {
        std::int64_t n = 0;
        std::memcpy(&n, counted.data() + i * sizeof n, sizeof n);
        at[i + 1] = at[i] + n;
      }
      queue_->write(*counts.memory, 0, at.data(), rows * sizeof(std::int64_t));
      auto out = room(static_cast<std::size_t>(at.back()) * node_.out.size);
      auto wrong = room(1);
      queue_->fill(*wrong.memory, 0, 1, 0);
      launch("run_write",
             "KERNEL void run_write(ELEMENT_PARAMS, long rows, GLOBAL const long* firsts,\n"
             "                      GLOBAL element_out* out, GLOBAL uchar* wrong) {\n"
             "  FOR_ROWS(row, rows) {\n"
             "    const long n = element_write(ELEMENT_ARGS, row, out + firsts[row]);\n"
             "    if (n != element_count(ELEMENT_ARGS, row)) *wrong = 1;\n  }\n}\n",
             begin, end, {*counts, *out, *wrong});
      if (content(wrong).front() != std::byte{0})
        throw std::runtime_error("element_write() and element_count() disagree");
      const auto records = content(out);
      all.insert(all.end(), records.begin(), records.end());
    }
    return all;
  }

  struct piece {
    std::unique_ptr<devices::buffer> memory;
    std::size_t bytes = 0;
    const devices::buffer& operator*() const { return *memory; }
  };
  piece room(std::size_t bytes) {
    return {device_.allocate(std::max<std::size_t>(bytes, 16)), bytes};
  }
  std::vector<std::byte> content(const piece& from) {
    std::vector<std::byte> bytes(from.bytes);
    if (!bytes.empty()) queue_->wait(queue_->read(*from, 0, bytes.data(), bytes.size()));
    return bytes;
  }
  piece uploaded(const void* data, std::size_t bytes) {
    auto to = room(bytes);
    if (bytes > 0) queue_->write(*to.memory, 0, data, bytes);
    return to;
  }

  void launch(const std::string& entry, const std::string& kernel_text, std::int64_t begin,
              std::int64_t end, std::vector<devices::argument> more) {
    if (begin == end) return;
    std::vector<piece> held;
    std::vector<devices::argument> arguments;
    for (const auto& input : inputs_) {
      const auto size = input->layout().size;
      held.push_back(uploaded(input->data() + static_cast<std::size_t>(begin) * size,
                              static_cast<std::size_t>(end - begin) * size));
      arguments.emplace_back(*held.back());
    }
    std::vector<std::int64_t> side_rows(sides_.size());
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      side_rows[i] = sides_[i]->rows();
      held.push_back(uploaded(sides_[i]->data(),
                              static_cast<std::size_t>(side_rows[i]) * sides_[i]->layout().size));
      arguments.emplace_back(*held.back());
      arguments.emplace_back(side_rows[i]);
    }
    const auto& values = captured_->bytes;
    if (values.size() > devices::argument_bytes_max) {
      held.push_back(uploaded(values.data(), values.size()));
      arguments.emplace_back(*held.back());
    } else if (!values.empty()) {
      arguments.emplace_back(values.data(), values.size());
    }
    const std::int64_t rows = end - begin;
    arguments.emplace_back(begin);
    arguments.emplace_back(rows);
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto kernel = device_.build(
        {entry, entry, std::make_shared<const std::string>(element_->text + kernel_text), nullptr,
         nullptr});
    queue_->launch(*kernel, {4, 0}, arguments);
    queue_->finish();
  }

  const detail::node& node_;
  codegen::element_ptr element_;
  std::shared_ptr<const codegen::captured_values> captured_;
  devices::device& device_;
  std::unique_ptr<devices::queue> queue_;
  std::vector<detail::rows_ptr> inputs_, sides_;
  std::int64_t rows_ = -1;
};

}  // namespace pappus::testing
