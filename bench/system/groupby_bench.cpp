#include <fmt/format.h>

#include "pappus/device_code.h"
#include "system/device_texts.h"
#include "system/groupby.h"
#include "system/groupby_opencl.h"
#include "system/inputs.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

struct sum_and_count {
  double sum = 0;
  std::int64_t count = 0;
  void accumulate(double value) {
    sum += value;
    ++count;
  }
  void merge(const sum_and_count& other) {
    sum += other.sum;
    count += other.count;
  }
  static device_code on_device() {
    return device_text("add_and_count", std::string(text_file("device/groupby.cl")));
  }
};

using grouped = records<keyed<std::int32_t, sum_and_count>>;

std::string checksum(const grouped& groups) {
  std::vector<groupby::group> list;
  for (const auto& [key, value] : groups)
    if (value.count > 0) list.push_back({key, value.count, value.sum});
  return groupby::result{list}.checksum();
}

}  // namespace

std::vector<result> run_groupby(const stage& on, std::int64_t n) {
  const std::int64_t keys = on.asked.keys;
  const bool known = on.asked.domain;
  const auto rows = make_groupby(n, keys, on.asked.seed, on.workers);
  groupby::workspace space(n, {keys, known}, on.workers);
  std::vector<groupby::group> sequential_groups;
  groupby::result sequential, handwritten;
  grouped pappus;
  auto table = on.engine.borrow(rows.all());
  std::vector<version> versions{
      {"sequential",
       [&] { sequential = groupby::sequential(rows, {keys, known}, sequential_groups); },
       [&] { return sequential.checksum(); }},
      {"handwritten", [&] { handwritten = groupby::handwritten(rows, space, on.workers); },
       [&] { return handwritten.checksum(); }},
      {"pappus",
       [&] {
         pappus = {};
         if (!on.asked.resident) table = on.engine.borrow(rows.all());
         pappus = known ? table.group_by(&row::key, domain{keys})
                              .reduce<sum_and_count>(&row::value)
                              .collect()
                        : table.group_by(&row::key).reduce<sum_and_count>(&row::value).collect();
       },
       [&] { return checksum(pappus); }}};
  groupby::add_opencl(on, rows, {keys, known}, versions);
  const auto name = fmt::format("groupby_{}_{}", known ? "dense" : "hash",
                                keys == 1'000'000 ? "1e6" : std::to_string(keys));
  return compare(on, name, n, min_bytes::groupby(n, keys), std::move(versions));
}

}  // namespace pappus::bench
