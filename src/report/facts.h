// What a page tells, as values: they outlive the queries, plans and nodes that they are about.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cost/work.h"

namespace pappus::report {

using clock = std::chrono::steady_clock;

/// A step of a stage on the CPU.
struct step_facts {
  std::string name;
  double seconds = 0;
  std::size_t threads = 0;  ///< that took part; 0: the query's own alone
};

/// An operator of a fused stage that changes the number of records.
struct operator_facts {
  std::string name;
  double kept = 0;  ///< records out per record in, about
};

struct stage_facts {
  enum class kind : std::uint8_t { computes, reads_file, is_there };
  kind what = kind::computes;
  std::string label;                       ///< "filter·group_by.sum"
  std::string place = "cpu";               ///< "opencl:0"
  std::vector<std::size_t> inputs, sides;  ///< stages
  std::uint64_t node = 0;                  ///< equal for runs of one collection alone
  bool cached = false;                     ///< by .cache()
  std::int64_t rows_in = 0, rows_out = 0;  ///< of an index, rows_in are in it
  double bytes = 0;                        ///< that it moved; of a file, its own
  double seconds = 0, predicted_s = 0;
  cost::trust predicted_how = cost::trust::counted;
  std::size_t threads = 0;                    ///< the most that took part in one of its steps
  std::int64_t windows = 1;                   ///< in which it took its rows
  std::vector<step_facts> steps{};            ///< on the CPU
  std::vector<operator_facts> operators{};    ///< none: not counted
  std::vector<std::string> notes{};           ///< of what happened
  std::vector<std::string> planned{};         ///< what explain says besides
  std::vector<std::string> repeats{};         ///< what it computes that another stage does, too
  std::string maths{};                        ///< what fast floats would gain
  std::vector<std::string> refused{};         ///< "opencl:0: reason": why not on devices
  double copies_s = 0, kernels_s = 0;         ///< predicted, of the device that it ran on
  bool moved_to_cpu = false;                  ///< a device that was to run it failed
  double index_bytes = 0;                     ///< of a join's index
  std::string path{};                         ///< of a file
  std::size_t columns = 0, used_columns = 0;  ///< of a file: bound, and looked at
  bool text = false;                          ///< of a file: its columns can't be read alone
};

/// Equal queries: of the longest run, but for the sums.
struct query_facts {
  std::uint64_t shape = 0;  ///< equal for runs of one query
  std::int64_t runs = 1;
  double seconds = 0, sum_s = 0, least_s = 0;
  clock::time_point begin{};          ///< of the first run
  double spilled = 0, read_back = 0;  ///< bytes, sums; with those of others at the same time
  std::size_t left_out = 0;           ///< further stages
  std::vector<stage_facts> stages{};
};

/// A collection that several runs computed anew.
struct recomputed_facts {
  std::string label;
  std::int64_t times = 0;
  double seconds = 0;  ///< together
};

/// Launches over arrays that ran together.
struct launches_facts {
  std::uint64_t shape = 0;
  std::string label;
  std::int64_t runs = 1, launches = 0;  ///< launches: of one run
  double seconds = 0, sum_s = 0;
  std::string place = "cpu";
};

/// What queries ran on.
struct machine_facts {
  std::string processor;
  unsigned threads = 1;
  double budget = 0, last_cache = 0;  ///< bytes
};

}  // namespace pappus::report
