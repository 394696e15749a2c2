#include "devices/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "base/embedded.h"
#include "devices/host/entry.h"

namespace pappus::devices {
namespace {

#include "devices/measure.cl"

using clock = std::chrono::steady_clock;

constexpr std::size_t small_bytes = 1024, large_bytes = std::size_t{64} << 20;
constexpr int small_repeats = 51, large_repeats = 9, builds = 3;

double now_s() { return std::chrono::duration<double>(clock::now().time_since_epoch()).count(); }

/// Typical seconds of f(); the first calls warm caches and drivers up.
template <typename F>
double seconds_of(int repeats, F&& f) {
  f();
  f();
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) {
    const double begin = now_s();
    f();
    samples.push_back(now_s() - begin);
  }
  return typical(std::move(samples));
}

/// Bytes a second, in 1e9, when `latency_s` of the time don't depend on the bytes.
double gb_per_s(double bytes, double seconds, double latency_s) {
  return bytes * 1e-9 / std::max(seconds - latency_s, seconds / 2);
}

double median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

class measuring {
 public:
  explicit measuring(device& d) : device_(d), queue_(d.make_queue()) {
    const auto& about = d.about();
    bytes_ = std::clamp(std::min(about.memory_bytes / 8, about.buffer_bytes_max), small_bytes,
                        large_bytes);
    host_.assign(bytes_ / sizeof(std::uint32_t), 1);
    from_ = d.allocate(bytes_);
    to_ = d.allocate(bytes_);
    queue_->wait(queue_->write(*from_, 0, host_.data(), bytes_));
  }

  measured_rates run() {
    measured_rates found;
    const auto kernel = device_.build(source("stream"));
    found.build_ms = build_s() * 1e3;
    copies(found);
    const double launch_s = seconds_of(small_repeats, [&] { stream(*kernel, 0, 1); });
    found.launch_us = launch_s * 1e6;
    const auto& about = device_.about();
    const std::size_t items = about.compute_units * std::size_t{about.like_cpu ? 4u : 1024u};
    const auto rows = static_cast<std::int64_t>(host_.size());
    const double stream_s = seconds_of(large_repeats, [&] { stream(*kernel, rows, items); });
    found.memory_gb_per_s = gb_per_s(2.0 * static_cast<double>(bytes_), stream_s, launch_s);
    return found;
  }

 private:
  /// The text with a function of a name of its own: what differs in a comment, caches know.
  static kernel_source source(const std::string& unique) {
    const auto text = fmt::format("{}DEVICE uint measured_{}(uint x) {{ return x; }}\n",
                                  base::embedded("devices/measure.cl"), unique);
    return {.name = "devices --measure",
            .entry = "measure_stream",
            .text = std::make_shared<const std::string>(text),
            .host = host::entry<measure_stream>,
            .host_context = nullptr};
  }

  /// Until the first launch is done: some drivers compile no sooner.
  double build_s() {
    std::vector<double> samples;
    for (int i = 0; i < builds; ++i) {
      const double begin = now_s();
      const auto ticks = clock::now().time_since_epoch().count();
      const auto built = device_.build(source(fmt::format("{}_{}", ::getpid(), ticks)));
      stream(*built, 0, 1);
      samples.push_back(now_s() - begin);
    }
    return typical(std::move(samples));
  }

  void copies(measured_rates& found) {
    const auto write = [&](std::size_t n) {
      return [this, n] { queue_->wait(queue_->write(*to_, 0, host_.data(), n)); };
    };
    const auto read = [&](std::size_t n) {
      return [this, n] { queue_->wait(queue_->read(*to_, 0, host_.data(), n)); };
    };
    const double write_s = seconds_of(small_repeats, write(small_bytes));
    const double read_s = seconds_of(small_repeats, read(small_bytes));
    found.transfer_us = std::max(write_s, read_s) * 1e6;
    const auto bytes = static_cast<double>(bytes_);
    found.to_gb_per_s = gb_per_s(bytes, seconds_of(large_repeats, write(bytes_)), write_s);
    found.from_gb_per_s = gb_per_s(bytes, seconds_of(large_repeats, read(bytes_)), read_s);
  }

  void stream(const kernel& what, std::int64_t rows, std::size_t items) {
    const argument arguments[] = {from_, to_, rows};
    queue_->wait(queue_->launch(what, {.items = items, .group = 0}, arguments));
  }

  device& device_;
  std::size_t bytes_ = 0;
  std::vector<std::uint32_t> host_;
  std::unique_ptr<buffer> from_, to_;  // outlive the queue, which waits for what uses them
  std::unique_ptr<queue> queue_;
};

}  // namespace

double typical(std::vector<double> samples) {
  const double middle = median(samples);
  std::vector<double> distances;
  for (const double x : samples) distances.push_back(std::abs(x - middle));
  const double spread = median(distances);
  double sum = 0;
  int counted = 0;
  for (const double x : samples) {
    if (std::abs(x - middle) > 3 * spread) continue;
    sum += x;
    ++counted;
  }
  return sum / counted;
}

std::string kind(const properties& about) { return about.model + ", " + about.version; }

measured_rates measure(device& d) { return measuring(d).run(); }

}  // namespace pappus::devices
