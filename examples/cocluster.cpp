// Co-clustering: which rows and which columns of a matrix belong together.
//
//   cocluster
//
// A film club's ratings hide two groups of viewers and two of films. One launch sums them by
// viewer, by film and by the blocks of a guessed grouping; then each viewer joins the group whose
// mean ratings are nearest, each film, too, until nobody moves. Shows three reductions of different
// shapes in one launch, and reducers as an array's elements.
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::updates;
using mean = pappus::reducers::mean<float>;

constexpr int groups = 2;

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long viewers = 600, films = 400;
  auto rating = s.unwritten<float, 2>({viewers, films});
  s.for_each(
      rating.extents(),
      [](idx<2> p, pappus::writes<float, 2> rating) {
        const bool agree = (p[0] % 3 == 0) == (p[1] % 4 == 0);
        rating[p] = (agree ? 4 : 2) + static_cast<float>((p[0] * 37 + p[1] * 53) % 11) / 10;
      },
      rating);
  auto viewer_group = s.zeros<int>({viewers}), film_group = s.zeros<int>({films});
  for (long i = 0; i < viewers; ++i) viewer_group.host_write()[i] = i < 20 && i % 3 == 0;
  for (long j = 0; j < films; ++j) film_group.host_write()[j] = j < 200 && j % 4 == 0;

  auto moved = s.zeros<int>({1});
  auto block = s.zeros<mean, 2>({groups, groups});
  do {
    // Means of viewers by groups of films, of films by groups of viewers, and of blocks.
    auto of_viewer = s.filled<mean, 2>({viewers, groups}, {});
    auto of_film = s.filled<mean, 2>({films, groups}, {});
    block.fill({});
    s.for_each(
        rating.extents(),
        [](idx<2> p, reads<float, 2> rating, reads<int> viewer_group, reads<int> film_group,
           reduces<mean, 2> of_viewer, reduces<mean, 2> of_film, reduces<mean, 2> block) {
          const int a = viewer_group[p[0]], b = film_group[p[1]];
          of_viewer(p[0], b).accumulate(rating[p]);
          of_film(p[1], a).accumulate(rating[p]);
          block(a, b).accumulate(rating[p]);
        },
        rating, viewer_group, film_group, of_viewer, of_film, block);

    moved.fill(0);
    const auto join_nearest = [&](const auto& own, const auto& group, bool by_rows) {
      s.for_each(
          group.extent(0),
          [by_rows](idx<1> i, reads<mean, 2> own, reads<mean, 2> block, updates<int> group,
                    reduces<int> moved) {
            int best = 0;
            double least = 1e9;
            for (int g = 0; g < groups; ++g) {
              double far = 0;
              for (int other = 0; other < groups; ++other) {
                const mean& theirs = by_rows ? block(g, other) : block(other, g);
                const double apart = own(i, other).finalize() - theirs.finalize();
                far += apart * apart;
              }
              if (far < least) least = far, best = g;
            }
            if (best != group[i]) moved[0] += 1;
            group[i] = best;
          },
          own, block, group, moved);
    };
    join_nearest(of_viewer, viewer_group, true);
    join_nearest(of_film, film_group, false);
  } while (moved.host()[0] > 0);

  std::cout << std::fixed << std::setprecision(2);
  for (int a = 0; a < groups; ++a)
    for (int b = 0; b < groups; ++b)
      std::cout << block.host()(a, b).finalize() << (b + 1 < groups ? " " : "\n");
  std::cout << viewer_group.rows().sum() << " viewers and " << film_group.rows().sum()
            << " films belong together\n";
}
