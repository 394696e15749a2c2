// Chooses a place for every step of a query so that the whole takes the least time.
//
// The problem: a step costs something at each place, and rows that are read elsewhere than they
// were made must be copied. Step by step in order is too short-sighted: in map, filter, sort each
// may be cheaper on the CPU than the copies to a device and back, when all three together aren't.
//
// The idea: rows made for one reader form a tree, and on trees the least sum is found exactly from
// the leaves up (as in Selinger et al. 1979, places instead of orders): for each place of a step,
// the best its inputs can do. Rows with several readers join trees into a graph, where the least
// sum is hard to find. There each reader bears an equal share of such a step in the first pass,
// places are chosen from the results down, knowing all readers, and then steps are moved one at a
// time as long as the sum falls. The same improvement starts from everything on the CPU and from
// everything on each device; the best of these wins. So: optimal where every step has one reader;
// elsewhere never worse than the CPU alone or one device alone, and no single step would be better
// elsewhere.
//
// Alternatives: a minimum cut (exact for two places only, and copies that several readers share
// don't fit it); integer programming (milliseconds for what must take microseconds).
//
// Not here: overlap of copies and kernels (times add up, which favours the CPU), and several
// queries that compete for a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace pappus::plan {

inline constexpr double impossible = std::numeric_limits<double>::infinity();

/// Somewhere steps can run. The first of a list is the host.
struct site {
  std::size_t parts = 1;        ///< devices that share the rows
  double latency_s = 0;         ///< of a copy, seconds
  double to_s = 0, from_s = 0;  ///< seconds a byte, to and from one device
  double kept_bytes = 0;        ///< the most that a step's rows may take to stay for their reader
};

/// A stage as seen here: what it costs at each site, and who reads its rows.
struct step {
  struct edge {
    std::size_t step;
    bool whole;  ///< each device needs all rows, not its part of them
  };
  std::vector<double> run_s;    ///< per site: seconds without copies; `impossible` if it can't run
  double bytes = 0;             ///< of its rows
  bool wanted_on_host = false;  ///< its rows must come to the host: the caller wants them, say
  double upload_fraction = 1;   ///< of the upload cost to count; below 1 if a loop reuses the copy
  std::vector<double> resident_bytes;  ///< per site: bytes of its rows there already; empty: none
  /// Per site: time to upload only the bytes that are read, as a fraction of the time for whole
  /// records. Empty: whole records are uploaded.
  std::vector<double> record_fraction{};
  std::vector<edge> inputs, readers;  ///< steps before this one, after this one
};

struct placing_problem {
  std::vector<site> sites;
  std::vector<step> steps;  ///< inputs before readers

  using sites_of_steps = std::vector<std::size_t>;

  /// The chosen site of each step. Every step must have one that is possible.
  sites_of_steps solve() const;

  /// Seconds of all runs and copies.
  double total(const sites_of_steps& at) const;
  /// Seconds of the copies that wouldn't be made without step i: of its inputs to it, of its rows
  /// to others.
  double copies_because_of(std::size_t i, const sites_of_steps& at) const;
  /// Seconds of the copies that step i waits for: uploads of inputs that no earlier reader brought
  /// to its site, and the download of its rows. Over all steps they sum up to those of all copies.
  double copies_made_at(std::size_t i, const sites_of_steps& at) const;
  /// Whether the rows of step i stay on the devices that made them, and never come to the host.
  bool stays(std::size_t i, const sites_of_steps& at) const;

 private:
  static constexpr std::size_t nobody = SIZE_MAX;

  bool kept(std::size_t i, std::size_t site) const;
  double upload(std::size_t i, std::size_t to, bool whole) const;
  double download(std::size_t i, std::size_t from) const;
  bool comes_back(std::size_t i, const sites_of_steps& at, std::size_t ignored) const;
  double uploads_to(std::size_t i, std::size_t to, const sites_of_steps& at,
                    std::size_t ignored) const;
  double copies_of(std::size_t i, const sites_of_steps& at, std::size_t ignored) const;
  double link(std::size_t i, std::size_t from, std::size_t to, bool whole) const;
  double alone(std::size_t i, std::size_t site) const;
  sites_of_steps from_the_leaves() const;
  sites_of_steps all_at(std::size_t site) const;
  void improve(sites_of_steps& at) const;
};

}  // namespace pappus::plan
