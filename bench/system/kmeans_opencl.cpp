// Points go to the devices once, chunk by chunk: the first iteration's kernels overlap their
// upload, and the others find them there; a CPU's find them where they lie. A table of sums for
// each work-item comes back after an iteration; the host moves the centres.
#include "system/kmeans_opencl.h"

#include "system/device_texts.h"

namespace pappus::bench::kmeans {
namespace {

constexpr std::int64_t chunk_bytes = 8 << 20;

/// device/kmeans.cl's cluster.
template <int D>
struct sums {
  float sum[D];
  double inertia;
  std::int64_t count;
};

/// What one device needs for its share of the points.
template <int D>
struct worker {
  static constexpr std::int64_t chunk_rows =
      chunk_bytes / static_cast<std::int64_t>(sizeof(point<D>));
  opencl::device& on;
  std::span<const point<D>> share;
  bool resident;
  opencl::kernel add;
  std::vector<opencl::memory> chunks;
  std::vector<opencl::event> ready;
  std::vector<sums<D>> tables;
  opencl::memory device_tables, centers;

  worker(opencl::device& d, std::span<const point<D>> points, std::size_t k, const char* function,
         bool stays)
      : on(d),
        share(points),
        resident(stays),
        add(on.build(std::string(text_file("opencl/prelude.cl")) + text_for("device/kmeans.cl", D) +
                         text_for("opencl/kmeans.cl", D),
                     function)),
        tables(k * on.items()),
        device_tables(on.allocate(tables.size() * sizeof(sums<D>))),
        centers(on.allocate(k * sizeof(point<D>))) {
    for (std::int64_t first = 0; first < std::ssize(share); first += chunk_rows) {
      const auto part = rows_of(chunks.size());
      chunks.push_back(on.in_place() ? on.wrap(part.data(), part.size_bytes())
                                     : on.allocate(chunk_rows * sizeof(point<D>)));
    }
    ready.resize(chunks.size());
    if (resident) upload();
    on.finish();
  }

  void upload() {
    if (on.in_place()) return;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const auto part = rows_of(i);
      ready[i] = on.write(chunks[i], 0, part.data(), part.size_bytes());
    }
    on.flush();
  }

  void iterate(std::span<const point<D>> at) {
    const auto moved = on.write(centers, 0, at.data(), at.size_bytes());
    const auto k = static_cast<std::int32_t>(at.size());
    opencl::event last;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::int32_t begins = i == 0;
      last = on.launch(add, on.items(), {ready[i], moved}, chunks[i], std::ssize(rows_of(i)),
                       centers, k, begins, device_tables);
      on.flush();
    }
    on.read(device_tables, 0, tables.data(), tables.size() * sizeof(sums<D>), {last});
    on.finish();
    for (auto& event : ready) event = nullptr;
  }

 private:
  std::span<const point<D>> rows_of(std::size_t chunk) const {
    const std::size_t first = chunk * static_cast<std::size_t>(chunk_rows);
    return share.subspan(first,
                         std::min(static_cast<std::size_t>(chunk_rows), share.size() - first));
  }
};

template <int D>
result<D> run(opencl::crew<worker<D>>& crew, std::span<const point<D>> points, std::size_t k) {
  result<D> state{{points.begin(), points.begin() + static_cast<std::ptrdiff_t>(k)}, 0};
  crew.run([](worker<D>& w, std::size_t) {
    if (!w.resident) w.upload();
  });
  for (int iteration = 0; iteration < iterations; ++iteration) {
    crew.run([&](worker<D>& w, std::size_t) { w.iterate(state.centers); });
    state.inertia = 0;
    for (std::size_t c = 0; c < k; ++c) {
      double total[D] = {};
      std::int64_t count = 0;
      for (const auto& w : crew.workers())
        for (std::size_t i = c; i < w->tables.size(); i += k) {
          const sums<D>& part = w->tables[i];
          for (int d = 0; d < D; ++d) total[d] += part.sum[d];
          count += part.count;
          state.inertia += part.inertia;
        }
      for (int d = 0; d < D && count > 0; ++d)
        state.centers[c].x[static_cast<std::size_t>(d)] =
            static_cast<float>(total[d] / static_cast<double>(count));
    }
  }
  return state;
}

}  // namespace

std::string text_for(std::string_view path, int dimensions) {
  std::string text(text_file(path));
  const std::string number = std::to_string(dimensions);
  for (auto at = text.find("_D"); at != text.npos; at = text.find("_D", at + 1))
    text.replace(at + 1, 1, number);
  return "#define D " + number + "\n" + text;
}

template <int D>
void add_opencl(const stage& on, std::span<const point<D>> points, int k,
                std::vector<version>& to) {
  if (!opencl::are_processors(on.opencl)) return;
  const std::size_t centers = std::min(points.size(), static_cast<std::size_t>(k));
  for (const auto& [name, function] :
       {std::pair{opencl_version, "add_rows"}, std::pair{opencl_cpu_version, "add_tiles"}}) {
    const auto make = [&, function = function](opencl::device& d, std::int64_t first,
                                               std::int64_t rows) {
      return std::make_unique<worker<D>>(
          d, points.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          centers, function, on.asked.resident);
    };
    auto crew = std::make_shared<opencl::crew<worker<D>>>(on.opencl, std::ssize(points),
                                                          worker<D>::chunk_rows, make);
    auto last = std::make_shared<result<D>>();
    to.push_back({name, [=] { *last = run<D>(*crew, points, centers); },
                  [=] { return last->checksum(); }, opencl::names_of(on.opencl)});
  }
}

template void add_opencl<8>(const stage&, std::span<const point<8>>, int, std::vector<version>&);
template void add_opencl<20>(const stage&, std::span<const point<20>>, int, std::vector<version>&);
template void add_opencl<40>(const stage&, std::span<const point<40>>, int, std::vector<version>&);

}  // namespace pappus::bench::kmeans
