// Random queries over random files. Types are fixed when a query is compiled, so a pipeline is a
// chain of steps from rows to rows of one record; what is typed differently stays inside a step.
//
// A pipeline opens its files anew wherever it needs their rows again: a file that is shared in a
// query is read to memory, and there is a step for that alone (materialise).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "session/random_files.h"

namespace pappus::random_pipelines {

inline record mixed(const record& r, std::int64_t k) {
  auto made = r;
  made.key = (r.key * 31 + k) % 100'003;
  made.value = r.value * 0.75 + static_cast<double>(k);
  made.number ^= static_cast<std::int32_t>(k);
  return made;
}
inline bool kept(const record& r, int of_16) { return (r.number & 15) < of_16; }
inline std::vector<record> copies(const record& r, int most) {
  std::vector<record> all(
      static_cast<std::size_t>(r.number & 0xff) % static_cast<std::size_t>(most + 1), r);
  for (std::size_t j = 0; j < all.size(); ++j) all[j].rest[1] += static_cast<std::int64_t>(j);
  return all;
}
inline record shifted(const record& r, std::span<const record> few) {
  auto made = r;
  if (!few.empty()) made.key += few[static_cast<std::uint64_t>(r.key) % few.size()].key;
  return made;
}
inline record joint(const pair<record, record>& p) {
  auto made = p.first;
  made.value -= p.second.value;
  made.rest[4] = p.second.key;
  made.text = p.second.text;
  return made;
}
inline record numbered(const indexed<record>& r) {
  auto made = r.value;
  made.rest[3] += r.index;
  return made;
}
inline record of_key(std::int64_t key) {
  const auto number = static_cast<std::int32_t>(mixed_up(static_cast<std::uint64_t>(key)));
  return {word(key),     key,    static_cast<double>(key) * 0.125,
          number % 1000, number, {key, 1, 2, 3, 4}};
}
inline record of_double(double value) {
  auto made = of_key(value == value ? static_cast<std::int64_t>(value) : -1);
  made.value = value;
  return made;
}
inline record of_group(const keyed<std::int64_t, double>& g) {
  auto made = of_key(g.key);
  made.value = g.value;
  return made;
}
inline record of_count(const keyed<std::int64_t, std::int64_t>& g) {
  auto made = of_key(g.key);
  made.rest[4] = g.value;
  return made;
}
inline record matched(const record& a, const record& b) {
  auto made = a;
  made.value = a.value + 2 * b.value;
  made.text = b.text;
  made.rest[2] = b.rest[0];
  return made;
}
inline record with_right(const record& a, const record* b) { return b ? matched(a, *b) : a; }
inline record with_left(const record* a, const record& b) { return a ? matched(*a, b) : b; }
inline record either(const record* a, const record* b) {
  return a == nullptr ? *b : with_right(*a, b);
}
inline std::int64_t greater(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
inline std::int64_t low_key(const record& r) { return ((r.key % 64) + 64) % 64; }
inline pair<std::int64_t, std::int64_t> two_keys(const record& r) { return {r.group, r.key}; }
inline record median(std::int64_t key, std::span<const record> group) {
  auto made = group[group.size() / 2];
  made.rest[4] = key + static_cast<std::int64_t>(group.size());
  return made;
}

/// Tells the order of the numbers that it is given.
struct sequence {
  std::uint64_t sum = 0, factor = 1;
  void accumulate(std::int64_t x) {
    sum = sum * 1'000'003 + static_cast<std::uint64_t>(x);
    factor *= 1'000'003;
  }
  void merge(const sequence& other) {
    sum = sum * other.factor + other.sum;
    factor *= other.factor;
  }
  std::int64_t finalize() const { return static_cast<std::int64_t>(sum); }
};

/// Makes a pipeline. Made again from the same seed, it is the same.
class pipeline {
 public:
  pipeline(session& made_in, const drawn_files& of, std::uint64_t seed)
      : s(made_in), files(of), numbers(seed), rows_max_(of.any.rows) {}

  rows make() {
    rows at = numbers.between(0, 2) == 0 ? again() : first_step();
    const auto most = numbers.between(1, 6);
    for (auto steps = numbers.between(1, most); steps > 0; --steps) at = step(at);
    return at;
  }
  /// "join, do_while, map, sort_by": a loop stands before its steps.
  std::string name() const { return fmt::format("{}", fmt::join(names_, ", ")); }
  const std::vector<std::string>& names() const { return names_; }

  // For steps.
  session& s;
  const drawn_files& files;
  testing::random numbers;
  int number(int low, int high) { return static_cast<int>(numbers.between(low, high)); }
  rows again() { return opened(s, files.any); }
  /// Each key at most three times.
  rows other() { return opened(s, files.other); }
  rows few() { return (number(0, 1) == 0 ? again() : other()).take(number(0, 70)); }
  /// Rows of some file or computed from one, each key at most three times.
  rows right() {
    switch (number(0, 5)) {
      case 0:
        return other().filter([](const record& r) { return kept(r, 12); });
      case 1:
        return other().sort_by(&record::value);
      case 2:
        return again().group_by(&record::key).count().map(of_count);
      case 3:
        return other().take(number(0, 100'000));
      default:
        return other();
    }
  }
  std::int64_t most_of_a_key() const { return files.other.most_of_a_key; }
  /// A loop over one or two steps.
  rows loop(const rows& in) {
    if (in_loop_) return in;
    in_loop_ = true;
    const auto body = [&](rows at) {
      for (auto steps = number(1, 2); steps > 0; --steps) at = step(at);
      return at;
    };
    const auto always = [](std::span<const record>, std::span<const record>) { return true; };
    const auto result = s.do_while(in, body, always, max_iterations{number(1, 3)});
    in_loop_ = false;
    return result;
  }

 private:
  rows first_step();
  rows step(const rows& in);

  std::int64_t rows_max_;
  bool in_loop_ = false;
  std::vector<std::string> names_;
};

struct named_step {
  const char* name;
  std::int64_t growth;  // at most so many rows for one, or `by_matches`
  std::function<rows(pipeline&, const rows&)> run;
};
constexpr std::int64_t by_matches = -1;  // as often as the other file has a key
constexpr std::int64_t adds_other = -2;  // that, and the other file's rows

inline std::int64_t rows_most() { return base::scaled(150'000); }

using steps = std::vector<named_step>;
using in = const rows&;

inline const steps& row_by_row() {
  static const steps all{
      {"map", 1,
       [](pipeline& p, in r) {
         return r.map([k = p.number(0, 99)](const record& x) { return mixed(x, k); });
       }},
      {"filter", 1,
       [](pipeline& p, in r) {
         return r.filter([k = p.number(0, 16)](const record& x) { return kept(x, k); });
       }},
      {"flat_map", 2,
       [](pipeline&, in r) { return r.flat_map([](const record& x) { return copies(x, 2); }); }},
      {"filter·flat_map", 1,
       [](pipeline&, in r) {
         return r.filter([](const record& x) { return kept(x, 5); }).flat_map([](const record& x) {
           return copies(x, 3);
         });
       }},
      {"shared", 1, [](pipeline& p, in r) { return r.map(shifted, p.few().shared()); }},
      {"enumerate", 1, [](pipeline&, in r) { return r.enumerate().map(numbered); }},
      {"zip", 1, [](pipeline& p, in r) { return r.zip(p.other()).map(joint); }},
      {"concat", 2, [](pipeline& p, in r) { return r.concat(p.few()); }},
      {"concat", adds_other, [](pipeline& p, in r) { return p.other().concat(r); }},
      {"take", 1, [](pipeline& p, in r) { return r.take(p.number(0, 150'000)); }},
      {"skip", 1, [](pipeline& p, in r) { return r.skip(p.number(0, 5000)); }},
      {"cache", 1, [](pipeline&, in r) { return r.cache(); }},
      {"materialise", 2,
       [](pipeline&, in r) {
         const auto kept_rows = r.materialise();
         return kept_rows.concat(kept_rows.skip(3));
       }},
      {"materialise", 1,
       [](pipeline&, in r) {
         const auto kept_rows = r.materialise();
         return kept_rows.semi_join(kept_rows.take(4000), &record::key, &record::key);
       }},
      {"do_while", 1, [](pipeline& p, in r) { return p.loop(r); }},
  };
  return all;
}

inline const steps& ordering() {
  static const steps all{
      {"sort_by", 1, [](pipeline&, in r) { return r.sort_by(&record::key); }},
      {"sort_by", 1, [](pipeline&, in r) { return r.sort_by(descending(&record::value)); }},
      {"sort_by", 1,
       [](pipeline&, in r) { return r.sort_by(&record::group, descending(&record::key)); }},
      {"sort_by", 1,
       [](pipeline&, in r) {
         return r.map([](const record& x) { return mixed(x, 3); })
             .filter([](const record& x) { return kept(x, 13); })
             .sort_by(&record::value);
       }},
      {"sort_by text", 1, [](pipeline&, in r) { return r.sort_by(&record::text); }},
      {"sort_by text", 1,
       [](pipeline&, in r) { return r.sort_by(descending(&record::text), &record::number); }},
      {"top", 1, [](pipeline& p, in r) { return r.top(p.number(0, 300), &record::key); }},
      {"bottom", 1,
       [](pipeline& p, in r) { return r.bottom(p.number(0, 30'000), &record::value); }},
      {"inclusive_scan", 1,
       [](pipeline&, in r) { return r.map(&record::value).inclusive_scan().map(of_double); }},
      {"exclusive_scan", 1,
       [](pipeline& p, in r) {
         return r.map(&record::key)
             .exclusive_scan(std::int64_t{p.number(0, 99)}, greater)
             .zip(r)
             .map([](const pair<std::int64_t, record>& x) {
               auto made = x.second;
               made.rest[4] = x.first;
               return made;
             });
       }},
  };
  return all;
}

inline const steps& grouping() {
  static const steps all{
      {"group_by", 1,
       [](pipeline&, in r) { return r.group_by(&record::key).sum(&record::value).map(of_group); }},
      {"group_by", 1,
       [](pipeline&, in r) {
         return r.filter([](const record& x) { return kept(x, 14); })
             .group_by(&record::key)
             .variance(&record::value)
             .map(of_group);
       }},
      {"group_by", 1,
       [](pipeline&, in r) {
         return r.group_by(&record::key)
             .aggregate(sum(&record::value), first(&record::text), count(),
                        argmax(&record::number, &record::key))
             .map([](const auto& g) {
               auto made = of_count({g.key, get<2>(g.value)});
               made.value = get<0>(g.value);
               made.text = get<1>(g.value);
               made.rest[1] = get<3>(g.value).arg;
               return made;
             });
       }},
      {"group_by", 1,
       [](pipeline&, in r) {
         return r.group_by([](const record& x) { return std::int64_t{x.number}; })
             .mean(&record::value)
             .map(of_group);
       }},
      {"group_by", 1,
       [](pipeline&, in r) {
         return r.group_by(two_keys).reduce<sequence>(&record::number).map([](const auto& g) {
           return of_count({g.key.second, g.value});
         });
       }},
      {"group_by", 1,
       [](pipeline&, in r) {
         return r.group_by(&record::value).first().map([](const auto& g) { return g.value; });
       }},
      {"group_by", 1,
       [](pipeline&, in r) {
         return r.group_by(&record::group).max(&record::value).map([](const auto& g) {
           return of_group({g.key, g.value});
         });
       }},
      {"group_by domain", 64,
       [](pipeline&, in r) {
         return r.group_by(low_key, domain{64}).sum(&record::value).map(of_group);
       }},
      {"map_groups", 1,
       [](pipeline&, in r) { return r.group_by(&record::key).map_groups(median); }},
      {"distinct", 1, [](pipeline&, in r) { return r.map(&record::key).distinct().map(of_key); }},
      {"distinct", 1,
       [](pipeline&, in r) { return r.map(&record::value).distinct().map(of_double); }},
      {"union_with", adds_other,
       [](pipeline& p, in r) {
         return r.map(&record::key).union_with(p.other().map(&record::key)).map(of_key);
       }},
      {"intersect", 1,
       [](pipeline& p, in r) {
         return r.map(&record::key).intersect(p.other().map(&record::key)).map(of_key);
       }},
  };
  return all;
}

inline const steps& grouping_by_text() {
  static const steps all{
      {"group_by text", 1,
       [](pipeline&, in r) {
         return r.group_by(&record::text).min(&record::key).map([](const auto& g) {
           auto made = of_key(g.value);
           made.text = g.key;
           return made;
         });
       }},
      {"group_by text and number", 1,
       [](pipeline&, in r) {
         return r.group_by(&record::text, &record::group)
             .sum(&record::value)
             .map([](const auto& g) {
               auto made = of_group({get<1>(g.key), g.value});
               made.text = get<0>(g.key);
               return made;
             });
       }},
      {"map_groups of text and number", 1,
       [](pipeline&, in r) {
         return r.group_by(&record::text, &record::key)
             .map_groups([](const auto& key, std::span<const record> group) {
               auto made = median(get<1>(key), group);
               made.text = get<0>(key);
               return made;
             });
       }},
      {"distinct of text and number", 1,
       [](pipeline&, in r) {
         return r
             .map([](const record& x) {
               return pair<std::string_view, std::int64_t>{x.text, x.key};
             })
             .distinct()
             .map([](const auto& found) {
               auto made = of_key(found.second);
               made.text = found.first;
               return made;
             });
       }},
  };
  return all;
}

inline const steps& joining() {
  static const steps all{
      {"join", by_matches,
       [](pipeline& p, in r) { return r.join(p.right(), &record::key, &record::key, matched); }},
      {"join", by_matches,
       [](pipeline& p, in r) {
         return r.filter([](const record& x) { return kept(x, 14); })
             .join(p.right(), &record::key, &record::key, matched)
             .filter([](const record& x) { return kept(x, 12); })
             .sort_by(&record::value);
       }},
      {"join", by_matches,
       [](pipeline& p, in r) {
         return r.join(p.right(), &record::key, &record::key, matched)
             .group_by(&record::group)
             .mean(&record::value)
             .map([](const auto& g) { return of_group({g.key, g.value}); });
       }},
      {"join twice", 1,
       [](pipeline& p, in r) {
         const auto sums = [](const rows& of) {
           return of.group_by(&record::key).sum(&record::value).map(of_group);
         };
         return r.join(sums(p.other()), &record::key, &record::key, matched)
             .join(sums(p.again()), &record::key, &record::key, matched);
       }},
      {"join few", 71,
       [](pipeline& p, in r) { return r.join(p.few(), &record::group, &record::group, matched); }},
      {"join text", 1,
       [](pipeline& p, in r) {
         const auto by_text =
             p.other().group_by(&record::text).first().map([](const auto& g) { return g.value; });
         return r.join(by_text, &record::text, &record::text, matched);
       }},
      {"left_join", by_matches,
       [](pipeline& p, in r) {
         return r.left_join(p.right(), &record::key, &record::key, with_right);
       }},
      {"right_join", adds_other,
       [](pipeline& p, in r) {
         return p.other().right_join(r, &record::key, &record::key, with_left);
       }},
      {"full_join", adds_other,
       [](pipeline& p, in r) {
         return r.full_join(p.other(), &record::key, &record::key, either);
       }},
      {"semi_join", 1,
       [](pipeline& p, in r) { return r.semi_join(p.again(), &record::key, &record::key); }},
      {"semi_join", 1,
       [](pipeline& p, in r) {
         return r.semi_join(p.other().flat_map([](const record& x) { return copies(x, 2); }),
                            two_keys, two_keys);
       }},
      {"anti_join", 1,
       [](pipeline& p, in r) { return r.anti_join(p.right(), &record::key, &record::key); }},
  };
  return all;
}

/// A step that is fused with what opens the file, which may then be gone through twice.
inline rows pipeline::first_step() {
  const auto named = [&](const char* name, std::int64_t growth, auto step) {
    if (rows_max_ * growth > rows_most()) return again();
    rows_max_ *= growth;
    names_.emplace_back(name);
    return opened(s, files.any, step);
  };
  const auto by_key = &record::key;
  const auto matches = std::max<std::int64_t>(most_of_a_key(), 1);
  switch (number(0, 6)) {
    case 0:
      return named("file·join", matches,
                   [&](const auto& r) -> rows { return r.join(right(), by_key, by_key, matched); });
    case 1:
      return named("file·filter·join·group_by", 1, [&](const auto& r) -> rows {
        return r.filter([](const record& x) { return kept(x, 13); })
            .join(right(), by_key, by_key, matched)
            .group_by(by_key)
            .sum(&record::value)
            .map(of_group);
      });
    case 2:
      return named("file·join·left_join", matches, [&](const auto& r) -> rows {
        const auto counted = again().group_by(by_key).count().map(of_count);
        return r.join(counted, by_key, by_key, matched)
            .left_join(right(), by_key, by_key, with_right);
      });
    case 3:
      return named("file·semi_join", 1,
                   [&](const auto& r) -> rows { return r.semi_join(again(), two_keys, two_keys); });
    case 4:
      return named("file·flat_map·anti_join", 1, [&](const auto& r) -> rows {
        return r.flat_map([](const record& x) { return copies(x, 1); })
            .anti_join(right(), by_key, by_key);
      });
    case 5:
      return named("file·enumerate·join·sort_by", matches, [&](const auto& r) -> rows {
        return r.enumerate()
            .join(
                right(), [](const indexed<record>& x) { return x.index; }, by_key,
                [](const indexed<record>& a, const record& b) { return matched(numbered(a), b); })
            .sort_by(descending(&record::value), &record::key);
      });
    default:
      return named("file·map·group_by", 1, [&](const auto& r) -> rows {
        return r.map([](const record& x) { return mixed(x, 11); })
            .group_by(&record::key)
            .variance(&record::value)
            .map(of_group);
      });
  }
}

inline rows pipeline::step(const rows& in) {
  const auto& kind = std::array{&row_by_row, &ordering, &grouping, &joining,
                                &grouping_by_text}[numbers.between(1, 12) / 3]();
  const auto& chosen = kind[static_cast<std::size_t>(number(0, static_cast<int>(kind.size()) - 1))];
  auto most =
      rows_max_ * (chosen.growth > 0 ? chosen.growth : std::max<std::int64_t>(most_of_a_key(), 1));
  if (chosen.growth == adds_other) most += files.other.rows;
  // Iterations multiply: loops don't grow.
  if (most > rows_max_ && (in_loop_ || most > rows_most())) return in;
  rows_max_ = most;
  names_.emplace_back(chosen.name);
  return chosen.run(*this, in);
}

}  // namespace pappus::random_pipelines
