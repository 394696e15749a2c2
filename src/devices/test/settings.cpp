#include "devices/test/settings.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/error.h"

namespace pappus::devices::test {
namespace {

constexpr std::array<std::pair<std::string_view, fault>, 4> faults_by_key{
    {{"oom", fault::out_of_memory},
     {"build", fault::build_failed},
     {"launch", fault::launch_failed},
     {"lost", fault::lost}}};

std::string what_of(std::string_view key) { return fmt::format("PAPPUS_DEVICES: test:{}", key); }

double parse_probability(std::string_view key, std::string_view text) {
  double number = -1;
  const auto end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || rest != end || !(number >= 0 && number <= 1))
    throw usage_error(
        fmt::format("{}: expected a probability from 0 to 1, got \"{}\"", what_of(key), text));
  return number;
}

planned_fault parse_at(std::string_view text) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos)
    for (const auto& [key, what] : faults_by_key)
      if (text.substr(slash + 1) == key)
        return {
            static_cast<std::uint64_t>(base::parse_count(text.substr(0, slash), what_of("at"), 0)),
            what};
  throw usage_error(fmt::format(
      "{}: expected CALL/FAULT with a fault of oom, build, launch, lost, as in 123/lost, got "
      "\"{}\"",
      what_of("at"), text));
}

bool parse_like(std::string_view text) {
  if (text != "cpu" && text != "gpu")
    throw usage_error(fmt::format("{}: expected cpu or gpu, got \"{}\"", what_of("like"), text));
  return text == "cpu";
}

/// False: there is no such key.
bool set(settings& s, std::string_view key, std::string_view value) {
  if (key == "seed")
    s.seed = static_cast<std::uint64_t>(base::parse_count(value, what_of(key), 0));
  else if (key == "memory")
    s.memory_bytes = base::parse_bytes(value, what_of(key));
  else if (key == "buffer")
    s.buffer_bytes_max = base::parse_bytes(value, what_of(key));
  else if (key == "delay_us")
    s.delay_us = static_cast<unsigned>(base::parse_count(value, what_of(key), 0, 1'000'000));
  else if (key == "like")
    s.like_cpu = parse_like(value);
  else if (key == "oom")
    s.out_of_memory = parse_probability(key, value);
  else if (key == "build")
    s.build_failed = parse_probability(key, value);
  else if (key == "launch")
    s.launch_failed = parse_probability(key, value);
  else if (key == "lost")
    s.lost = parse_probability(key, value);
  else if (key == "at")
    s.at.push_back(parse_at(value));
  else
    return false;
  return true;
}

}  // namespace

std::string_view to_string(call_kind kind) {
  constexpr std::array<std::string_view, 11> names{"allocate", "make_queue", "build", "write",
                                                   "read",     "copy",       "fill",  "launch",
                                                   "flush",    "wait",       "finish"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(fault what) {
  constexpr std::array<std::string_view, 4> names{"out of memory", "build failed", "launch failed",
                                                  "device lost"};
  return names[static_cast<std::size_t>(what)];
}

std::span<const fault> possible_faults(call_kind kind) {
  static constexpr std::array allocation{fault::out_of_memory, fault::lost};
  static constexpr std::array building{fault::build_failed, fault::lost};
  // Drivers may put off what needs memory until an operation uses it.
  static constexpr std::array operation{fault::launch_failed, fault::out_of_memory, fault::lost};
  static constexpr std::array others{fault::lost};
  switch (kind) {
    case call_kind::allocate:
      return allocation;
    case call_kind::build:
      return building;
    case call_kind::write:
    case call_kind::read:
    case call_kind::copy:
    case call_kind::fill:
    case call_kind::launch:
      return operation;
    case call_kind::make_queue:
    case call_kind::flush:
    case call_kind::wait:
    case call_kind::finish:
      break;
  }
  return others;
}

double settings::probability(fault what) const {
  switch (what) {
    case fault::out_of_memory:
      return out_of_memory;
    case fault::build_failed:
      return build_failed;
    case fault::launch_failed:
      return launch_failed;
    case fault::lost:
      break;
  }
  return lost;
}

settings parse(std::string_view text) {
  settings result;
  while (!text.empty()) {
    const auto end = std::min(text.find('+'), text.size());
    const auto item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto equals = std::min(item.find('='), item.size());
    if (equals == item.size() || !set(result, item.substr(0, equals), item.substr(equals + 1)))
      throw usage_error(fmt::format(
          "PAPPUS_DEVICES: test:...: expected KEY=VALUE separated by '+', with keys seed, memory, "
          "buffer, delay_us, like, oom, build, launch, lost, at, got \"{}\"",
          item));
  }
  return result;
}

}  // namespace pappus::devices::test
