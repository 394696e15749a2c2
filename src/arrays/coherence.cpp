#include "arrays/coherence.h"

#include <algorithm>

namespace pappus::arrays {
namespace {

void add(std::vector<launch_number>& to, launch_number one) {
  if (one != 0 && std::ranges::find(to, one) == to.end()) to.push_back(one);
}

}  // namespace

std::vector<std::pair<image_ptr, regions::box>> wanting_first_value(const launch& of) {
  std::vector<std::pair<image_ptr, regions::box>> found;
  for (const auto& one : of.accesses) {
    const auto& array = of.arguments[one.argument].array;
    if (array->initial.empty() || overwrites(of, one)) continue;
    array->parts.each(touched(of, one, of.indices), [&](const regions::box& where, const part& is) {
      if (is.has == content::initial) found.emplace_back(array, where);
    });
  }
  return found;
}

void note(launch& of) {
  for (const auto& one : of.accesses) {
    if (!one.reads() && overwrites(of, one)) continue;
    for (const auto writer :
         writers_of(*of.arguments[one.argument].array, touched(of, one, of.indices)))
      add(of.needs, writer);
  }
  for (const auto& one : of.accesses)
    if (one.writes())
      of.arguments[one.argument].array->parts.assign(touched(of, one, of.indices),
                                                     part{content::written, of.number});
}

void note_written_by_host(image& array, const regions::box& where, launch_number last) {
  std::vector<regions::box> before;
  array.parts.each(where, [&](const regions::box& some, const part& is) {
    if (is.writer <= last) before.push_back(some);
  });
  array.parts.assign(regions::region(array.all.rank, before), {content::written, 0});
}

std::vector<launch_number> writers_of(const image& array, const regions::box& where) {
  std::vector<launch_number> found;
  array.parts.each(where, [&](const regions::box&, const part& is) { add(found, is.writer); });
  return found;
}

void forget_done(image& array, const std::function<bool(launch_number)>& is_done) {
  std::vector<regions::box> known;
  for (const auto& [where, is] : array.parts.entries())
    if (is.writer != 0 && is_done(is.writer))
      known.insert(known.end(), where.boxes().begin(), where.boxes().end());
  // Whatever a launch wrote is written.
  if (!known.empty())
    array.parts.assign(regions::region(array.all.rank, known), {content::written, 0});
}

}  // namespace pappus::arrays
