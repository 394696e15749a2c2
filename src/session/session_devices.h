// The devices a session may use: opened when first needed, asked by the planner, handed to the
// executor.
//
// Where PAPPUS_DEVICES (or options::devices) names devices, they are opened with the session. Else
// drivers are only looked for when a query is large enough for any device to win: small programs
// never load them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cost/machine.h"
#include "device_ops/contract.h"
#include "memory/pool.h"
#include "plan/plan.h"

namespace pappus::detail {

class session_devices {
 public:
  /// \param names         PAPPUS_DEVICES; empty: what there is.
  /// \param memory_bytes  budget of each device; 0: what it has.
  /// Throws usage_error for names of devices that aren't there.
  session_devices(const std::string& names, std::size_t memory_bytes,
                  std::shared_ptr<memory::pool> host);
  ~session_devices();

  /// Whether the user named them.
  bool named() const noexcept { return named_; }
  /// Whether a query that would take the CPU so long is worth looking for devices.
  static bool worth_loading(double cpu_seconds) noexcept {
    constexpr double loading_seconds = 0.2;  // what drivers take to start
    return cpu_seconds > loading_seconds;
  }
  /// Adds the devices to a description of the machine. Opens them.
  void add_to(cost::machine& machine);

  /// Throws usage_error if a query asks by on() for what is no place, or for none of the places
  /// that there are. Opens the devices where one asks.
  void check_places(const plan::plan& p);

  // What planning asks; `device` is a number in machine::devices.
  ops::answer ask(const graph::node& n, unsigned device);
  double bytes_there(const rows_ptr& rows, unsigned device);

  std::vector<chunk_loop::device_session*> all();
  /// Devices that could not be used from the start, and why.
  std::vector<std::string> faults();

 private:
  void open();
  void give_back() noexcept;
  std::vector<std::string> places() const;

  const bool named_;
  const std::string names_;
  const std::size_t memory_bytes_;
  std::shared_ptr<memory::pool> host_;
  std::mutex mutex_;
  bool opened_ = false;
  bool cpu_ = true;
  std::vector<std::string> faults_;
  std::vector<std::string> names_there_;  // of devices, also of those left out
  std::vector<std::unique_ptr<chunk_loop::device_session>> devices_;
};

}  // namespace pappus::detail
