// Functions over arrays of two and three dimensions for random programs.
#pragma once

#include <vector>

#include "line_functions.h"
#include "reducing_functions.h"

namespace pappus::testing {

inline named_access same_grid_place(kind how, std::size_t argument, bool covers) {
  return {how, argument,
          [](const auto& p, const auto&) { return named({p[0], p[1]}, {p[0], p[1]}); }, covers};
}

inline std::vector<menu_entry> grids_to_grids() {
  const auto out = same_grid_place(kind::write, 1, true);
  std::vector<menu_entry> all;
  all.push_back(entry("map2", "in, out: global [i,j] => read in[i,j], write out[i,j]", 1,
                      {same_grid_place(kind::read, 0, false), out}, [](const numbers& c) {
                        return [c](idx<2> p, reads<number, 2> in, writes<number, 2> to) {
                          c.check(p);
                          put(to, p, 3 * get(in, p) + static_cast<number>(p[1]));
                        };
                      }));
  all.push_back(entry("update2", "a: global [i,j] => readwrite a[i,j]", 0,
                      {same_grid_place(kind::update, 0, false)}, [](const numbers& c) {
                        return [c](idx<2> p, updates<number, 2> a) {
                          c.check(p);
                          put(a, p, 3 * get(a, p) + static_cast<number>(p[0] + c.k));
                        };
                      }));
  all.push_back(entry("stencil2",
                      "in, out: global [i,j] => read in[i-k:i+k,j-1:j+1], write out[i,j]", 1,
                      {{kind::read, 0,
                        [](const auto& p, const auto& c) {
                          return named({p[0] - c.k, p[1] - 1}, {p[0] + c.k, p[1] + 1});
                        },
                        false},
                       out},
                      [](const numbers& c) {
                        return [c](idx<2> p, reads<number, 2> in, writes<number, 2> to) {
                          c.check(p);
                          number sum = 0;
                          for (auto i = p[0] - c.k; i <= p[0] + c.k; ++i)
                            for (auto j = p[1] - 1; j <= p[1] + 1; ++j)
                              sum = 3 * sum + get(in, idx<2>(i, j));
                          put(to, p, sum);
                        };
                      }));
  all.push_back(entry(
      "clamped2", "in, out: global [i,j] => read in[i-1:i+1,j], write out[i,j]", 1,
      {{kind::read, 0,
        [](const auto& p, const auto&) { return named({p[0] - 1, p[1]}, {p[0] + 1, p[1]}); }, false,
        [](const auto& all, const auto& c) {
          return named({std::max<std::int64_t>(all.low[0] - 1, 0), all.low[1]},
                       {std::min<std::int64_t>(all.high[0], c.n - 1), all.high[1] - 1});
        }},
       out},
      [](const numbers& c) {
        return [c](idx<2> p, reads<number, 2> in, writes<number, 2> to) {
          c.check(p);
          number sum = 0;
          for (auto i = std::max<std::int64_t>(p[0] - 1, 0);
               i <= std::min<std::int64_t>(p[0] + 1, c.n - 1); ++i)
            sum = 3 * sum + get(in, idx<2>(i, p[1]));
          put(to, p, sum);
        };
      }));
  all.push_back(
      entry("transposed", "in, out: global [i,j] => read in[j,i], write out[i,j]", 1,
            {{kind::read, 0,
              [](const auto& p, const auto&) { return named({p[1], p[0]}, {p[1], p[0]}); }, false},
             out},
            [](const numbers& c) {
              return [c](idx<2> p, reads<number, 2> in, writes<number, 2> to) {
                c.check(p);
                put(to, p, get(in, idx<2>(p[1], p[0])) + 1);
              };
            }));
  all.push_back(
      entry("to_transposed", "in, out: global [i,j] => read in[i,j], write out[j,i]", 0,
            {same_grid_place(kind::read, 0, false),
             {kind::write, 1,
              [](const auto& p, const auto&) { return named({p[1], p[0]}, {p[1], p[0]}); }, true}},
            [](const numbers& c) {
              return [c](idx<2> p, reads<number, 2> in, writes<number, 2> to) {
                c.check(p);
                put(to, idx<2>(p[1], p[0]), get(in, p) + 2);
              };
            }));
  return all;
}

/// Between arrays of different ranks.
inline std::vector<menu_entry> grids_and_lines() {
  std::vector<menu_entry> all;
  all.push_back(
      entry("row_sums", "in, out: global i => read in[i,:], write out[i]", 1,
            {{kind::read, 0,
              [](const auto& i, const auto&) { return named({i[0], 0}, {i[0], 1 << 20}); }, false},
             same_place(kind::write, 1, true)},
            [](const numbers& c) {
              return [c](idx<1> i, reads<number, 2> in, writes<number> to) {
                c.check(i);
                number sum = 0;
                for (std::int64_t j = 0; j < in.extent(1); ++j) sum += get(in, idx<2>(i, j));
                put(to, i, sum);
              };
            }));
  all.push_back(entry(
      "outer", "a, b, out: global [i,j] => read a[i], read b[j], write out[i,j]", 2,
      {{kind::read, 0, [](const auto& p, const auto&) { return named({p[0]}, {p[0]}); }, false},
       {kind::read, 1, [](const auto& p, const auto&) { return named({p[1]}, {p[1]}); }, false},
       same_grid_place(kind::write, 2, true)},
      [](const numbers& c) {
        return [c](idx<2> p, reads<number> a, reads<number> b, writes<number, 2> to) {
          c.check(p);
          put(to, p, get(a, idx<1>(p[0])) * 3 + get(b, idx<1>(p[1])));
        };
      }));
  all.push_back(
      entry("product", "a, b, out: global [i,j] => read a[i,:], read b[:,j], write out[i,j]", 2,
            {{kind::read, 0,
              [](const auto& p, const auto&) { return named({p[0], 0}, {p[0], 1 << 20}); }, false},
             {kind::read, 1,
              [](const auto& p, const auto&) { return named({0, p[1]}, {1 << 20, p[1]}); }, false},
             same_grid_place(kind::write, 2, true)},
            [](const numbers& c) {
              return [c](idx<2> p, reads<number, 2> a, reads<number, 2> b, writes<number, 2> to) {
                c.check(p);
                number sum = 0;
                for (std::int64_t k = 0; k < a.extent(1); ++k)
                  sum += get(a, idx<2>(p[0], k)) * get(b, idx<2>(k, p[1]));
                put(to, p, sum);
              };
            }));
  all.push_back(
      entry("column", "in, out: global i => read in[i], write out[i,k]", 0,
            {same_place(kind::read, 0, false),
             {kind::write, 1,
              [](const auto& i, const auto& c) { return named({i[0], c.k}, {i[0], c.k}); }, true}},
            [](const numbers& c) {
              return [c](idx<1> i, reads<number> in, writes<number, 2> to) {
                c.check(i);
                put(to, idx<2>(i, c.k), get(in, i) + 3);
              };
            }));
  return all;
}

inline std::vector<menu_entry> cubes() {
  const auto same = [](const regions::point& p, const numbers&) {
    return named({p[0], p[1], p[2]}, {p[0], p[1], p[2]});
  };
  std::vector<menu_entry> all;
  all.push_back(entry("update3", "a: global [i,j,l] => readwrite a[i,j,l]", 0,
                      {{kind::update, 0, same, false}}, [](const numbers& c) {
                        return [c](idx<3> p, updates<number, 3> a) {
                          c.check(p);
                          put(a, p, 3 * get(a, p) + static_cast<number>(p[2] + c.k));
                        };
                      }));
  all.push_back(entry("stencil3",
                      "in, out: global [i,j,l] => read in[i-1:i+1,j,l-k:l], write out[i,j,l]", 1,
                      {{kind::read, 0,
                        [](const auto& p, const auto& c) {
                          return named({p[0] - 1, p[1], p[2] - c.k}, {p[0] + 1, p[1], p[2]});
                        },
                        false},
                       {kind::write, 1, same, true}},
                      [](const numbers& c) {
                        return [c](idx<3> p, reads<number, 3> in, writes<number, 3> to) {
                          c.check(p);
                          number sum = 0;
                          for (auto i = p[0] - 1; i <= p[0] + 1; ++i)
                            for (auto l = p[2] - c.k; l <= p[2]; ++l)
                              sum = 3 * sum + get(in, idx<3>(i, p[1], l));
                          put(to, p, sum);
                        };
                      }));
  all.push_back(entry(
      "flatten", "in, out: global [i,j] => read in[j,:,i], write out[i,j]", 1,
      {{kind::read, 0,
        [](const auto& p, const auto&) { return named({p[1], 0, p[0]}, {p[1], 1 << 20, p[0]}); },
        false},
       same_grid_place(kind::write, 1, true)},
      [](const numbers& c) {
        return [c](idx<2> p, reads<number, 3> in, writes<number, 2> to) {
          c.check(p);
          number sum = 0;
          for (std::int64_t k = 0; k < in.extent(1); ++k)
            sum = 3 * sum + get(in, idx<3>(p[1], k, p[0]));
          put(to, p, sum);
        };
      }));
  return all;
}

inline const std::vector<menu_entry>& menu() {
  static const auto entries = [] {
    std::vector<menu_entry> all;
    for (auto* part :
         {&reading_lines, &reading_far_lines, &clamping_lines, &writing_lines, &grids_to_grids,
          &grids_and_lines, &cubes, &reducing_lines, &reducing_grids, &reducing_cubes})
      for (auto& one : (*part)()) all.push_back(std::move(one));
    return all;
  }();
  return entries;
}

}  // namespace pappus::testing
