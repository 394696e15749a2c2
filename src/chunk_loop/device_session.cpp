#include "chunk_loop/device_session.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>

#include "base/embedded.h"
#include "chunk_loop/dump.h"
#include "pappus/detail/base/integers.h"

namespace pappus::chunk_loop {

std::shared_ptr<const std::string> interned(std::string text) {
  static std::mutex mutex;
  static std::map<std::size_t, std::weak_ptr<const std::string>> texts;
  const std::size_t hash = std::hash<std::string>{}(text);
  const std::lock_guard lock(mutex);
  auto& known = texts[hash];
  if (auto same = known.lock(); same && *same == text) return same;
  auto made = std::make_shared<const std::string>(std::move(text));
  known = made;
  return made;
}

const program& fixed_program(std::string_view path) {
  static std::mutex mutex;
  static std::map<std::string_view, program> programs;  // keys are the embedded table's
  const std::lock_guard lock(mutex);
  auto& made = programs[path];
  if (!made.text)
    made = {std::string(path), std::make_shared<const std::string>(base::embedded(path)), nullptr,
            nullptr};
  return made;
}

void bring_to_rest(devices::queue& queue) {
  try {
    queue.finish();
  } catch (const devices::device_error&) {  // the error before this one tells more
  }
}

device_session::device_session(devices::attached_ptr on, std::size_t memory_limit,
                               std::shared_ptr<memory::pool> host)
    : memory_(std::make_shared<memory::device_memory>(on, memory_limit, std::move(host))) {
  const std::lock_guard lock(on->lock);
  make_queues();
}

device_session::~device_session() {
  const auto on = memory_->on();  // outlives what is destroyed under its lock
  const std::lock_guard lock(on->lock);
  uploads_.reset();
  kernels_.reset();
  downloads_.reset();
  memory_->drop();
  built_.clear();
}

std::size_t device_session::block_items(std::int64_t rows) const {
  constexpr std::int64_t rows_min = 1024;  // a work-item
  const std::int64_t most = about().like_cpu ? 4 * std::int64_t{about().compute_units}
                                             : 256 * std::int64_t{about().compute_units};
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(detail::ceil_div(rows, rows_min), 1, most));
}

devices::kernel_source device_session::source_of(const program& what,
                                                 const kernel_entry& entry) const {
  return {what.label, std::string(entry.name), what.text,
          entry.host, what.host_context,       what.legible};
}

device_session::kernel_key device_session::key_of(const program& what,
                                                  const kernel_entry& entry) const {
  return {what.text.get(), runs_on_host() ? what.host_context.get() : nullptr, entry.name};
}

bool device_session::remembers(const detail::rows_ptr& set) const {
  return std::any_of(read_before_.begin(), read_before_.end(),
                     [&](const auto& known) { return known.lock() == set; });
}

void device_session::remember(const detail::rows_ptr& set) {
  constexpr std::size_t most = 32;
  if (remembers(set)) return;
  std::erase_if(read_before_, [](const auto& known) { return known.expired(); });
  if (read_before_.size() == most) read_before_.erase(read_before_.begin());
  read_before_.push_back(set);
}

void device_session::forget_old_kernels() {
  constexpr std::size_t most = 512;
  if (built_.size() > most) built_.clear();
}

const devices::kernel& device_session::built(const program& what, const kernel_entry& entry) {
  auto& slot = built_[key_of(what, entry)];
  if (!slot.kernel) {
    const auto begin = std::chrono::steady_clock::now();
    slot.kept = {what.label, what.text, runs_on_host() ? what.host_context : nullptr, nullptr};
    if (!runs_on_host()) dump(what, entry.name);
    slot.kernel = on().driver->build(source_of(what, entry));
    build_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return *slot.kernel;
}

bool device_session::is_built(const program& what, const kernel_entry& entry) const {
  const auto found = built_.find(key_of(what, entry));
  if (found != built_.end() && found->second.kernel) return true;
  return on().driver->is_built(source_of(what, entry));
}

devices::event device_session::launch(const program& what, const kernel_entry& entry,
                                      std::size_t items,
                                      std::span<const devices::argument> arguments) {
  if (items == 0) return nullptr;
  const auto& kernel = built(what, entry);
  ++launches;
  last_kernel_ =
      kernels_->launch(kernel, {.items = items, .group = entry.group}, arguments, awaited_);
  awaited_.clear();
  last_job_ = job_;
  return last_kernel_;
}

void device_session::copy(const devices::buffer& from, std::size_t from_offset, devices::buffer& to,
                          std::size_t to_offset, std::size_t bytes) {
  last_kernel_ = kernels_->copy(from, from_offset, to, to_offset, bytes, awaited_);
  awaited_.clear();
  last_job_ = job_;
}

void device_session::read_and_wait(devices::queue& queue, const devices::buffer& from,
                                   std::size_t offset, void* to, std::size_t bytes) {
  try {
    queue.wait(queue.read(from, offset, to, bytes));
  } catch (...) {
    bring_to_rest(queue);
    throw;
  }
  downloaded_bytes += static_cast<double>(bytes);
}

void device_session::come_to_rest(bool lost) noexcept {
  if (lost) on().lost = true;
  for (auto* queue : {&uploads(), &kernels(), &downloads()}) bring_to_rest(*queue);
}

void device_session::start_anew() noexcept {
  try {
    memory().drop();
    if (!on().lost) renew_queues();
  } catch (const devices::device_error&) {
    on().lost = true;
  }
}

void device_session::renew_queues() {
  awaited_.clear();
  last_kernel_ = nullptr;
  uploads_.reset();
  kernels_.reset();
  downloads_.reset();
  make_queues();
}

void device_session::make_queues() {
  uploads_ = on().driver->make_queue();
  kernels_ = on().driver->make_queue();
  downloads_ = on().driver->make_queue();
}

}  // namespace pappus::chunk_loop
