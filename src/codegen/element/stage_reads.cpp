// A stage describes itself to devices (detail/base/device.h); here it is listened to for what is
// done with the records of its inputs. Whether a device could do it doesn't matter.
#include "codegen/element/stage_reads.h"

#include <optional>
#include <vector>

#include "codegen/element/read_bytes.h"
#include "codegen/plugin/descriptor.h"
#include "graph/operator_entry.h"
#include "pappus/error.h"

namespace pappus::codegen {
namespace {

using detail::device_type;

class read_listener final : public detail::device_writer {
 public:
  explicit read_listener(std::size_t inputs) : reads_(inputs), loaded_(inputs, false) {}

  /// What was read of an input; all of one that the description doesn't mention.
  byte_ranges of(std::size_t input, std::size_t record_bytes) const {
    return loaded_[input] ? reads_[input].of(record_bytes) : byte_ranges{{0, record_bytes}};
  }

  /// What filters ask that come before all else.
  detail::conditions asked_of(std::size_t input) const {
    detail::conditions all;
    for (const auto& one : filters_)
      if (one.kept && one.input == input) all.insert(all.end(), one.asked.begin(), one.asked.end());
    return all;
  }

  void begin() override {}
  void refuse(std::string_view, variable of) override {
    first_ = false;
    all(of);
  }
  variable load(int input, const device_type&) override {
    loaded_[static_cast<std::size_t>(input)] = true;
    return input;
  }
  variable counter(std::int64_t, const device_type&) override { return computed(); }
  variable row_number() override { return computed(); }
  variable call(const detail::device_call&, std::span<const variable> arguments) override {
    first_ = false;
    return all_of(arguments);
  }
  variable call(const detail::compiled_call& what, std::span<const variable> arguments) override {
    if (what.reads && arguments.size() == 1) {
      if (auto* const reads = of_input(arguments[0]))
        for (const auto& range : *what.reads) reads->add(range);
      return computed();
    }
    constexpr std::size_t after_captures = 1;
    add(what.descriptor, after_captures, arguments);
    if (const auto filter = note_filter(what, arguments)) return *filter;
    if (what.range && what.descriptor != nullptr) add(what.pick, after_captures, arguments);
    return computed();
  }
  variable compute(std::string_view, std::span<const variable> arguments,
                   const device_type&) override {
    return all_of(arguments);
  }
  /// A field is made for somebody who uses it.
  variable field(variable record, std::size_t offset, const device_type& type) override {
    if (auto* const reads = of_input(record)) reads->add({offset, type.size});
    return computed();
  }
  variable make(const device_type&, std::span<const variable> fields) override {
    return all_of(fields);
  }
  variable probe(int, detail::join_kind, const device_type*) override { return computed(); }
  void keep_if(variable condition) override {
    all(condition);
    if (condition > computed() && first_)
      filters_[static_cast<std::size_t>(condition - computed() - 1)].kept = true;
  }
  void yield(variable record) override { all(record); }
  void key(variable part, bool) override { all(part); }
  void domain_key(variable index) override { all(index); }
  void reduce(variable value, const device_type&, std::string_view, const device_code*) override {
    all(value);
  }
  void reduce(variable value, const device_type&, const char* descriptor) override {
    if (value >= 0) add(descriptor, 0, {&value, 1});
  }
  void fold(variable value, const device_type&, std::string_view) override { all(value); }
  variable begin_key(const device_type&) override { return computed(); }
  variable begin_combine(const device_type&, const device_type&) override { return computed(); }
  void combined(variable) override {}

 private:
  /// A call that may be a filter's, of an input's record, without effects but its result.
  struct filter {
    std::size_t input;
    detail::conditions asked;
    bool kept = false;  ///< records of which the result is true
  };
  /// Its variable. None: the function may have effects, so that it must be called for all that it
  /// and those behind it were called for.
  std::optional<variable> note_filter(const detail::compiled_call& what,
                                      std::span<const variable> arguments) {
    const auto* const function =
        what.descriptor != nullptr ? &compiled_function_of(what.descriptor) : nullptr;
    if (arguments.size() != 1 || of_input(arguments[0]) == nullptr || what.range ||
        function == nullptr || !function->pure || function->throws)
      first_ = false;
    if (!first_) return std::nullopt;
    auto& made = filters_.emplace_back(filter{static_cast<std::size_t>(arguments[0]), {}});
    const auto& captures = what.captures;
    for (const auto& one : function->comparisons) {
      if (one.parameter != 1) continue;
      if (auto found = condition_of(
              one, static_cast<const std::byte*>(captures.data),
              captures.type != nullptr && captures.data != nullptr ? captures.type->size : 0))
        made.asked.push_back(*found);
    }
    return computed() + static_cast<variable>(filters_.size());
  }

  /// Variables are numbers of inputs, whose records they are, this one, or above it filters'.
  variable computed() const { return static_cast<variable>(reads_.size()); }
  read_bytes* of_input(variable v) {
    return v >= 0 && v < computed() ? &reads_[static_cast<std::size_t>(v)] : nullptr;
  }
  void all(variable v) {
    if (auto* const reads = of_input(v)) reads->add_all();
  }
  variable all_of(std::span<const variable> variables) {
    for (const auto v : variables) all(v);
    return computed();
  }
  /// What a function reads of its arguments.
  void add(const char* descriptor, std::size_t first_parameter,
           std::span<const variable> arguments) {
    const auto* function = descriptor != nullptr ? &compiled_function_of(descriptor) : nullptr;
    if (function != nullptr && function->throws) function = nullptr;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      auto* const reads = of_input(arguments[i]);
      if (reads == nullptr) continue;
      if (function == nullptr || !function->reads.contains(first_parameter + i)) {
        reads->add_all();
        continue;
      }
      for (const auto& range : function->reads.at(first_parameter + i)) reads->add(range);
    }
  }

  std::vector<read_bytes> reads_;
  std::vector<bool> loaded_;
  std::vector<filter> filters_;
  bool first_ = true;  // nothing but filters without effects came so far
};

}  // namespace

detail::conditions conditions_of_stage(const graph::node& n, std::size_t input) {
  if (n.stage.describe == nullptr) return {};
  read_listener listener(n.stage.inputs.size());
  try {
    n.stage.describe(n.stage.element.get(), listener);
  } catch (const error&) {  // on_device() names a file that isn't there
    return {};
  }
  return listener.asked_of(input);
}

byte_ranges reads_of_stage(const graph::node& n, std::size_t input) {
  const std::size_t record_bytes = n.stage.inputs[input]->out.size;
  byte_ranges all{{0, record_bytes}};
  if (n.stage.describe == nullptr) return all;
  read_listener listener(n.stage.inputs.size());
  try {
    n.stage.describe(n.stage.element.get(), listener);
  } catch (const error&) {  // on_device() names a file that isn't there
    return all;
  }
  return listener.of(input, record_bytes);
}

}  // namespace pappus::codegen
