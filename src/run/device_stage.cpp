// A stage on devices, and what becomes of it when they fail.
//
// A device without enough memory even for small chunks, one whose compiler refuses the stage or on
// which an operation fails is left out, and the stage begins again on the devices that remain, at
// last on the CPU: nothing of a failed attempt is used. Rows that lay on a lost device are gone;
// then the whole query runs again from its sources (session/evaluate.cpp).
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "codegen/element/element.h"
#include "device_ops/contract.h"
#include "ops/rows.h"
#include "pappus/error.h"
#include "run/executor.h"
#include "run/faults.h"
#include "run/rows_on_cpu.h"
#include "run/slot.h"

namespace pappus::run {

using devices::device_error;
using devices::fault;
using plan::index;

namespace {

std::string names(const std::vector<chunk_loop::device_session*>& devices) {
  std::string text;
  for (const auto* d : devices) text += (text.empty() ? "" : "+") + d->about().name;
  return text;
}

/// What devices have done so far.
struct totals {
  std::int64_t launches = 0;
  double up = 0, down = 0, in_place = 0, build_seconds = 0, moved = 0;
};
totals totals_of(const std::vector<chunk_loop::device_session*>& devices) {
  totals all;
  for (const auto* d : devices) {
    all.launches += d->launches;
    all.up += d->uploaded_bytes;
    all.down += d->downloaded_bytes;
    all.in_place += d->in_place_bytes;
    all.build_seconds += d->build_seconds;
    all.moved += d->moved_bytes;
  }
  return all;
}

/// "ran on opencl:0: 3 launches, 12 MiB there, 8 B back, kernels built in 80 ms".
std::string what_ran(const std::vector<chunk_loop::device_session*>& devices,
                     const totals& before) {
  const auto now = totals_of(devices);
  auto text = fmt::format("ran on {}: {} launches, {} there, {} back", names(devices),
                          now.launches - before.launches, base::bytes_text(now.up - before.up),
                          base::bytes_text(now.down - before.down));
  const double in_place = now.in_place - before.in_place;
  if (in_place != 0) text += ", " + base::bytes_text(in_place) + " used in place";
  const double moved = now.moved - before.moved;
  if (moved != 0)
    text += fmt::format(", {} of rows moved to the host to make room", base::bytes_text(moved));
  const double built = now.build_seconds - before.build_seconds;
  return built == 0 ? text : text + ", kernels built in " + base::time_text(built);
}

}  // namespace

std::unique_ptr<chunk_loop::stage_run> live_executor::device_stage(plan::stage_index which) {
  const auto& stage = plan_.stages[index(which)];
  auto run = std::make_unique<chunk_loop::stage_run>(
      chunk_loop::stage_run{.node = *stage.node,
                            .inputs = {},
                            .sides = {},
                            .devices = {},
                            .team = with_.team,
                            .host_memory = with_.memory,
                            .limit = stage.limit,
                            .chunk_rows = with_.chunk_rows,
                            .in_loop = with_.in_loop,
                            .stays = stage.where.stays,
                            .store = with_.store,
                            .rows_on_cpu = rows_on_cpu,
                            .owner = graph::label(*stage.node)});
  // Sides first: an input may be the same rows, which mustn't be held twice.
  for (const auto side : stage.sides)
    run->sides.push_back(contiguous(rows(side), with_.team, with_.memory));
  for (const auto input : stage.inputs) {
    const auto& from = at(input);
    if (from.device_rows == nullptr || from.rows != nullptr)
      run->inputs.push_back({rows(input), nullptr});
    else
      run->inputs.push_back({nullptr, from.device_rows});
  }
  run->rows = ops::stage_rows(*stage.node, run->inputs);
  const auto& sent = stage.where.sent_bytes;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const std::size_t size = run->inputs[i].layout().size;
    run->parts.push_back(sent[i] == size ? codegen::byte_ranges{{0, size}}
                                         : codegen::element_of(*stage.node)->reads[i]);
  }
  for (const auto d : stage.where.devices) run->devices.push_back(with_.devices[d]);
  return run;
}

void live_executor::run_on_devices(plan::stage_index which, std::string& note) {
  const auto& stage = plan_.stages[index(which)];
  const auto* op = stage.node->op->run_by(*stage.node).devices;
  auto run = device_stage(which);
  auto left = run->devices;
  const auto tell = [&](const std::string& fault) {
    if (with_.on_fault) with_.on_fault(run->owner + ": " + fault);
    note += fault + "; ";
  };
  while (!left.empty()) {
    const auto before = totals_of(left);
    run->devices = left;
    run->note.clear();
    run->faults.clear();
    const auto begin = clock::now();
    try {
      run_step(which, [&] { op->run(*run); });
      if (with_.recorder != nullptr)
        for (const auto* device : left) with_.recorder->device_worked(device->about().name, begin);
      auto& s = at(which);
      s.rows = std::move(run->host_rows);
      s.device_rows = std::move(run->device_rows_left);
      s.row_count = s.rows ? s.rows->rows() : s.device_rows->rows();
      note += run->note;
      for (const auto& fault : run->faults) tell(fault);
      if (with_.measure) note += what_ran(left, before);
      return;
    } catch (const chunk_loop::needs_cpu& e) {
      note += fmt::format("moved to the CPU: {}; ", e.reason);
      left.clear();
    } catch (const memory_error& e) {  // of the host, whose memory the devices' may be
      tell(fmt::format("host memory was short, so the stage moved from {} to the CPU ({})",
                       names(left), e.what()));
      left.clear();
    } catch (const device_error& e) {
      for (const auto& input : run->inputs)  // rows that were there are gone
        if (!input.host && e.what_failed == fault::lost) throw;
      std::erase_if(left, [&](const auto* d) { return d->about().name == e.device_name; });
      if (left.size() == run->devices.size()) left.clear();
      tell(fmt::format("{}: {}, so the stage moved to {} ({}){}{}", e.device_name,
                       consequence(e.what_failed), left.empty() ? "the CPU" : names(left), e.what(),
                       e.log.empty() ? "" : ":\n", e.log));
    }
  }
  run.reset();  // what it holds takes memory
  run_on_cpu(which);
  at(which).moved_to_cpu = true;
  note += "ran on the CPU";
}

void live_executor::run_on_cpu(plan::stage_index which) {
  start(which);
  auto& s = at(which);
  for (const auto& step : cpu_ops::phases_of(*plan_.stages[index(which)].node, false))
    run_step(which, [&] { step.run(*s.context); });
  count_rows(which);
  hand_over(which);
}

}  // namespace pappus::run
