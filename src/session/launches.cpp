#include "session/launches.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "arrays/checks.h"
#include "arrays/coherence.h"
#include "arrays/whole.h"
#include "codegen/plugin/descriptor.h"
#include "pappus/error.h"
#include "run/dry.h"
#include "session/report.h"
#include "tasks/tasks.h"

namespace pappus::detail {
namespace {

using arrays::image_ptr;
using arrays::launch_number;

constexpr std::size_t batch_launches = 64;
constexpr std::size_t waiting_launches_max = 1024;  // then the caller helps
constexpr auto gathering_time = std::chrono::microseconds(200);
constexpr auto dozing_time = std::chrono::milliseconds(50);  // after the last launch
constexpr std::size_t parts_max = 64;  // of an array, before launches that are done are forgotten
constexpr double run_at_once_seconds = 1e-5;

const cost::row_work& work_of(const graph::node& n) {
  static const cost::row_work unknown{.how = cost::trust::at_least}, own{};
  const auto& launch = arrays::launch_of(n);
  if (launch.place.empty()) return own;  // the library's: they move bytes
  const auto* descriptor = launch.descriptor;
  return descriptor != nullptr ? codegen::compiled_function_of(descriptor).work : unknown;
}

/// Enough for plan::verify_batch, which looks at pairs of items element by element.
bool is_small(const plan::plan& p) {
  constexpr std::int64_t items_max = 60, elements_max = 3000;
  std::int64_t items = 0, elements = 0;
  for (const auto& s : p.stages) {
    items += s.items.size();
    for (const auto& argument : arrays::launch_of(*s.node).arguments)
      elements += argument.array->all.volume();
  }
  return items <= items_max && elements <= elements_max;
}

}  // namespace

class launch_queue::driving {
 public:
  driving(launch_queue& queue, lock& held) : queue_(queue), held_(held) {
    ++queue_.drivers_;
    held_.unlock();
  }
  ~driving() {
    held_.lock();
    --queue_.drivers_;
  }
  driving(const driving&) = delete;
  driving& operator=(const driving&) = delete;

 private:
  launch_queue& queue_;
  lock& held_;
};

/// While this exists, somebody waits for these launches.
class launch_queue::wanting {
 public:
  wanting(launch_queue& queue, const std::vector<launch_number>& launches)
      : queue_(queue), launches_(launches) {
    queue_.wanted_.insert(launches.begin(), launches.end());
  }
  ~wanting() {
    for (const auto number : launches_) queue_.wanted_.erase(queue_.wanted_.find(number));
  }
  wanting(const wanting&) = delete;
  wanting& operator=(const wanting&) = delete;

 private:
  launch_queue& queue_;
  const std::vector<launch_number>& launches_;
};

launch_queue::launch_queue(
    threads::team& team, const cost::machine& machine, const threads::cancel_count& cancels,
    std::function<node_ptr(std::shared_ptr<const arrays::launch>)> make_node,
    std::function<std::unique_ptr<trace::recorder>(const plan::plan&)> listen,
    waiting_hook on_waiting, launch_setting setting, run::launch_devices devices,
    std::function<ops::answer(const node&, unsigned)> ask_device)
    : team_(team),
      machine_(machine),
      cancels_(cancels),
      make_node_(std::move(make_node)),
      listen_(std::move(listen)),
      on_waiting_(std::move(on_waiting)),
      devices_(std::move(devices)),
      ask_device_(std::move(ask_device)),
      eager_(setting == launch_setting::eager),
      lazy_(on_waiting_ || setting == launch_setting::lazy) {}

void launch_queue::end() {
  lock held(mutex_);
  ending_ = true;
  changed_.notify_all();
  held.unlock();
  if (pump_.joinable()) pump_.join();
  held.lock();
  try {
    drive(held, [this] { return current_ == nullptr && gathered_.empty(); });
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pappus: launches were not run: %s\n", e.what());
  }
  for (const auto& [number, why] : failures_)
    if (!why->told.exchange(true)) std::fprintf(stderr, "pappus: %s\n", why->what.c_str());
}

void launch_queue::wait_for(launch_number launch) {
  lock held(mutex_);
  wait_for(held, {launch});
}

plan::batch_request launch_queue::request(std::span<const node_ptr> launches) const {
  const auto forced = for_tests_.value_or(planned_for_tests());
  return {.launches = launches,
          .machine = machine_,
          .ask_work = work_of,
          .ask_device = ask_device_,
          .item_indices = forced.item_indices,
          .always_in_turns = forced.always_in_turns,
          .always_in_bins = forced.always_in_bins};
}

void launch_queue::plan_for_tests(const planned_for_tests& how) {
  const lock held(mutex_);
  for_tests_ = how;
}

void launch_queue::add(const std::shared_ptr<arrays::launch>& launch) {
  check_outside(launch->place.empty() ? launch->function_type : "for_each");
  lock held(mutex_);
  if (gathered_.size() >= waiting_launches_max) {
    tell_waiting(held);
    drive(held, [&] { return gathered_.size() < waiting_launches_max / 2; });
  }
  for (auto& argument : launch->arguments) argument.elements = argument.array->elements;
  check(*launch);
  if (launch->indices.empty()) return;
  fill_first(*launch);
  leave_to_collections(*launch);
  add_one(launch);
  const bool alone = gathered_.size() == 1 && current_ == nullptr;
  bool at_once = eager_;
  if (alone && !at_once && !lazy_) {
    const auto p = plan::plan_batch(request(gathered_));
    at_once = p.how() != cost::trust::at_least && p.seconds() < run_at_once_seconds;
  }
  if (at_once)
    wait_for(held, {launch->number});
  else
    wake_pump();
}

void launch_queue::add_one(const std::shared_ptr<arrays::launch>& launch) {
  launch->number = last_ + 1;
  launch->cancels = cancels_.load();
  for (auto& argument : launch->arguments) {
    if (argument.elements == nullptr) argument.elements = argument.array->elements;
    if (argument.array->parts.entries().size() > parts_max) forget_done(*argument.array);
  }
  note(*launch);
  std::erase_if(launch->needs, [&](launch_number n) { return has_succeeded(n); });
  if (gathered_.empty() && current_ == nullptr) first_current_ = launch->number;
  gathered_.push_back(make_node_(launch));
  last_ = launch->number;
  last_added_ = clock::now();
}

void launch_queue::add_owed(const std::shared_ptr<arrays::launch>& launch) {
  launch->owed = true;
  add_one(launch);
}

void launch_queue::fill_first(const arrays::launch& launch) {
  // Several accesses may want the same elements.
  for (const auto& [array, where] : arrays::wanting_first_value(launch)) fill_first(array, where);
}

/// Elements that collections have as their rows stay as they are: the array goes on in new memory.
void launch_queue::leave_to_collections(arrays::launch& launch) {
  for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
    const auto array = launch.arguments[a].array;
    const bool writes = std::ranges::any_of(
        launch.accesses, [&](const auto& one) { return one.argument == a && one.writes(); });
    if (!writes || array->elements->collections == 0) continue;
    move_away(array);
    for (auto& argument : launch.arguments)
      if (argument.array == array) argument.elements = array->elements;
  }
}

void launch_queue::move_away(const image_ptr& array) {
  forget_done(*array);
  const auto parts = array->parts.entries();
  const auto old = arrays::move_to_new(*array);
  // One launch for each that wrote some of it: where one fails, what others wrote is still good.
  for (const auto& [where, is] : parts)
    if (is.has == arrays::content::written && failure(is.writer) == nullptr)
      for (const auto& box : where.boxes()) add_owed(arrays::moving(array, box, old));
}

void launch_queue::forget_done(arrays::image& array) const {
  arrays::forget_done(array, [&](launch_number n) { return has_succeeded(n); });
}

void launch_queue::fill_first(const image_ptr& array, const regions::box& where) {
  std::vector<regions::box> unfilled;
  array->parts.each(where, [&](const regions::box& box, const arrays::part& is) {
    if (is.has == arrays::content::initial) unfilled.push_back(box);
  });
  for (const auto& box : unfilled) add_owed(arrays::filling(array, box, array->initial));
}

bool launch_queue::is_done(launch_number number) const {
  if (number < first_current_) return true;
  const auto stage = stage_of(number);
  return stage && current_->settled(*stage);
}

std::optional<std::size_t> launch_queue::stage_of(launch_number number) const {
  if (current_ == nullptr || number < first_current_ ||
      number - first_current_ >= stages_of_.size())
    return std::nullopt;
  return stages_of_[number - first_current_];
}

bool launch_queue::has_succeeded(launch_number number) const {
  return is_done(number) && failure(number) == nullptr;
}

arrays::failure_ptr launch_queue::failure(launch_number number) const {
  if (const auto found = failures_.find(number); found != failures_.end()) return found->second;
  const auto stage = stage_of(number);
  return stage && current_->settled(*stage) ? current_->failure(*stage) : nullptr;
}

void launch_queue::close_batch() {
  const auto count = static_cast<std::ptrdiff_t>(std::min(gathered_.size(), batch_launches));
  std::vector<node_ptr> launches(gathered_.begin(), gathered_.begin() + count);
  auto p = plan::plan_batch(request(launches));
  if (bring_forward(launches, p)) p = plan::plan_batch(request(launches));
  if (for_tests_ && is_small(p)) plan::verify_batch(p);
  stages_of_.resize(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i)
    stages_of_[arrays::launch_of(*launches[i]).number - first_current_] = i;
  auto recorder = listen_(p);
  current_ = std::make_shared<run::batch>(
      std::move(launches), std::move(p), cancels_,
      [&](launch_number number) { return failure(number); }, std::move(recorder), devices_);
  gathered_.erase(gathered_.begin(), gathered_.begin() + count);
}

/// Puts launches that somebody waits for, and all that these need, before the others.
bool launch_queue::bring_forward(std::vector<node_ptr>& launches, const plan::plan& p) const {
  std::vector<bool> needed(launches.size(), false);
  for (const auto number : wanted_)
    if (number >= first_current_ && number - first_current_ < launches.size())
      needed[number - first_current_] = true;
  for (std::size_t i = launches.size(); i-- > 0;)
    if (needed[i])
      for (const auto& need : p.stages[i].needs) needed[plan::index(need.before)] = true;
  if (std::ranges::is_sorted(needed, std::greater<>())) return false;
  std::vector<node_ptr> first, others;
  for (std::size_t i = 0; i < launches.size(); ++i)
    (needed[i] ? first : others).push_back(std::move(launches[i]));
  first.insert(first.end(), others.begin(), others.end());
  launches = std::move(first);
  return true;
}

void launch_queue::retire() {
  for (std::size_t i = 0; i < stages_of_.size(); ++i)
    if (auto why = current_->failure(stages_of_[i])) failures_[first_current_ + i] = std::move(why);
  first_current_ += stages_of_.size();
  current_ = nullptr;
}

void launch_queue::drive(lock& held, const std::function<bool()>& enough) {
  while (!enough()) {
    if (current_ == nullptr) {
      if (gathered_.empty()) return;
      close_batch();
    }
    const auto batch = current_;
    {
      const driving now(*this, held);
      batch->take_part(team_, [] { return false; });
    }
    if (batch == current_ && batch->finished()) retire();
  }
  // The pump may be asleep, as others were at work.
  if (current_ != nullptr || !gathered_.empty()) wake_pump();
}

void launch_queue::wait_for(lock& held, const std::vector<launch_number>& launches) {
  tell_waiting(held);
  const wanting until_done(*this, launches);
  while (!std::ranges::all_of(launches, [&](launch_number n) { return is_done(n); })) {
    if (current_ == nullptr) close_batch();
    const auto batch = current_;
    // Of a later batch's launches nothing can be said before this one has run.
    bool later = false;
    std::vector<std::size_t> stages;
    for (const auto number : launches) {
      if (number < first_current_) continue;
      if (const auto stage = stage_of(number))
        stages.push_back(*stage);
      else
        later = true;
    }
    {
      const driving now(*this, held);
      batch->take_part(team_, [&] {
        return !later &&
               std::ranges::all_of(stages, [&](std::size_t s) { return batch->settled(s); });
      });
    }
    if (batch == current_ && batch->finished()) retire();
  }
  if (current_ != nullptr || !gathered_.empty()) wake_pump();
}

void launch_queue::check_outside(std::string_view what) {
  if (run::in_launch())
    throw usage_error(fmt::format(
        "{}: expected a call from outside of launched functions, got one from inside, which would "
        "wait for itself; call it before or after for_each",
        what));
}

void launch_queue::wait_for_all() {
  check_outside("wait");
  lock held(mutex_);
  if (last_ >= first_current_) wait_for(held, {last_});
  const auto last = last_;
  drive(held, [&] { return first_current_ > last; });
  for (const auto& [number, why] : failures_) {
    if (why->told.exchange(true)) continue;
    try {
      std::rethrow_exception(why->original);
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      throw launch_error(why->what);
    }
  }
}

/// A pump that only dozes sees by itself what there is to do: waking a thread takes longer than
/// noting a launch.
void launch_queue::wake_pump() {
  if (ending_ || lazy_) return;
  if (!pump_.joinable())
    pump_ = std::thread([this] { pump(); });
  else if (pump_sleeps_)
    changed_.notify_all();
}

void launch_queue::pump() {
  lock held(mutex_);
  while (!ending_) {
    const bool idle = current_ == nullptr && gathered_.empty();
    const auto since = clock::now() - last_added_;
    if (idle || (current_ != nullptr && drivers_ > 0)) {
      pump_sleeps_ = since > dozing_time;
      if (pump_sleeps_)
        changed_.wait(held);
      else
        changed_.wait_for(held, gathering_time);
      pump_sleeps_ = false;
      continue;
    }
    if (current_ == nullptr && gathered_.size() < batch_launches && since < gathering_time) {
      changed_.wait_for(held, gathering_time - since);
      continue;
    }
    const auto first = first_current_;
    try {
      drive(held, [&] { return ending_ || first_current_ != first; });
    } catch (...) {  // no memory for a plan: who waits for the launches tries again, and is told
      pump_sleeps_ = true;
      if (!ending_) changed_.wait(held);
      pump_sleeps_ = false;
    }
  }
}

void launch_queue::tell_waiting(lock& held) {
  if (!on_waiting_ || gathered_.empty()) return;
  held.unlock();
  on_waiting_([this](explain_format format) { return explain(format); });
  held.lock();
}

std::string launch_queue::explain(explain_format format) {
  const lock held(mutex_);
  if (gathered_.empty() && current_ == nullptr) return {};
  const auto& launches = gathered_.empty() ? current_->launches() : gathered_;
  const bool passes = format == explain_format::passes;
  const auto count = std::min(launches.size(), batch_launches);
  auto asked = request(std::span(launches).first(count));
  asked.keep_history = passes;
  const auto p = plan::plan_batch(asked);
  if (format == explain_format::svg) return plan::draw_batch(p);
  const auto work = tasks::lower_batch(p);
  work.verify(p);
  auto text = explained(p, work, run::dry_run(p, work), nullptr, passes);
  if (const auto more = launches.size() - count; more > 0)
    text +=
        fmt::format("{} more launches wait; they are planned {} at a time\n", more, batch_launches);
  return text;
}

}  // namespace pappus::detail
