// A stage describes itself to devices (detail/base/device.h); here it is listened to for the calls
// alone.
//
// Rows that a filter drops aren't computed by what follows: half are assumed to pass. How many
// records a flat_map yields for one is assumed, too; a join's key is assumed to match once.
#include "codegen/element/stage_work.h"

#include <algorithm>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "codegen/plugin/descriptor.h"
#include "graph/operator_entry.h"
#include "pappus/error.h"

namespace pappus::codegen {
namespace {

using cost::trust;
using detail::device_type;

constexpr double passing_part = 0.5, yielded_records = 8;

class listener final : public detail::device_writer {
 public:
  cost::row_work heard;

  /// Rows that yield any number of records aren't computed in vectors.
  void end() {
    if (aligned_) return;
    for (auto& term : heard.terms) term.each.simple += std::exchange(term.each.wide, 0);
  }

  void begin() override {}
  void refuse(std::string_view, variable) override {}
  variable load(int, const device_type&) override { return 0; }
  variable counter(std::int64_t, const device_type&) override { return simple(1); }
  variable row_number() override { return simple(1); }
  variable call(const detail::device_call&, std::span<const variable>) override {
    return unknown();
  }
  variable call(const detail::compiled_call& what, std::span<const variable>) override {
    add(what.descriptor, static_cast<std::size_t>(what.first_side));
    if (!what.range) return 0;
    heard.how = worse(heard.how, trust::guessed);
    aligned_ = false;
    times_ *= yielded_records;
    return 0;
  }
  variable compute(std::string_view, std::span<const variable>, const device_type&) override {
    return simple(1);
  }
  variable field(variable, std::size_t, const device_type&) override { return 0; }
  variable make(const device_type&, std::span<const variable>) override { return simple(1); }
  variable probe(int, detail::join_kind, const device_type*) override {
    // Hashing, and a cache miss that overlaps with other look-ups: join in bench/results took 15 ns
    // of a core for each.
    constexpr double look_up = 75;
    heard.how = worse(heard.how, trust::guessed);
    aligned_ = false;
    return simple(look_up);
  }
  void keep_if(variable) override {
    simple(1);
    times_ *= passing_part;
  }
  void yield(variable) override { simple(1); }
  void key(variable, bool) override { simple(1); }
  void domain_key(variable) override { simple(1); }
  void reduce(variable, const device_type&, std::string_view, const device_code* code) override {
    if (code == nullptr)
      simple(2);
    else
      unknown();
  }
  void reduce(variable, const device_type&, const char* descriptor) override { add(descriptor, 0); }
  void fold(variable, const device_type&, std::string_view) override { simple(2); }
  variable begin_key(const device_type&) override { return 0; }
  variable begin_combine(const device_type&, const device_type&) override { return 0; }
  void combined(variable) override { simple(1); }

 private:
  variable simple(double n) {
    if (heard.terms.empty()) heard.terms.push_back({});
    heard.terms.front().each.simple += n * times_;
    return 0;
  }
  variable unknown() {
    heard.how = trust::at_least;
    return 0;
  }
  void add(const char* descriptor, std::size_t first_side) {
    const auto* function = descriptor != nullptr ? &compiled_function_of(descriptor) : nullptr;
    if (function == nullptr || !function->problem.empty()) {
      unknown();
      return;
    }
    simple(0);  // the first term is that without sides
    for (const auto& term : function->work.terms) {
      auto own = term;
      own.each = own.each * times_;
      for (auto& side : own.sides) side += first_side;
      heard.terms.push_back(std::move(own));
    }
    heard.how = worse(heard.how, function->work.how);
    heard.scalar_maths.insert(function->work.scalar_maths.begin(),
                              function->work.scalar_maths.end());
    heard.scalar_maths_calls += function->work.scalar_maths_calls * times_;
  }

  double times_ = 1;  // records there are for a row that goes in
  bool aligned_ = true;
};

cost::row_work counted(const graph::node& n) {
  listener to;
  try {
    n.stage.describe(n.stage.element.get(), to);
  } catch (const error&) {  // on_device() names a file that isn't there
    to.heard.how = trust::at_least;
  }
  to.end();
  return std::move(to.heard);
}

}  // namespace

const cost::row_work& row_work_of(const graph::node& n) {
  // Rows that are moved, and functions that aren't described: of groups, of partitions.
  static const cost::row_work none, unknown{.terms = {}, .how = trust::at_least};
  if (n.stage.describe == nullptr)
    return n.stage.ops.empty() && n.op->describes_its_functions() ? none : unknown;
  // The function that describes a stage is made for its type, so for the functions in it.
  static std::shared_mutex mutex;
  static std::unordered_map<detail::describe_element, std::unique_ptr<const cost::row_work>> known;
  static thread_local std::pair<detail::describe_element, const cost::row_work*> last{};
  if (last.first == n.stage.describe) return *last.second;  // small queries ask one thing often
  const cost::row_work* found = nullptr;
  {
    const std::shared_lock lock(mutex);
    if (const auto entry = known.find(n.stage.describe); entry != known.end())
      found = entry->second.get();
  }
  if (found == nullptr) {
    auto made = std::make_unique<const cost::row_work>(counted(n));
    const std::unique_lock lock(mutex);
    found = known.try_emplace(n.stage.describe, std::move(made)).first->second.get();
  }
  last = {n.stage.describe, found};
  return *found;
}

}  // namespace pappus::codegen
