// stencil: rounds that are waited for one by one. sweep: all of them before one wait, so that they
// may pass over memory together. The hand-written versions multiply the formula out, and so does
// Pappus's; "given" is its time without. Versions go on from where their last run ended, and
// start anew for the checksum.
#include "system/stencil.h"

#include <utility>

#include "system/stencil_round.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using stencil::as_given;
using stencil::multiplied_out;
using stencil::rounds;

/// The squares as arrays.
struct plates {
  array<float, 2> now, then, power;
};

template <typename Formula>
void launch_round(session& engine, plates& of) {
  const std::int64_t side = of.now.extent(0);
  engine.for_each({side, side}, stencil::one_round<Formula>(side), of.now, of.power, of.then);
  std::swap(of.now, of.then);
}

template <typename Formula>
void wait_for_each(session& engine, plates& of) {
  for (int round = 0; round < rounds; ++round) {
    launch_round<Formula>(engine, of);
    engine.wait();
  }
}

template <typename Formula>
void wait_once(session& engine, plates& of) {
  for (int round = 0; round < rounds; ++round) launch_round<Formula>(engine, of);
  engine.wait();
}

version by_hand(const stage& on, std::string name, stencil::squares& of, auto run) {
  return {std::move(name), [&of, run] { run(of); },
          [&on, &of, run] {
            stencil::reset(of.now, on.asked.seed, on.workers);
            run(of);
            return stencil::checksum(of.now);
          }};
}

version by_pappus(const stage& on, std::string name, plates& of, void (*run)(session&, plates&)) {
  return {std::move(name), [&on, &of, run] { run(on.engine, of); },
          [&on, &of, run] {
            const auto start = of.now.host_write();
            stencil::reset({start.data(), static_cast<std::size_t>(start.size())}, on.asked.seed,
                           on.workers);
            run(on.engine, of);
            const auto last = of.now.host();
            return stencil::checksum({last.data(), static_cast<std::size_t>(last.size())});
          }};
}

/// With memory that is touched before any timing, as that of the squares.
plates arrays_of(session& engine, const stencil::squares& of) {
  return {engine.to_array<2>(of.now.all(), {of.side, of.side}),
          engine.to_array<2>(of.now.all(), {of.side, of.side}),
          engine.to_array<2>(of.power.all(), {of.side, of.side})};
}

std::vector<result> run(const stage& on, const char* name, std::int64_t n, bool waits) {
  auto squares = stencil::make_stencil(n, on.asked.seed, on.workers);
  auto arrays = arrays_of(on.engine, squares);
  const auto round_by_round = [&](stencil::squares& of) { stencil::handwritten(of, on.workers); };
  const auto in_one_pass = [&](stencil::squares& of) { stencil::blocked(of, on.workers); };
  std::vector<version> versions{by_hand(on, "sequential", squares, stencil::sequential)};
  if (waits) {
    versions.push_back(by_hand(on, "handwritten", squares, round_by_round));
    versions.push_back(by_pappus(on, "pappus", arrays, wait_for_each<multiplied_out>));
    versions.push_back(by_pappus(on, "pappus, given", arrays, wait_for_each<as_given>));
  } else {
    versions.push_back(by_hand(on, "handwritten", squares, in_one_pass));
    versions.push_back(by_hand(on, "hand, rounds", squares, round_by_round));
    versions.push_back(by_pappus(on, "pappus", arrays, wait_once<multiplied_out>));
    versions.push_back(by_pappus(on, "pappus, given", arrays, wait_once<as_given>));
    versions.push_back(by_pappus(on, "pappus, waits", arrays, wait_for_each<multiplied_out>));
  }
  const auto cells = squares.side * squares.side;
  return compare(on, name, n, min_bytes::stencil(cells, waits ? rounds : 1), std::move(versions));
}

}  // namespace

std::vector<result> run_stencil(const stage& on, std::int64_t n) {
  return run(on, "stencil", n, true);
}

std::vector<result> run_sweep(const stage& on, std::int64_t n) {
  return run(on, "sweep", n, false);
}

}  // namespace pappus::bench
