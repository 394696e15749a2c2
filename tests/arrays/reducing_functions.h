// Functions that reduce, for random programs. Their arrays are small, but many of them have indices
// enough for several leaves.
#pragma once

#include <vector>

#include "line_functions.h"

namespace pappus::testing {

/// Nothing outside of the array.
template <std::size_t N, typename View>
void combine(const View& to, const idx<N>& at, number value) {
  if (is_inside(to, at)) to[at].accumulate(value);
}

/// An access of an element for each index.
template <typename Place>
named_access one_place(kind how, std::size_t argument, Place place) {
  return {how, argument,
          [place](const auto& p, const auto& c) {
            const auto at = place(p, c);
            regions::box result(at.size());
            for (std::size_t d = 0; d < at.size(); ++d)
              result.high[d] = (result.low[d] = at[d]) + 1;
            return result;
          },
          false};
}

inline std::vector<menu_entry> reducing_lines() {
  std::vector<menu_entry> all;
  all.push_back(entry("histogram", "in, h: global i => read in[i], reduce h", 0,
                      {same_place(kind::read, 0, false), {kind::reduce, 1, nullptr, false}},
                      [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, reduces<number> h) {
                          c.check(i);
                          combine(h, idx<1>(get(in, i) % std::max<std::int64_t>(h.extent(0), 1)),
                                  static_cast<number>(c.k));
                        };
                      }));
  all.push_back(entry(
      "reduced_total", "in, to: global i => read in[i], reduce(+) to[k]", 0,
      {same_place(kind::read, 0, false),
       one_place(kind::reduce, 1, [](const auto&, const auto& c) { return std::array{c.k}; })},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, reduces<number> to) {
          c.check(i);
          combine(to, idx<1>(c.k), get(in, i));
        };
      }));
  all.push_back(
      entry("least", "in, low: global i => read in[i], reduce(min) low[0], reduce low[2*i+k]", 0,
            {same_place(kind::read, 0, false),
             one_place(kind::reduce, 1, [](const auto&, const auto&) { return std::array{0L}; }),
             one_place(kind::reduce, 1,
                       [](const auto& i, const auto& c) { return std::array{2 * i[0] + c.k}; })},
            [](const numbers& c) {
              return [c](idx<1> i, reads<number> in, reduces<smallest<number>> low) {
                c.check(i);
                combine(low, idx<1>(0), get(in, i));
                combine(low, idx<1>(2 * i + c.k), 2 * get(in, i));
              };
            }));
  return all;
}

inline std::vector<menu_entry> reducing_grids() {
  const auto from =
      one_place(kind::read, 0, [](const auto& p, const auto&) { return std::array{p[0], p[1]}; });
  std::vector<menu_entry> all;
  all.push_back(entry(
      "reduced_rows", "in, to: global [i,j] => read in[i,j], reduce to[i]", 0,
      {from,
       one_place(kind::reduce, 1, [](const auto& p, const auto&) { return std::array{p[0]}; })},
      [](const numbers& c) {
        return [c](idx<2> p, reads<number, 2> in, reduces<number> to) {
          c.check(p);
          combine(to, idx<1>(p[0]), get(in, p));
        };
      }));
  all.push_back(entry(
      "reduced_columns", "in, to: global [i,j] => read in[i,j], reduce to[j-k+1]", 0,
      {from, one_place(kind::reduce, 1,
                       [](const auto& p, const auto& c) { return std::array{p[1] - c.k + 1}; })},
      [](const numbers& c) {
        return [c](idx<2> p, reads<number, 2> in, reduces<number> to) {
          c.check(p);
          combine(to, idx<1>(p[1] - c.k + 1), get(in, p));
        };
      }));
  all.push_back(entry(
      "neighbours", "in, to: global [i,j] => read in[i,j], reduce to[i,j], reduce to[j,i+k]", 0,
      {from,
       one_place(kind::reduce, 1,
                 [](const auto& p, const auto&) { return std::array{p[0], p[1]}; }),
       one_place(kind::reduce, 1,
                 [](const auto& p, const auto& c) { return std::array{p[1], p[0] + c.k}; })},
      [](const numbers& c) {
        return [c](idx<2> p, reads<number, 2> in, reduces<number, 2> to) {
          c.check(p);
          combine(to, p, get(in, p));
          combine(to, idx<2>(p[1], p[0] + c.k), 3 * get(in, p));
        };
      }));
  all.push_back(entry("shrunk", "in, to: global [i,j] => read in[i,j], reduce to[i/(4*k),j/(4*k)]",
                      0,
                      {from, one_place(kind::reduce, 1,
                                       [](const auto& p, const auto& c) {
                                         return std::array{p[0] / (4 * c.k), p[1] / (4 * c.k)};
                                       })},
                      [](const numbers& c) {
                        return [c](idx<2> p, reads<number, 2> in, reduces<number, 2> to) {
                          c.check(p);
                          combine(to, p / (4 * c.k), get(in, p));
                        };
                      }));
  return all;
}

inline std::vector<menu_entry> reducing_cubes() {
  const auto from = one_place(
      kind::read, 0, [](const auto& p, const auto&) { return std::array{p[0], p[1], p[2]}; });
  std::vector<menu_entry> all;
  all.push_back(
      entry("reduced_planes", "in, to: global [x,y,z] => read in[x,y,z], reduce to[x,z]", 0,
            {from, one_place(kind::reduce, 1,
                             [](const auto& p, const auto&) { return std::array{p[0], p[2]}; })},
            [](const numbers& c) {
              return [c](idx<3> p, reads<number, 3> in, reduces<number, 2> to) {
                c.check(p);
                combine(to, idx<2>(p[0], p[2]), get(in, p));
              };
            }));
  all.push_back(entry(
      "several", "in, a, b: global [x,y,z] => read in[x,y,z], reduce a[y], reduce(max) b[x,k]", 0,
      {from,
       one_place(kind::reduce, 1, [](const auto& p, const auto&) { return std::array{p[1]}; }),
       one_place(kind::reduce, 2,
                 [](const auto& p, const auto& c) { return std::array{p[0], c.k}; })},
      [](const numbers& c) {
        return
            [c](idx<3> p, reads<number, 3> in, reduces<number> a, reduces<largest<number>, 2> b) {
              c.check(p);
              combine(a, idx<1>(p[1]), get(in, p));
              combine(b, idx<2>(p[0], c.k), get(in, p));
            };
      }));
  return all;
}

}  // namespace pappus::testing
