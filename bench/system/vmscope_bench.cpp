// pappus reads the file of rows, as handwritten does. hand, tiles: the same of the file of tiles,
// of which an array of four dimensions is made for "pappus, tiles": indices in border tiles that
// aren't viewed add nothing. told and blocks: with what the function touches written down, which
// compilers without the plugin don't find; of blocks an index is one.
//
// Another file of the same slide is another version: by_pappus() takes what opens it. Compressed
// ones are benchmarks of their own: vmscope_packed_bench.cpp.
#include "system/vmscope.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "system/cold.h"
#include "system/suite.h"
#include "system/triad.h"
#include "system/vmscope_means.h"

namespace pappus::bench {
namespace {

using vmscope::average, vmscope::average_told, vmscope::colour, vmscope::factor;
using vmscope::mean_pixel, vmscope::pixel, vmscope::tile, vmscope::window_of;

/// An index is a pixel of the view, and its function has a loop over the block.
std::vector<pixel> average_blocks(session& s, const array<pixel, 2>& slide, const box<2>& window) {
  constexpr auto last = factor - 1;
  const auto view = s.zeros<pixel, 2>(window.shape() / factor);
  const auto [i, j] = launch_index<2>();
  const auto row = factor * i + window.low[0], column = factor * j + window.low[1];
  s.for_each(
      view.extents(),
      [low = window.low](idx<2> p, reads<pixel, 2> slide, writes<pixel, 2> view) {
        mean_pixel mean;
        for (std::int64_t y = 0; y < factor; ++y)
          for (std::int64_t x = 0; x < factor; ++x)
            mean.accumulate(slide[low + p * factor + idx<2>(y, x)]);
        view[p] = mean.finalize();
      },
      slide.at(touched_slice(row, row + last), touched_slice(column, column + last)),
      view.at(i, j));
  return view.to_vector();
}

std::vector<pixel> subsample(session& s, const array<pixel, 2>& slide, const box<2>& window) {
  const auto few = s.zeros<pixel, 2>(window.shape() / factor);
  s.for_each(
      few.extents(),
      [low = window.low](idx<2> p, reads<pixel, 2> slide, writes<pixel, 2> few) {
        few[p] = slide[low + p * factor];
      },
      slide, few);
  return few.to_vector();
}

std::vector<pixel> subsample_told(session& s, const array<pixel, 2>& slide, const box<2>& window) {
  const auto few = s.zeros<pixel, 2>(window.shape() / factor);
  const auto [i, j] = launch_index<2>();
  s.for_each(
      few.extents(),
      [low = window.low](idx<2> p, reads<pixel, 2> slide, writes<pixel, 2> few) {
        few[p] = slide[low + p * factor];
      },
      slide.at(factor * i + window.low[0], factor * j + window.low[1]), few.at(i, j));
  return few.to_vector();
}

/// Of an array of tiles.
std::vector<pixel> average_of_tiles(session& s, const array<pixel, 4>& slide,
                                    const box<2>& window) {
  const auto [low, high] = window;
  const auto view = s.zeros<mean_pixel, 2>(window.shape() / factor);
  const auto touched = box<4>{{low[0] / tile, low[1] / tile, 0, 0},
                              {(high[0] - 1) / tile + 1, (high[1] - 1) / tile + 1, tile, tile}};
  s.for_each(
      touched,
      [low = low, high = high](idx<4> p, reads<pixel, 4> slide, reduces<mean_pixel, 2> view) {
        const auto i = p[0] * tile + p[2], j = p[1] * tile + p[3];
        if (i >= low[0] && j >= low[1] && i < high[0] && j < high[1])
          view((i - low[0]) / factor, (j - low[1]) / factor).accumulate(slide[p]);
      },
      slide, view);
  return view.to_vector();
}

/// What the versions yield, and how they are timed.
class views {
 public:
  views(const stage& on, std::int64_t n)
      : on_(on),
        slide_(vmscope::make_vmscope(n, on.asked.seed, on.workers)),
        window_(window_of(slide_.of)) {}

  const vmscope::slide& slide() const { return slide_; }

  /// \param run  run(slide, view)
  version by_hand(std::string name, auto run) {
    auto& view =
        *colours_.emplace_back(std::make_unique<std::vector<colour>>(slide_.of.view_bytes()));
    return {std::move(name), [this, &view, run] { run(slide_, std::span(view)); },
            [&view] { return vmscope::checksum(view); }};
  }
  /// \param open  array of a session
  /// \param run   run(session, array, window)
  version by_pappus(std::string name, auto open, auto run) {
    auto& view = *pixels_.emplace_back(std::make_unique<std::vector<pixel>>());
    return {std::move(name),
            [this, &view, open, run] { view = run(on_.engine, open(on_.engine), window_); },
            [&view] { return vmscope::checksum(view); }};
  }
  auto open_rows() const {
    return [this](session& s) {
      return s.open<pixel, 2>(slide_.rows.path(), {slide_.of.height, slide_.of.width});
    };
  }
  auto open_tiles() const {
    return [this](session& s) {
      return s.open<pixel, 4>(slide_.tiles.path(),
                              {slide_.of.tiles_down(), slide_.of.tiles_across(), tile, tile});
    };
  }

  /// \param rows  of the square that have to be read
  std::vector<result> compare(const char* name, std::int64_t n, std::int64_t rows,
                              std::vector<version> versions) {
    const auto read = slide_.of.side * rows, view = slide_.of.view_side() * slide_.of.view_side();
    return compare_reading(on_, name, n, min_bytes::vmscope(read, view), std::move(versions),
                           {&slide_.rows, &slide_.tiles});
  }

 private:
  const stage& on_;
  vmscope::slide slide_;
  box<2> window_;
  std::vector<std::unique_ptr<std::vector<colour>>> colours_;
  std::vector<std::unique_ptr<std::vector<pixel>>> pixels_;
};

}  // namespace

std::vector<result> run_vmscope_average(const stage& on, std::int64_t n) {
  views all(on, n);
  const auto in_turn = [&](const auto& from, auto to) {
    vmscope::average_rows(from, to, on.workers);
  };
  const auto in_tiles = [&](const auto& from, auto to) {
    vmscope::average_tiles(from, to, on.workers);
  };
  return all.compare(
      "vmscope_average", n, all.slide().of.side,
      {all.by_hand("sequential", vmscope::average_sequential), all.by_hand("handwritten", in_turn),
       all.by_hand("hand, tiles", in_tiles), all.by_pappus("pappus", all.open_rows(), average),
       all.by_pappus("pappus, told", all.open_rows(), average_told),
       all.by_pappus("pappus, blocks", all.open_rows(), average_blocks),
       all.by_pappus("pappus, tiles", all.open_tiles(), average_of_tiles)});
}

std::vector<result> run_vmscope_subsample(const stage& on, std::int64_t n) {
  views all(on, n);
  const auto in_turn = [&](const auto& from, auto to) {
    vmscope::subsample_rows(from, to, on.workers);
  };
  const auto in_tiles = [&](bool whole) {
    return [&on, whole](const auto& from, auto to) {
      vmscope::subsample_tiles(from, to, whole, on.workers);
    };
  };
  return all.compare(
      "vmscope_subsample", n, all.slide().of.view_side(),
      {all.by_hand("sequential", vmscope::subsample_sequential),
       all.by_hand("handwritten", in_turn), all.by_hand("hand, tiles", in_tiles(false)),
       all.by_hand("hand, whole", in_tiles(true)),
       all.by_pappus("pappus", all.open_rows(), subsample),
       all.by_pappus("pappus, told", all.open_rows(), subsample_told)});
}

}  // namespace pappus::bench
