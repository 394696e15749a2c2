// A call of for_each: what is known of the function becomes the accesses of a launch.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "arrays/checks.h"
#include "arrays/file_elements.h"
#include "codegen/plugin/descriptor.h"
#include "codegen/plugin/inferred_footprint.h"
#include "front/array/captures.h"
#include "front/array/stack.h"
#include "pappus/error.h"
#include "regions/annotation.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

using arrays::access;

std::string place_text(const std::source_location& where) {
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  return fmt::format("{}:{}", file, where.line());
}

void check_arguments(const session_ptr& session, const launch_request& request) {
  for (std::size_t a = 0; a < request.views.size(); ++a) {
    const auto& owner = request.views[a].array.session;
    if (owner == session) continue;
    const auto refuse = [&](std::string_view got, std::string_view remedy) {
      throw usage_error(
          fmt::format("for_each at {}: expected arrays of this session, got {} as number {}; {}",
                      place_text(request.where), got, a + 1, remedy));
    };
    if (owner == nullptr) refuse("an empty handle", "make it with zeros()");
    if (owner->has_ended())
      refuse("one whose session has ended",
             "keep that session, and copy the array's elements over the host");
    refuse("one of another session", "copy its elements over the host");
  }
}

std::vector<arrays::argument> arguments_of(const launch_request& request) {
  std::vector<arrays::argument> result;
  for (std::size_t a = 0; a < request.views.size(); ++a) {
    const auto& view = request.views[a];
    result.push_back({view.array.image, nullptr, arrays::box_of(view.array.box), view.access,
                      a < 8 ? std::string(1, static_cast<char>('a' + a)) : fmt::format("a{}", a),
                      view.reduction});
  }
  return result;
}

/// Boxes of the arguments' elements as the function numbers them.
std::vector<regions::box> extents_of(const arrays::launch& of) {
  std::vector<regions::box> result;
  for (const auto& argument : of.arguments)
    result.push_back(arrays::relative(argument.part, argument.part));
  return result;
}

void set_accesses(arrays::launch& of, const regions::footprint& touches) {
  const auto extents = extents_of(of);
  for (const auto& one : touches.accesses) {
    auto& made = of.accesses.emplace_back(access{one.array, one, {}});
    if (!one.slices.empty()) made.linear = regions::linear(one, of.indices, {}, extents[one.array]);
  }
}

regions::access_mode mode_of(view_access view) {
  switch (view) {
    case view_access::read:
      return regions::access_mode::read;
    case view_access::reduce:
      return regions::access_mode::reduce;
    default:
      return regions::access_mode::readwrite;
  }
}

/// Nothing is known: whole arrays.
void assume(arrays::launch& of) {
  for (std::size_t a = 0; a < of.arguments.size(); ++a)
    of.accesses.push_back(
        {a, {.array = a, .mode = mode_of(of.arguments[a].view), .slices = {}}, {}});
  of.known = arrays::launch::knowledge::assumed;
}

/// What a footprint calls its views; "" where it doesn't mention them. Its text names accesses in
/// their order: "read in[i-1:i+1], write out[i]".
std::vector<std::string> names_in(std::string_view text, const codegen::inferred_footprint& of) {
  std::vector<std::string> names(of.ranks.size());
  for (const auto& one : of.touches.accesses) {
    const auto begin = text.find(' ') + 1, end = text.find('[');
    if (begin > end || end == std::string_view::npos) return names;
    names[one.array] = text.substr(begin, end - begin);
    const auto next = text.find("], ", end);
    if (next == std::string_view::npos) return names;
    text.remove_prefix(next + 3);
  }
  return names;
}

void name_arguments(arrays::launch& of, const std::vector<std::string>& names) {
  for (std::size_t a = 0; a < std::min(names.size(), of.arguments.size()); ++a)
    if (!names[a].empty()) of.arguments[a].name = names[a];
}

void annotate(arrays::launch& of, const given_footprint& given,
              const std::vector<std::string>& names) {
  regions::launch_signature signature{.rank = of.indices.rank, .arrays = {}, .values = {}};
  for (std::size_t a = 0; a < of.arguments.size(); ++a)
    signature.arrays.push_back(
        {a < names.size() ? names[a] : std::string(), of.arguments[a].part.rank});
  for (const auto& [name, is] : given.values) {
    signature.values.push_back(name);
    signature.numbers.push_back(is);
  }
  const auto parsed = [&] {
    try {
      return regions::parse_annotation(given.text, signature);
    } catch (const usage_error& e) {
      throw usage_error(fmt::format("{}: {}", text(of), e.what()));
    }
  }();
  auto values = signature.numbers;
  values.insert(values.end(), of.indices.rank, 1);  // sizes of blocks
  name_arguments(of, parsed.arrays);
  set_accesses(of, parsed.touches.with(values));
  of.footprint = given.text;
  of.known = arrays::launch::knowledge::annotated;
  arrays::check_annotation(of);
}

regions::expression expression_of(const array_formula& from) {
  regions::expression result(from.constant);
  bool empty = from.constant == 0;
  for (std::size_t d = 0; d < array_rank_max; ++d) {
    if (from.factors[d] == 0) continue;
    const auto index = regions::expression::index(d);
    const auto term = from.factors[d] == 1 ? index : regions::expression(from.factors[d]) * index;
    result = empty ? term : term + result;
    empty = false;
  }
  return result;
}

/// What the user says on an argument.
regions::access given_access(const launch_request& request, std::size_t argument) {
  const auto& view = request.views[argument];
  regions::access result{.array = argument, .mode = mode_of(view.access), .slices = {}};
  if (view.access == view_access::write) result.mode = regions::access_mode::write;
  for (const auto& [low, high, whole] : view.slices) {
    auto& slice = result.slices.emplace_back();
    if (whole) continue;
    slice.low = expression_of(low);
    slice.high = expression_of(high);
  }
  return result;
}

/// What arguments say replaces whatever else is known of them; the others stay as they are.
void take_given(arrays::launch& of, const launch_request& request) {
  regions::footprint given;
  bool all = true;
  for (std::size_t a = 0; a < request.views.size(); ++a) {
    if (request.views[a].slices.empty()) {
      all = false;
      continue;
    }
    std::erase_if(of.accesses, [a](const access& one) { return one.argument == a; });
    given.accesses.push_back(given_access(request, a));
  }
  if (given.accesses.empty()) return;
  set_accesses(of, given);
  if (all) of.known = arrays::launch::knowledge::annotated;
  std::vector<std::string> names;
  for (const auto& argument : of.arguments) names.push_back(argument.name);
  regions::footprint known;
  for (const auto& one : of.accesses) known.accesses.push_back(one.formulas);
  static const std::vector<std::string> indices{"i", "j", "k", "l"};
  of.footprint =
      regions::text(known, {.formulas = {.indices = indices, .symbols = {}}, .arrays = names});
}

/// With the values that were captured.
regions::footprint touches_of(const arrays::launch& of, const codegen::inferred_footprint& found) {
  const auto extents = extents_of(of);
  auto touches = found.touches.with(codegen::values_of(found, of.function.get(), extents));
  // Elements that are reached in ways that the plugin can't follow, it takes for updated ones.
  for (auto& one : touches.accesses)
    if (of.arguments[one.array].view == view_access::reduce)
      one.mode = regions::access_mode::reduce;
  return touches;
}

void infer(arrays::launch& of, const codegen::inferred_footprint& found) {
  set_accesses(of, touches_of(of, found));
  of.known = arrays::launch::knowledge::inferred;
  if (found.narrow) arrays::check_narrow(of);
}

/// Whether a footprint has elements that the launch isn't said to touch in that way.
bool touches_more(const arrays::launch& said, const regions::footprint& found) {
  using mode = regions::access_mode;
  for (const auto& one : found.accesses) {
    const auto& part = said.arguments[one.array].part;
    const auto elements = arrays::absolute(
        regions::touched(one, said.indices, {}, arrays::relative(part, part)).elements, part);
    regions::region read(elements), written(elements);
    for (const auto& own : said.accesses) {
      if (own.argument != one.array) continue;
      const auto covered = touched(said, own, said.indices);
      if (own.reads()) read = read - covered;
      if (own.writes()) written = written - covered;
    }
    if ((one.mode != mode::write && !read.empty()) || (one.mode != mode::read && !written.empty()))
      return true;
  }
  return false;
}

/// Items would load the chunks of these again and again.
void copy_what_is_read_as_a_whole(const session_ptr& session, arrays::launch& of) {
  for (std::size_t a = 0; a < of.arguments.size(); ++a) {
    if (!is_read_as_a_whole(of, a)) continue;
    auto& argument = of.arguments[a];
    const auto touches = touched(of, a, of.indices);
    argument.array = copy_array({session, argument.array, arrays::numbers_of(touches)}).image;
    // Views go on numbering elements from the part's first, be it among those copied or not.
    argument.part = arrays::relative(argument.part, touches);
  }
}

}  // namespace

void launch(const session_ptr& session, launch_request request) {
  session->check_alive();
  check_arguments(session, request);
  auto made = std::make_shared<arrays::launch>();
  made->indices = arrays::box_of(request.indices);
  made->place = place_text(request.where);
  made->checks_access = request.checks_access;
  made->takes_steps = !request.checks_access;
  made->arguments = arguments_of(request);
  apply(session->checks(), *made);
  made->function = request.function;
  made->function_type = request.function_type;
  made->descriptor = request.descriptor;
  made->loop = request.loop;
  const codegen::compiled_function* compiled = nullptr;
  std::vector<std::string> names;
  if (request.descriptor != nullptr) {
    compiled = &codegen::compiled_function_of(request.descriptor);
    if (compiled->inferred) {
      made->footprint = compiled->footprint;
      names = names_in(compiled->footprint, *compiled->inferred);
      name_arguments(*made, names);
    }
  }
  if (!request.annotation.text.empty())
    annotate(*made, request.annotation, names);
  else if (compiled != nullptr && compiled->inferred)
    infer(*made, *compiled->inferred);
  else
    assume(*made);
  take_given(*made, request);
  const bool said = !request.annotation.text.empty() ||
                    std::ranges::any_of(request.views, [](const view_argument& view) {
                      return !view.slices.empty();
                    });
  if (said && compiled != nullptr && compiled->inferred &&
      touches_more(*made, touches_of(*made, *compiled->inferred)))
    made->inferred = compiled->footprint;
  // References to variables of the caller's would dangle.
  bool waits = refers_to_stack(request.function.get(), request.function_bytes);
  if (waits && compiled != nullptr && compiled->copyable)
    waits = !copy_referenced(made->function, request.function_bytes, compiled->references);
  copy_what_is_read_as_a_whole(session, *made);
  session->launches().add(made);
  if (waits) session->launches().wait_for(made->number);
}

}  // namespace pappus::detail
