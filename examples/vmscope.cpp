// A virtual microscope: a part of a slide, smaller, of a file that needn't fit in memory.
//
//   vmscope [SLIDE]
//
// A pixel of the view is the mean of 8 x 8 of the slide's, or one of them. Without SLIDE, a file of
// 2400 x 2800 pixels or more (.npy, .zarr), makes slide.zarr. Of chunks that aren't in view nothing
// is read. Shows open and write, a reducer of yours that is finalised.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>

#include <pappus/pappus.h>

using pappus::box;
using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::writes;

struct pixel {
  std::uint8_t red, green, blue;
};

struct mean_pixel {
  static constexpr bool commutative = true;
  std::uint32_t red = 0, green = 0, blue = 0, n = 0;
  void accumulate(const pixel& p) { red += p.red, green += p.green, blue += p.blue, ++n; }
  void merge(const mean_pixel& o) { red += o.red, green += o.green, blue += o.blue, n += o.n; }
  pixel finalize() const {
    const auto mean = [this](std::uint32_t sum) {
      return static_cast<std::uint8_t>((sum + n / 2) / n);
    };
    return {mean(red), mean(green), mean(blue)};
  }
};

/// Stained tissue: in each square of 128 x 128 a cell, somewhere, and its nucleus.
pixel seen_at(long y, long x) {
  const long row = y / 128, across = x + row % 2 * 64;
  const long kind = (row * 73 + across / 128 * 151) * (row * 73 + across / 128 * 151) % 251;
  const long dy = y % 128 - 48 - kind % 33, dx = across % 128 - 48 - kind * 7 % 33;
  const long away = dy * dy + dx * dx + dy * dx * (kind % 3 - 1) / 2;
  const long stain = (y + x / 2) / 80 + std::clamp(400 + kind * 6 - away, 0L, 300L) / 6 +
                     std::clamp(80 + kind - away, 0L, 70L) + (y * 13 + x * 7 + y * x) % 11;
  return {static_cast<std::uint8_t>(245 - stain), static_cast<std::uint8_t>(240 - stain * 5 / 4),
          static_cast<std::uint8_t>(245 - stain / 2)};
}

void make_slide(pappus::session& s, const std::string& path) {
  const auto slide = s.unwritten<pixel, 2>({2600, 3000});
  s.for_each(
      slide.extents(), [](idx<2> p, writes<pixel, 2> to) { to[p] = seen_at(p[0], p[1]); }, slide);
  slide.write(path, {.chunk = {256, 256}, .codec = "none"});
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const std::string path = argc > 1 ? argv[1] : "slide.zarr";
  if (argc < 2) make_slide(s, path);

  const auto slide = s.open<pixel, 2>(path);
  const box<2> window{{800, 1200}, {2400, 2800}};

  const auto average = s.zeros<mean_pixel, 2>(window.shape() / 8);
  s.for_each(
      window,
      [low = window.low](idx<2> p, reads<pixel, 2> slide, reduces<mean_pixel, 2> average) {
        average[(p - low) / 8].accumulate(slide[p]);
      },
      slide, average);
  average.write("average.npy");

  const auto sample = s.unwritten<pixel, 2>(window.shape() / 8);
  s.for_each(
      sample.extents(),
      [low = window.low](idx<2> p, reads<pixel, 2> slide, writes<pixel, 2> sample) {
        sample[p] = slide[low + p * 8];
      },
      slide, sample);

  const auto print = [](const char* what, const pappus::array<pixel, 2>& view) {
    const pixel corner = view.host()(199, 199);
    std::cout << what << " " << view.extent(0) << " x " << view.extent(1) << ", red in all "
              << view.rows().map([](const pixel& p) { return std::int64_t{p.red}; }).sum()
              << ", the corner " << int{corner.red} << " " << int{corner.green} << " "
              << int{corner.blue} << "\n";
  };
  print("means", s.open<pixel, 2>("average.npy"));
  print("samples", sample);
}
