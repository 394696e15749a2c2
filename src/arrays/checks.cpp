#include "arrays/checks.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::arrays {
namespace {

using regions::access_mode;

const std::string& name_of(const launch& of, const access& one) {
  return of.arguments[one.argument].name;
}

std::string accesses_text(const launch& of) {
  return of.footprint.empty() ? "nothing is known of what it touches" : of.footprint;
}

void check_indices(const launch& of) {
  const auto& all = of.indices;
  for (std::size_t d = 0; d < all.rank; ++d)
    if (all.low[d] > all.high[d])
      throw usage_error(fmt::format(
          "{}: expected an index space of 0 and more indices in each dimension, got [{}, {}) in "
          "dimension {}",
          text(of), all.low[d], all.high[d], d));
  if (all.volume() == INT64_MAX)
    throw usage_error(
        fmt::format("{}: expected less than 2^63 - 1 indices, got {} or more; launch it in parts",
                    text(of), INT64_MAX));
}

/// Whether elements aren't known, so that the whole array stands for them.
bool is_whole(const access& one) { return one.formulas.slices.empty(); }

void check_not_in_file(const launch& of, const access& one) {
  const auto& argument = of.arguments[one.argument];
  if (!one.writes() || argument.array->file == nullptr || of.indices.empty()) return;
  refuse(
      of, argument.name,
      fmt::format("expected an array in memory, which can be written to, got {}, which lies in a "
                  "file; write to copy() of it, or to another array and write that to a file",
                  argument.array->file->name()));
}

void check_place(const launch& of, const access& one) {
  if (is_whole(one) || of.indices.empty()) return;
  const auto& argument = of.arguments[one.argument];
  const auto elements = relative(argument.part, argument.part);
  const auto found = regions::touched(one.formulas, of.indices, {}, elements);
  if (found.where != regions::touch::place::outside) return;
  refuse(of, argument.name,
         fmt::format("expected elements of {}, got none of them for the indices {} ({}); launch it "
                     "over other indices, or give it another part of the array",
                     elements.empty() ? "an array that has some" : regions::text(elements),
                     regions::text(of.indices), accesses_text(of)));
}

void check_apart(const launch& of, const access& one) {
  if (!one.writes() || one.reduces()) return;
  if (of.known == launch::knowledge::assumed || of.indices.volume() <= 1) return;
  if (spread_of(of, one) != regions::spread::mixed) return;
  if (is_whole(one))
    refuse(of, name_of(of, one),
           of.known == launch::knowledge::annotated
               ? fmt::format("expected that each index writes elements of its own, got the whole "
                             "array for all of them ({}); say which elements an index writes",
                             accesses_text(of))
               : fmt::format("expected that each index writes elements of its own, got elements "
                             "that depend on data ({}); say what it writes with annotated()",
                             accesses_text(of)));
  refuse(of, name_of(of, one),
         fmt::format("expected that each index writes elements of its own, got an element that "
                     "several may write ({}); launch it over as many indices as there are elements "
                     "and let each gather its part",
                     accesses_text(of)));
}

/// Whether an index may touch by `a` what another index touches by `b`.
bool cross(const launch& of, const access& a, const access& b) {
  const auto elements = touched(of, a, of.indices);
  if (!regions::overlap(elements, touched(of, b, of.indices))) return false;
  const auto between = distances(of, a, of, b);
  if (between.front().empty()) return false;
  for (std::size_t d = 0; d < of.indices.rank; ++d)
    if (of.indices.extent(d) > 1 && (between[d].low != 0 || between[d].high != 0)) return true;
  return false;
}

void check_pair(const launch& of, const access& a, const access& b) {
  if ((!a.writes() && !b.writes()) || (a.reduces() && b.reduces() && a.argument == b.argument))
    return;
  const auto &first = of.arguments[a.argument], &second = of.arguments[b.argument];
  if (first.array != second.array) return;
  if (a.argument != b.argument) {  // the loop takes it that they are different memory
    if (regions::overlap(touched(of, a, of.indices), touched(of, b, of.indices)))
      refuse(of, second.name,
             fmt::format("expected another array than that of {}, got one with the same elements, "
                         "of which some are written ({}); pass it once, as updates<T, N>, or copy "
                         "it",
                         first.name, accesses_text(of)));
    return;
  }
  if (of.known == launch::knowledge::assumed || of.indices.volume() <= 1 || !cross(of, a, b))
    return;
  refuse(of, first.name,
         fmt::format("expected that no index touches what another one writes, got elements that "
                     "several touch ({}); write to another array, and swap the two",
                     accesses_text(of)));
}

void check_written(const launch& of, const access& one) {
  const auto& argument = of.arguments[one.argument];
  if (!one.reads() || argument.view == detail::view_access::write || of.indices.empty()) return;
  const auto wanted = touched(of, one, of.indices);
  if (wanted.empty()) return;
  regions::region missing(wanted.rank);
  argument.array->parts.each(wanted, [&](const regions::box& where, const part& is) {
    if (is.has == content::unwritten) missing = missing | where;
  });
  const bool all = missing == regions::region(wanted);
  if (is_whole(one) ? !all : missing.empty()) return;
  refuse(of, argument.name,
         fmt::format("expected elements that were written before, got {} of {} that nobody has "
                     "written ({}); write them first, or make the array with zeros()",
                     regions::text(missing), text(*argument.array), accesses_text(of)));
}

}  // namespace

void refuse(const launch& of, const std::string& parameter, const std::string& why) {
  throw usage_error(fmt::format("{}: {}: {}", text(of), parameter, why));
}

void check(const launch& of) {
  check_indices(of);
  for (const auto& one : of.accesses) {
    check_not_in_file(of, one);
    check_place(of, one);
    check_apart(of, one);
    check_written(of, one);
  }
  for (std::size_t a = 0; a < of.accesses.size(); ++a)
    for (std::size_t b = a + 1; b < of.accesses.size(); ++b)
      check_pair(of, of.accesses[a], of.accesses[b]);
}

void check_narrow(const launch& of) {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  const auto narrow = [](const regions::box& numbers) {
    for (std::size_t d = 0; d < numbers.rank; ++d)
      if (numbers.low[d] < -limit || numbers.high[d] > limit) return false;
    return true;
  };
  if (!narrow(of.indices))
    throw usage_error(fmt::format(
        "{}: expected indices below 2^31, because the function computes with int what it touches "
        "({}), got {}; let it take idx<{}> and compute with std::int64_t",
        text(of), accesses_text(of), regions::text(of.indices), of.indices.rank));
  for (const auto& one : of.accesses)
    if (const auto elements = touched(of, one, of.indices); !narrow(elements))
      refuse(of, name_of(of, one),
             fmt::format("expected elements below 2^31, because the function computes their "
                         "numbers with int ({}), got {}; compute with std::int64_t",
                         accesses_text(of), regions::text(elements)));
}

namespace {

/// What an annotation says of a parameter must be what its view allows.
void check_mode(const launch& of, const argument& argument, const access& one) {
  using detail::view_access;
  const auto said = [&](std::string_view view, std::string_view does, std::string_view remedy) {
    refuse(of, argument.name,
           fmt::format("expected that a view of {} is {}, got \"{}\"; take {}", view, does,
                       of.footprint, remedy));
  };
  const auto view = argument.view;
  if (view == view_access::reduce && !one.reduces())
    said("reduces<R, N>", "reduced", "reads<T, N>, writes<T, N> or updates<T, N>");
  if (view != view_access::reduce && one.reduces())
    said("reads<T, N>, writes<T, N> or updates<T, N>", "read or written", "reduces<R, N>");
  if (view == view_access::read && one.writes())
    said("reads<T, N>", "read", "writes<T, N> or updates<T, N>");
  if (view == view_access::write && !one.writes())
    said("writes<T, N>", "written", "reads<T, N> or updates<T, N>");
  if (one.reduces() && one.formulas.by &&
      regions::text(*one.formulas.by) != argument.reduction.name)
    refuse(of, argument.name,
           fmt::format("expected {}, as its view says, got \"{}\"; write reduce without how",
                       *argument.reduction.name == '\0'
                           ? std::string("reduce with its reducer's merge()")
                           : fmt::format("reduce({})", argument.reduction.name),
                       of.footprint));
}

std::string_view word_of(detail::view_access view) {
  return view == detail::view_access::read     ? "read"
         : view == detail::view_access::reduce ? "reduce"
                                               : "write";
}

}  // namespace

void check_annotation(const launch& of) {
  for (std::size_t a = 0; a < of.arguments.size(); ++a) {
    const auto& name = of.arguments[a].name;
    const auto is_its = [&](const access& one) { return one.argument == a; };
    if (std::ranges::none_of(of.accesses, is_its))
      refuse(of, name,
             fmt::format("expected that the annotation says what is touched of it, got \"{}\"; "
                         "add, for instance, \"{} {}\"",
                         of.footprint, word_of(of.arguments[a].view), name));
    for (const auto& one : of.accesses)
      if (is_its(one)) check_mode(of, of.arguments[a], one);
  }
}

}  // namespace pappus::arrays
