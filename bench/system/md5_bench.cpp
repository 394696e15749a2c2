#include "system/md5.h"

#include <functional>

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

/// Writes the digests' first words to an array, which queries then go through: launches have no
/// results but elements.
md5::result search(session& engine, const array<std::uint32_t>& words,
                   const md5::digest<std::uint32_t>& target) {
  engine.for_each(
      words.extent(0),
      [](std::int64_t i, writes<std::uint32_t> word) { word[i] = md5::digest_of_number(i).a; },
      words);
  const auto rows = words.rows();
  const auto all = rows.reduce(0u, std::bit_xor<std::uint32_t>());
  const auto likely = rows.enumerate()
                          .filter([wanted = target.a](const indexed<std::uint32_t>& w) {
                            return w.value == wanted;
                          })
                          .map([](const indexed<std::uint32_t>& w) { return w.index; });
  md5::result last{.all = all};
  for (const std::int64_t i : likely.collect())
    if (same(md5::digest_of_number(i), target)) last.found = i;
  return last;
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
