// Functions over arrays of one dimension for random programs.
#pragma once

#include <vector>

#include "menu.h"

namespace pappus::testing {

using kind = named_access::kind;

inline named_access same_place(kind how, std::size_t argument, bool covers) {
  return {how, argument, [](const auto& i, const auto&) { return named({i[0]}, {i[0]}); }, covers};
}

/// Reads at other places than it writes.
inline std::vector<menu_entry> reading_lines() {
  const auto out = same_place(kind::write, 1, true);
  std::vector<menu_entry> all;
  all.push_back(entry("map", "in, out: global i => read in[i], write out[i]", 1,
                      {same_place(kind::read, 0, false), out}, [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, writes<number> to) {
                          c.check(i);
                          put(to, i, 3 * get(in, i) + static_cast<number>(c.k));
                        };
                      }));
  all.push_back(entry(
      "stencil", "in, out: global i => read in[i-k:i+k], write out[i]", 1,
      {{kind::read, 0,
        [](const auto& i, const auto& c) { return named({i[0] - c.k}, {i[0] + c.k}); }, false},
       out},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          number sum = 0;
          for (auto j = i - c.k; j <= i + c.k; ++j) sum = 5 * sum + get(in, idx<1>(j));
          put(to, i, sum);
        };
      }));
  all.push_back(entry(
      "shifted", "in, out: global i => read in[i+k-2], write out[i]", 1,
      {{kind::read, 0,
        [](const auto& i, const auto& c) { return named({i[0] + c.k - 2}, {i[0] + c.k - 2}); },
        false},
       out},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, i, get(in, idx<1>(i + c.k - 2)) + 1);
        };
      }));
  return all;
}

/// Reads along the whole array.
inline std::vector<menu_entry> reading_far_lines() {
  const auto out = same_place(kind::write, 1, true);
  std::vector<menu_entry> all;
  all.push_back(entry(
      "reversed", "in, out: global i => read in[n-1-i], write out[i]", 1,
      {{kind::read, 0,
        [](const auto& i, const auto& c) { return named({c.n - 1 - i[0]}, {c.n - 1 - i[0]}); },
        false},
       out},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, i, 2 * get(in, idx<1>(c.n - 1 - i)));
        };
      }));
  all.push_back(entry(
      "strided", "in, out: global i => read in[2*i+k], write out[i]", 1,
      {{kind::read, 0,
        [](const auto& i, const auto& c) { return named({2 * i[0] + c.k}, {2 * i[0] + c.k}); },
        false},
       out},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, i, get(in, idx<1>(2 * i + c.k)) + 7);
        };
      }));
  all.push_back(entry(
      "divided", "in, out: global i => read in[i/k], write out[i]", 1,
      {{kind::read, 0,
        [](const auto& i, const auto& c) { return named({i[0] / c.k}, {i[0] / c.k}); }, false},
       out},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, i, get(in, idx<1>(i / c.k)) + static_cast<number>(i));
        };
      }));
  // As far as intervals tell remainders: all of them, where the quotients differ.
  const auto wrapped = [](const auto& all, const auto& c) {
    const auto first = 7 * all.low[0] + c.k, last = 7 * (all.high[0] - 1) + c.k, by = c.n + 1;
    if (first / by == last / by) return named({first % by}, {last % by});
    return named({first < 0 ? -c.n : 0}, {last > 0 ? c.n : 0});
  };
  all.push_back(entry("whole", "in, out: global i => read in, write out[i]", 1,
                      {{kind::read, 0, nullptr, false, wrapped}, out}, [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, writes<number> to) {
                          c.check(i);
                          put(to, i, get(in, idx<1>((7 * i + c.k) % (c.n + 1))));
                        };
                      }));
  all.push_back(
      entry("both", "a, b, out: global i => read a[i], read b[i+1], write out[i]", 2,
            {same_place(kind::read, 0, false),
             {kind::read, 1,
              [](const auto& i, const auto&) { return named({i[0] + 1}, {i[0] + 1}); }, false},
             same_place(kind::write, 2, true)},
            [](const numbers& c) {
              return [c](idx<1> i, reads<number> a, reads<number> b, writes<number> to) {
                c.check(i);
                put(to, i, get(a, i) ^ (9 * get(b, idx<1>(i + 1))));
              };
            }));
  return all;
}

inline std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t greatest(std::int64_t a, std::int64_t b) { return a < b ? b : a; }

/// Of formulas that aren't linear in the index; but for quotients, annotations can't say them.
inline std::vector<menu_entry> clamping_lines() {
  const auto out = same_place(kind::write, 1, true);
  const auto reads_from = [](auto low, auto high) -> named_access {
    return {kind::read, 0, nullptr, false, [low, high](const auto& all, const auto& c) {
              return named({low(all.low[0], c)}, {high(all.high[0] - 1, c)});
            }};
  };
  const auto before = [](auto i, const auto& c) { return greatest(i - c.k, 0); };
  const auto behind = [](auto i, const auto& c) { return least(i + c.k, c.n - 1); };
  const auto half = [](const auto& i, const auto&) { return named({i[0] / 2}, {i[0] / 2}); };
  const auto half_of_next = [](const auto& i, const auto& c) {
    return named({(i[0] + c.k) / 2}, {(i[0] + c.k) / 2});
  };
  const auto raised = [](const auto& i, const auto& c) {
    return named({greatest(i[0], c.k)}, {greatest(i[0], c.k)});
  };
  std::vector<menu_entry> all;
  all.push_back(entry(
      "clamped", "in, out: global i => read in, write out[i]", 1,
      {reads_from(before, before), reads_from(behind, behind), out}, [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, i,
              get(in, idx<1>(greatest(i - c.k, 0))) + 3 * get(in, idx<1>(least(i + c.k, c.n - 1))));
        };
      }));
  all.push_back(entry("halved", "in, out: global i => read in[i/2], read in[(i+k)/2], write out[i]",
                      1, {{kind::read, 0, half, false}, {kind::read, 0, half_of_next, false}, out},
                      [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, writes<number> to) {
                          c.check(i);
                          put(to, i, get(in, idx<1>(i / 2)) + 3 * get(in, idx<1>((i + c.k) / 2)));
                        };
                      }));
  const auto block = [](const auto& i, const auto& c) {
    return named({c.k * i[0]}, {least(c.k * i[0] + c.k, c.n) - 1});
  };
  all.push_back(entry("blocks", "", 1,
                      {{kind::read, 0, block, false}, {kind::write, 1, block, true}},
                      [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, writes<number> to) {
                          c.check(i);
                          for (auto j = c.k * i; j < least(c.k * i + c.k, c.n); ++j)
                            put(to, idx<1>(j), 3 * get(in, idx<1>(j)) + static_cast<number>(i));
                        };
                      }));
  // Several indices write the element k, if there are some before it.
  all.push_back(entry("raised", "", 1,
                      {same_place(kind::read, 0, false), {kind::write, 1, raised, true}},
                      [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, writes<number> to) {
                          c.check(i);
                          put(to, idx<1>(greatest(i, c.k)), get(in, i) + 4);
                        };
                      }));
  all.back().apart = [](const auto& indices, const auto& c) { return indices.low[0] >= c.k; };
  return all;
}

/// Writes in place, at other places than it reads, or not everywhere.
inline std::vector<menu_entry> writing_lines() {
  std::vector<menu_entry> all;
  all.push_back(entry("update", "a: global i => readwrite a[i]", 0,
                      {same_place(kind::update, 0, false)}, [](const numbers& c) {
                        return [c](idx<1> i, updates<number> a) {
                          c.check(i);
                          put(a, i, 5 * get(a, i) + static_cast<number>(i + c.k));
                        };
                      }));
  all.push_back(
      entry("gather", "in, a: global i => read in[i-1:i+k], readwrite a[i]", 1,
            {{kind::read, 0,
              [](const auto& i, const auto& c) { return named({i[0] - 1}, {i[0] + c.k}); }, false},
             same_place(kind::update, 1, false)},
            [](const numbers& c) {
              return [c](idx<1> i, reads<number> in, updates<number> a) {
                c.check(i);
                for (auto j = i - 1; j <= i + c.k; ++j)
                  put(a, i, 3 * get(a, i) + get(in, idx<1>(j)));
              };
            }));
  all.push_back(entry(
      "spread", "in, out: global i => read in[i], write out[2*i+k]", 0,
      {same_place(kind::read, 0, false),
       {kind::write, 1,
        [](const auto& i, const auto& c) { return named({2 * i[0] + c.k}, {2 * i[0] + c.k}); },
        false}},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, idx<1>(2 * i + c.k), get(in, i) + 11);
        };
      }));
  all.push_back(entry(
      "pairs", "in, out: global i => read in[i], write out[2*i-k:2*i-k+1]", 0,
      {same_place(kind::read, 0, false),
       {kind::write, 1,
        [](const auto& i, const auto& c) { return named({2 * i[0] - c.k}, {2 * i[0] - c.k + 1}); },
        true}},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, idx<1>(2 * i - c.k), get(in, i) + 1);
          put(to, idx<1>(2 * i - c.k + 1), get(in, i) + 2);
        };
      }));
  all.push_back(entry(
      "backwards", "in, out: global i => read in[i], write out[n-1-i]", 0,
      {same_place(kind::read, 0, false),
       {kind::write, 1,
        [](const auto& i, const auto& c) { return named({c.n - 1 - i[0]}, {c.n - 1 - i[0]}); },
        true}},
      [](const numbers& c) {
        return [c](idx<1> i, reads<number> in, writes<number> to) {
          c.check(i);
          put(to, idx<1>(c.n - 1 - i), get(in, i) + 5);
        };
      }));
  all.push_back(entry("sometimes", "in, out: global i => read in[i], readwrite out[i]", 1,
                      {same_place(kind::read, 0, false), same_place(kind::update, 1, false)},
                      [](const numbers& c) {
                        return [c](idx<1> i, reads<number> in, writes<number> to) {
                          c.check(i);
                          if (i % 3 == c.k % 3) put(to, i, get(in, i));
                        };
                      }));
  all.push_back(entry("index", "out: global i => write out[i]", 0,
                      {same_place(kind::write, 0, true)}, [](const numbers& c) {
                        return [c](int i, writes<number> to) {
                          c.check(idx<1>(i));
                          put(to, idx<1>(i), static_cast<number>(1000 * c.k + i));
                        };
                      }));
  return all;
}

}  // namespace pappus::testing
