#include "system/vmscope_means.h"

namespace pappus::bench::vmscope {
namespace {

auto adding_to_blocks(const idx<2>& low) {
  return [low](idx<2> p, reads<pixel, 2> slide, reduces<mean_pixel, 2> view) {
    view[(p - low) / factor].accumulate(slide[p]);
  };
}

}  // namespace

std::vector<pixel> average(session& s, const array<pixel, 2>& slide, const box<2>& window) {
  const auto view = s.zeros<mean_pixel, 2>(window.shape() / factor);
  s.for_each(window, adding_to_blocks(window.low), slide, view);
  return view.to_vector();
}

std::vector<pixel> average_told(session& s, const array<pixel, 2>& slide, const box<2>& window) {
  const auto view = s.zeros<mean_pixel, 2>(window.shape() / factor);
  s.for_each(window,
             annotated(adding_to_blocks(window.low),
                       "slide, view: global [i, j] => "
                       "read slide[i, j], reduce view[(i - top) / k, (j - left) / k]",
                       {{"top", window.low[0]}, {"left", window.low[1]}, {"k", factor}}),
             slide, view);
  return view.to_vector();
}

std::string checksum(const std::vector<pixel>& view) {
  return checksum({reinterpret_cast<const colour*>(view.data()), view.size() * colours});
}

}  // namespace pappus::bench::vmscope
