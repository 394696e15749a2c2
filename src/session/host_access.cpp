// The host looks at arrays' elements, or writes them: it waits for the launches that matter.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arrays/coherence.h"
#include "pappus/error.h"
#include "session/launches.h"

namespace pappus::detail {
namespace {

using arrays::image_ptr;
using arrays::launch_number;

bool touches(const arrays::launch& by, const image_ptr& array, const regions::box& where) {
  return std::ranges::any_of(by.accesses, [&](const arrays::access& one) {
    return by.arguments[one.argument].array == array &&
           regions::overlap(touched(by, one, by.indices), where);
  });
}

void check_written(std::string_view call, const arrays::image& array, const regions::box& where) {
  regions::region missing(where.rank);
  array.parts.each(where, [&](const regions::box& box, const arrays::part& is) {
    if (is.has == arrays::content::unwritten) missing = missing | box;
  });
  if (missing.empty()) return;
  throw usage_error(fmt::format(
      "{}: expected elements that were written before, got {} of {} that nobody has written; "
      "write them first, or make the array with zeros()",
      call, regions::text(missing), text(array)));
}

}  // namespace

arrays::storage_ptr launch_queue::wait_to_read(const image_ptr& array, const regions::box& where) {
  check_outside("host");
  lock held(mutex_);
  auto elements = array->elements;
  if (where.empty()) return elements;
  check_written("host", *array, where);
  fill_first(array, where);
  const auto writers = arrays::writers_of(*array, where);
  wait_for(held, writers);
  throw_failure(*array, writers, where);
  return elements;
}

arrays::storage_ptr launch_queue::wait_to_write(const image_ptr& array, const regions::box& where) {
  check_outside("host_write");
  lock held(mutex_);
  if (where.empty()) return array->elements;
  fill_first(array, where);
  if (array->elements->collections != 0) move_away(array);
  auto elements = array->elements;
  std::vector<launch_number> users;
  const auto add_users = [&](const std::vector<node_ptr>& launches) {
    for (const auto& node : launches)
      if (const auto& launch = arrays::launch_of(*node); touches(launch, array, where))
        users.push_back(launch.number);
  };
  if (current_ != nullptr) add_users(current_->launches());
  add_users(gathered_);
  const auto writers = arrays::writers_of(*array, where);
  const auto last = last_;
  wait_for(held, users);
  throw_failure(*array, writers, where);
  arrays::note_written_by_host(*array, where, last);
  return elements;
}

std::function<arrays::storage_ptr()> launch_queue::elements_of_now(const image_ptr& array,
                                                                   const regions::box& where) {
  check_outside("rows");
  const lock held(mutex_);
  check_written("rows", *array, where);
  fill_first(array, where);
  auto elements = array->elements;
  ++elements->collections;
  // As long as there is a collection of these rows, or somebody has them, nobody writes to them.
  arrays::storage_ptr unchanged(elements.get(),
                                [elements](arrays::storage*) { --elements->collections; });
  return [this, array, where, unchanged, writers = arrays::writers_of(*array, where)] {
    check_outside("an array's rows");
    lock again(mutex_);
    wait_for(again, writers);
    throw_failure(*array, writers, where);
    return unchanged;
  };
}

void launch_queue::throw_failure(const arrays::image& array,
                                 const std::vector<launch_number>& writers,
                                 const regions::box& where) {
  for (const auto number : writers) {
    const auto why = failure(number);
    if (why == nullptr) continue;
    why->told = true;
    try {
      std::rethrow_exception(why->original);
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      throw launch_error(fmt::format("{}; so {} has no elements {}", why->what, text(array),
                                     regions::text(where)));
    }
  }
}

}  // namespace pappus::detail
