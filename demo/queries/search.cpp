// A search engine over the names and descriptions of Debian's packages.
//
// BM25F (Robertson, Zaragoza and Taylor 2004; Zaragoza et al. 2004, per-field lengths): a word
// counts by how often it occurs in a package's fields (a name weighs more than a description, a
// long field less than a short one; tf below), with diminishing returns (k1), and by how few
// packages have it at all:
//   score = sum over words of ln(1 + (N - df + 0.5) / (df + 0.5)) * tf / (k1 + tf)
//
// No index of words is built: one pass over the packages counts, another scores, as grep would.
#include "demo/queries/search.h"

#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <ostream>
#include <span>

#include "demo/support/words.h"
#include "pappus/pappus.h"

namespace demo {
namespace {

enum { name_field, description_field, fields };
constexpr std::array<double, fields> weight{2.0, 1.0};
constexpr std::array<double, fields> b{0.5, 0.75};  // how much a field's length matters, 0 to 1
constexpr double k1 = 1.2;

using words_view = std::span<const std::string_view>;
using frequencies = std::span<const pappus::keyed<std::int32_t, std::int64_t>>;

template <typename Visit>
void each_field_word(const package& p, Visit&& visit) {
  each_word(p.name, [&](std::string_view word) { visit(name_field, word); });
  each_word(p.description, [&](std::string_view word) { visit(description_field, word); });
}

template <int field>
int length(const package& p) {
  int words = 0;
  each_field_word(p, [&](int in, std::string_view) { words += in == field; });
  return words;
}

std::array<int, fields> occurrences(const package& p, std::string_view wanted) {
  std::array<int, fields> count{};
  each_field_word(
      p, [&](int field, std::string_view word) { count[field] += same_word(word, wanted); });
  return count;
}

/// The numbers of those words that the package has.
std::vector<std::int32_t> words_of(const package& p, words_view words) {
  std::vector<std::int32_t> numbers;
  for (int i = 0; i < std::ssize(words); ++i)
    if (occurrences(p, words[i]) != std::array<int, fields>{}) numbers.push_back(i);
  return numbers;
}

/// What scoring needs to know of all packages.
struct statistics {
  double packages;
  std::array<double, fields> average_length;
};

hit scored(const package& p, const statistics& all, words_view words, frequencies df) {
  const std::array<int, fields> words_in{length<name_field>(p), length<description_field>(p)};
  double total = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto count = occurrences(p, words[i]);
    double tf = 0;
    for (int f = 0; f < fields; ++f)
      if (count[f] > 0)
        tf += weight[f] * count[f] / (1 - b[f] + b[f] * words_in[f] / all.average_length[f]);
    const auto having = static_cast<double>(df[i].value);
    total += std::log(1 + (all.packages - having + 0.5) / (having + 0.5)) * tf / (k1 + tf);
  }
  return {p.name, p.description, total};
}

}  // namespace

pappus::records<hit> search(pappus::session& s, const package_index& index,
                            const std::vector<std::string>& query) {
  const auto distinct = distinct_words(query);
  if (distinct.empty()) return {};
  const auto words = s.from(std::vector<std::string_view>(distinct.begin(), distinct.end()));
  const auto packages = s.borrow(index.packages);
  const auto [in_names, in_descriptions] =
      s.run(packages.map(pappus::fn<length<name_field>>).mean(),
            packages.map(pappus::fn<length<description_field>>).mean());
  const statistics all{static_cast<double>(index.packages.size()), {in_names, in_descriptions}};
  const auto df = packages.flat_map(pappus::fn<words_of>, words.shared())
                      .group_by(std::identity{}, pappus::domain{std::ssize(distinct)})
                      .count();

  return packages
      .map([all](const package& p, words_view w, frequencies f) { return scored(p, all, w, f); },
           words.shared(), df.shared())
      .filter([](const hit& h) { return h.score > 0; })
      .top(10, &hit::score)
      .collect();
}

void run_search(pappus::session& s, const package_index& index,
                const std::vector<std::string>& words, std::ostream& out) {
  const auto& query = words.empty() ? std::vector<std::string>{"parallel", "sort"} : words;
  out << "BM25F:";
  for (const std::string& word : query) out << ' ' << word;
  const auto hits = search(s, index, query);
  out << (hits.empty() ? "\n\nno package has any of these words\n" : "\n\n  score  package\n");
  std::ostream table(out.rdbuf());  // with a format of its own
  table << std::fixed << std::setprecision(3);
  for (const hit& h : hits)
    table << std::setw(7) << h.score << "  " << h.name << ": " << h.description << '\n';
}

}  // namespace demo
