#include "system/md5.h"

#include <algorithm>

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

/// Goes through the digests' first words. Both results are kept without a branch, so that the loop
/// over them becomes one of vectors.
struct words_seen {
  std::uint32_t wanted = 0;
  std::uint32_t all = 0;     ///< exclusive or
  std::int64_t likely = -1;  ///< the last message with the word that is wanted

  void accumulate(const indexed<std::uint32_t>& word) {
    all ^= word.value;
    likely = std::max(likely, word.value == wanted ? word.index : -1);
  }
  void merge(const words_seen& other) {
    all ^= other.all;
    likely = std::max(likely, other.likely);
  }
};

/// Writes the digests' first words to an array, which a query then goes through: launches have no
/// results but elements.
md5::result search(session& engine, const array<std::uint32_t>& words,
                   const md5::digest<std::uint32_t>& target) {
  engine.for_each(
      words.extent(0),
      [](std::int64_t i, writes<std::uint32_t> word) { word[i] = md5::digest_of_number(i).a; },
      words);
  const words_seen none{.wanted = target.a};
  const words_seen seen = words.rows().enumerate().reduce(none);
  auto found = seen.likely;
  // Another digest with the same first word: there may be more before it.
  while (found >= 0 && !same(md5::digest_of_number(found), target))
    found = words.rows().take(found).enumerate().reduce(none).get().likely;
  return {found, seen.all};
}

}  // namespace

std::vector<result> run_md5(const stage& on, std::int64_t n) {
  const auto target = md5::target(n, on.asked.seed);
  const auto words = on.engine.zeros<std::uint32_t>({n});
  md5::result sequential, handwritten, pappus;
  const auto text = [](const md5::result& of) { return [&of] { return of.checksum(); }; };
  return compare(
      on, "md5", n, min_bytes::md5(n),
      {{"sequential", [&] { sequential = md5::sequential(n, target); }, text(sequential)},
       {"handwritten", [&] { handwritten = md5::handwritten(n, target, on.workers); },
        text(handwritten)},
       {"pappus", [&] { pappus = search(on.engine, words, target); }, text(pappus)}});
}

}  // namespace pappus::bench
