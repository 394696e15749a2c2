#include "arrays/access_checks.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "regions/parts.h"
#include "regions/region.h"

namespace pappus::arrays {
namespace {

regions::box one_place(std::size_t rank, const std::int64_t* numbers) {
  regions::box result(rank);
  for (std::size_t d = 0; d < rank; ++d) result.high[d] = (result.low[d] = numbers[d]) + 1;
  return result;
}

std::size_t element_number(const regions::box& all, const regions::point& one) {
  return static_cast<std::size_t>(regions::number_in(all, one));
}

/// At one index, where numbers are small enough for it; else none.
std::optional<std::int64_t> value(const regions::affine& of, const regions::box& index) {
  auto result = of.constant;
  for (std::size_t d = 0; d < index.rank; ++d) {
    std::int64_t term = 0;
    if (__builtin_mul_overflow(of.factors[d], index.low[d], &term) ||
        __builtin_add_overflow(result, term, &result))
      return std::nullopt;
  }
  return result;
}

/// The elements of `all` that an index touches, without going through intervals; none: it takes
/// these.
std::optional<regions::box> elements_at(const regions::linear_access& of, const regions::box& index,
                                        const regions::box& all) {
  regions::box result(all.rank);
  for (std::size_t d = 0; d < all.rank; ++d) {
    const auto first = value(of.low[d], index), last = value(of.high[d], index);
    if (!first || !last) return std::nullopt;
    result.low[d] = std::max(all.low[d], *first);
    result.high[d] = *last < all.high[d] ? *last + 1 : all.high[d];
  }
  return result;
}

}  // namespace

access_checks::access_checks(const launch& of, element_users* users) : launch_(of), users_(users) {
  for (const auto& argument : of.arguments)
    arguments_.push_back({.all = relative(argument.part, argument.part)});
  for (const auto& one : of.accesses)
    arguments_[one.argument].places.push_back(
        {.of = &one, .all_written = one.formulas.mode == regions::access_mode::write});
  for (std::size_t a = 0; users != nullptr && a < arguments_.size(); ++a) {
    if (!users->notes(a)) continue;
    const auto& argument = of.arguments[a];
    arguments_[a].noted = true;
    arguments_[a].where = place_of(*argument.array, *argument.elements, argument.part);
  }
}

void access_checks::begin(const std::int64_t* numbers) {
  index_ = one_place(launch_.indices.rank, numbers);
  if (users_ != nullptr) number_ = regions::number_in(launch_.indices, index_.low);
  for (auto& argument : arguments_) {
    argument.known = false;
    argument.log.clear();
  }
}

void access_checks::find(touches& of) const {
  of.known = true;
  for (auto& one : of.places) {
    const auto& part = launch_.arguments[one.of->argument].part;
    const auto near = one.of->linear ? elements_at(*one.of->linear, index_, of.all)
                                     : std::optional<regions::box>();
    one.elements = near ? *near : relative(touched(launch_, *one.of, index_), part);
    if (!one.all_written) continue;
    one.left = one.elements.empty() ? 0 : one.elements.volume();
    one.written.assign(static_cast<std::size_t>(one.left), false);
  }
}

void access_checks::touch(std::size_t argument, const std::int64_t* numbers) {
  auto& its = arguments_[argument];
  regions::point element{};
  std::copy_n(numbers, its.all.rank, element.begin());
  if (!its.known) find(its);
  // Of an argument through which nothing is changed or used, nothing is inferred.
  bool found = its.places.empty() && regions::contains(its.all, element);
  for (auto& one : its.places) {
    if (!regions::contains(one.elements, element)) continue;
    found = true;
    if (!one.all_written) continue;
    auto&& written = one.written[element_number(one.elements, element)];
    one.left -= written ? 0 : 1;
    written = true;
  }
  if (!found) refuse_element(argument, element);
  if (its.noted) note(argument, element);
}

/// Before the element is handed out.
void access_checks::note(std::size_t argument, const regions::point& element) {
  auto& its = arguments_[argument];
  const auto number = element_number(its.all, element);
  if (launch_.arguments[argument].view == detail::view_access::write) {
    if (const auto other = users_->write(argument, number, number_))
      refuse_meeting(argument, number, *other, true);
    return;
  }
  if (const auto other = users_->read(argument, number, number_))
    refuse_meeting(argument, number, *other, false);
  if (!its.log.empty() && its.log.back().number == number) return;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < its.all.rank; ++d) offset += element[d] * its.where.strides[d];
  const auto size = launch_.arguments[argument].array->element.size;
  const auto* const at = its.where.elements + offset * static_cast<std::int64_t>(size);
  its.log.push_back({number, at, {at, at + size}});
}

/// Those that the call has changed.
void access_checks::note_written(std::size_t argument) {
  for (const auto& [number, at, was] : arguments_[argument].log) {
    if (std::memcmp(at, was.data(), was.size()) == 0) continue;
    if (const auto other = users_->write(argument, number, number_))
      refuse_meeting(argument, number, *other, false);
  }
}

void access_checks::end() {
  for (auto& argument : arguments_)
    for (const auto& one : argument.places) {
      if (!one.all_written) continue;
      if (!argument.known) find(argument);
      if (one.left > 0) refuse_left_out(one);
    }
  for (std::size_t a = 0; users_ != nullptr && a < arguments_.size(); ++a) note_written(a);
}

void access_checks::refuse(std::size_t argument, const std::string& why) const {
  throw access_error(fmt::format("{}: {} (view {}): {}", text(launch_),
                                 launch_.arguments[argument].name, argument + 1, why));
}

void access_checks::refuse_element(std::size_t argument, const regions::point& element) const {
  const auto& its = arguments_[argument];
  const auto& of = launch_.arguments[argument];
  const auto at = regions::text(one_place(its.all.rank, element.data()));
  if (!regions::contains(its.all, element))
    refuse(
        argument,
        fmt::format("expected an element of {}, which {} {}, got {} at index {}; guard the "
                    "border, or launch it over other indices",
                    text(*of.array), of.part == of.array->all ? "has" : "has in this part",
                    its.all.empty() ? "none" : regions::text(its.all), at, regions::text(index_)));
  regions::region allowed(its.all.rank);
  for (const auto& one : its.places) allowed = allowed | one.elements;
  refuse(argument, fmt::format("expected {} of {} to be touched at index {}, got {} ({}); say all "
                               "that it touches with annotated() or at(), or let it touch less",
                               allowed.empty() ? "nothing" : regions::text(allowed),
                               text(*of.array), regions::text(index_), at, launch_.footprint));
}

void access_checks::refuse_left_out(const place& of) const {
  std::optional<regions::point> first;
  regions::each_place(of.elements, [&](const regions::point& one) {
    if (!first && !of.written[element_number(of.elements, one)]) first = one;
  });
  refuse(
      of.of->argument,
      fmt::format("expected {} of {} to be written at index {}, got {} of {} left out, the first "
                  "{} ({}); write all of them, or say readwrite, of a view of updates<T, N>",
                  regions::text(of.elements), text(*launch_.arguments[of.of->argument].array),
                  regions::text(index_), of.left, of.elements.volume(),
                  regions::text(one_place(of.elements.rank, first->data())), launch_.footprint));
}

void access_checks::refuse_meeting(std::size_t argument, std::size_t element, std::int64_t other,
                                   bool written) const {
  const auto& all = arguments_[argument].all;
  const auto at = regions::place_in(all, static_cast<std::int64_t>(element));
  refuse(argument,
         fmt::format("expected that no index {} what another one writes, got {} of {} at index {} "
                     "and at {}; {}",
                     written ? "writes" : "touches", regions::text(one_place(all.rank, at.data())),
                     text(*launch_.arguments[argument].array), regions::text(index_),
                     other == number_ ? "others" : index_text(launch_, other),
                     written ? "let each index write elements of its own, or take reduces<R, N>"
                             : "write to another array, and swap the two"));
}

}  // namespace pappus::arrays
