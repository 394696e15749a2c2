// Reductions hand-written in OpenCL: each work-item has a total, to which it adds chunk after
// chunk; the host adds the totals at the end.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "system/device_texts.h"
#include "system/suite.h"

namespace pappus::bench::opencl {

/// Kernels (rows of a chunk, their number, whether it is the first one, the work-items' totals).
struct totals_kernels {
  const char* text;                ///< "opencl/sum.cl"
  const char *of_rows, *of_lanes;  ///< for opencl_version and opencl_cpu_version
  std::int64_t chunk_rows;
};

/// What one device needs for its share of the rows.
/// \tparam Total  adds others by +=; laid out as in the kernels' text.
template <typename Row, typename Total>
class totals_worker {
 public:
  totals_worker(device& on, std::span<const Row> share, const totals_kernels& with,
                const char* function, bool resident)
      : on_(on),
        rows_(on, share.data(), sizeof(Row), std::ssize(share),
              on.chunk_rows(with.chunk_rows, sizeof(Row)), resident),
        add_(on.build(text_file(with.text), function)),
        parts_(on.items()),
        totals_(on.allocate(bytes())) {}

  Total run() {
    for (std::int64_t i = 0; i < rows_.chunks(); ++i) {
      const auto chunk = rows_.upload(i);
      const std::int32_t begins = i == 0;
      rows_.used(i, on_.launch(add_, on_.items(), {chunk.ready}, *chunk.data, chunk.rows, begins,
                               totals_));
      on_.flush();
    }
    on_.finish();
    on_.read(totals_, 0, parts_.data(), bytes());
    on_.finish();
    Total total{};
    for (const Total& part : parts_) total += part;
    return total;
  }

 private:
  std::size_t bytes() const { return parts_.size() * sizeof(Total); }

  device& on_;
  streamed_input rows_;
  kernel add_;
  std::vector<Total> parts_;
  memory totals_;
};

/// Adds the two versions, which share the rows among all devices. `checksum` is of the total.
template <typename Total, typename Row, typename Checksum>
void add_totals(const stage& on, std::span<const Row> rows, const totals_kernels& with,
                Checksum checksum, std::vector<version>& to) {
  if (!are_processors(on.opencl)) return;
  using worker = totals_worker<Row, Total>;
  for (const auto& [name, function] :
       {std::pair{opencl_version, with.of_rows}, std::pair{opencl_cpu_version, with.of_lanes}}) {
    const auto make = [&, function = function](device& d, std::int64_t first, std::int64_t n) {
      const auto share = rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
      return std::make_unique<worker>(d, share, with, function, on.asked.resident);
    };
    auto all = std::make_shared<crew<worker>>(on.opencl, std::ssize(rows), with.chunk_rows, make);
    auto last = std::make_shared<Total>();
    to.push_back({name,
                  [=] {
                    std::vector<Total> totals(all->workers().size());
                    all->run([&](worker& w, std::size_t i) { totals[i] = w.run(); });
                    *last = {};
                    for (const Total& part : totals) *last += part;
                  },
                  [=] { return checksum(*last); }, names_of(on.opencl)});
  }
}

}  // namespace pappus::bench::opencl
