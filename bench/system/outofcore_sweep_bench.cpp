// The stencil's rounds over arrays that are twice as large as memory, and four and eight times:
// waited for one by one (stencil), or all before one wait (sweep), so that they may pass over the
// disk together.
//
// The floor of a version is twice the time with all memory, or what the disk needs for the bytes
// that went there and came back, at the rates that it had just before; whichever is more.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memory/measure_disk.h"
#include "session/session.h"
#include "system/stencil.h"
#include "system/stencil_round.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

constexpr std::int64_t rows_at_once = 64;  // that the host looks at

/// One of the versions: a session with its budget, and the squares in it.
class squares_in_budget {
 public:
  squares_in_budget(const stage& on, std::int64_t side, std::size_t budget, bool waits)
      : on_(on),
        waits_(waits),
        engine_(options{.threads = static_cast<unsigned>(on.workers.threads()),
                        .host_memory = budget,
                        .devices = "cpu",
                        .progress = 0}),
        now_(engine_.unwritten<float, 2>({side, side})),
        then_(engine_.unwritten<float, 2>({side, side})),
        power_(engine_.unwritten<float, 2>({side, side})) {
    const auto squares = stencil::make_stencil(side * side, on.asked.seed, on.workers);
    put(power_, squares.power.all());
    put(now_, squares.now.all());
    put(then_, squares.now.all());
  }

  void run() {
    for (int round = 0; round < stencil::rounds; ++round) {
      launch_round();
      if (waits_) engine_.wait();
    }
    engine_.wait();
  }
  std::string checksum() {
    const auto side = now_.extent(0);
    std::vector<float> temperatures(static_cast<std::size_t>(side * side));
    stencil::reset(temperatures, on_.asked.seed, on_.workers);
    put(now_, temperatures);
    run();
    for (std::int64_t row = 0; row < side; row += rows_at_once) {
      const auto end = std::min(row + rows_at_once, side);
      const auto part = now_[{{row, 0}, {end, side}}].host();
      std::copy_n(part.data(), part.size(), temperatures.data() + row * side);
    }
    return stencil::checksum(temperatures);
  }
  std::size_t written() const { return store().spilled_bytes(); }
  std::size_t read() const { return store().bytes_read_back(); }

 private:
  memory::store& store() const { return *detail::access::session(engine_)->store(); }

  static void put(const array<float, 2>& to, std::span<const float> values) {
    const auto side = to.extent(0);
    for (std::int64_t row = 0; row < side; row += rows_at_once) {
      const auto end = std::min(row + rows_at_once, side);
      const auto part = to[{{row, 0}, {end, side}}].host_write();
      std::copy_n(values.data() + row * side, part.size(), part.data());
    }
  }

  void launch_round() {
    const auto side = now_.extent(0);
    engine_.for_each(
        {side, side},
        annotated(stencil::one_round<stencil::multiplied_out>(side),
                  "now, power, then: global [i,j] => read now[i-1:i+1,j-1:j+1], read power[i,j], "
                  "write then[i,j]"),
        now_, power_, then_);
    std::swap(now_, then_);
  }

  const stage& on_;
  const bool waits_;
  session engine_;
  array<float, 2> now_, then_, power_;
};

}  // namespace

std::vector<result> run_outofcore_sweep(const stage& on, std::int64_t n) {
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  const auto bytes = static_cast<std::size_t>(side * side) * sizeof(float) * 3;
  struct budgeted {
    std::string name;
    std::size_t budget;
    bool waits;
  };
  constexpr std::size_t least = std::size_t{8} << 20;
  const auto part = [&](std::size_t of) { return std::max(bytes / of, least); };
  const std::vector<budgeted> all{{"stencil", 0, true},           {"resident", 0, false},
                                  {"stencil_1/2", part(2), true}, {"1/2", part(2), false},
                                  {"1/4", part(4), false},        {"1/8", part(8), false}};
  std::vector<std::unique_ptr<squares_in_budget>> made;
  std::vector<version> versions;
  for (const auto& [name, budget, waits] : all) {
    auto& own = *made.emplace_back(std::make_unique<squares_in_budget>(on, side, budget, waits));
    versions.push_back({name, [&own] { own.run(); }, [&own] { return own.checksum(); }});
  }
  auto results = compare(on, "outofcore_sweep", n, 0, std::move(versions));
  memory::measured_disk disk;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, budget, waits] = all[i];
    auto& own = *made[i];
    results[i].budget_bytes = budget;
    const auto written = own.written(), read = own.read();
    own.run();
    const auto w = static_cast<double>(own.written() - written),
               r = static_cast<double>(own.read() - read);
    if (w + r > 0 && disk.write_gb_per_s == 0) disk = memory::measure_disk({});
    const auto moving =
        w + r > 0 ? w / disk.write_gb_per_s * 1e-9 + r / disk.read_gb_per_s * 1e-9 : 0.0;
    const auto resident = results[waits ? 0 : 1].median_s;
    results[i].floor_s = std::max((budget == 0 ? 1 : 2) * resident, moving);
  }
  return results;
}

}  // namespace pappus::bench
