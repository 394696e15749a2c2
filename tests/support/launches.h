// Launches to plan and to run without a session: over arrays of 32-bit numbers, with what they
// touch as annotations. Their function reads, writes and reduces just that.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arrays/checks.h"
#include "arrays/image.h"
#include "arrays/launch.h"
#include "pappus/error.h"
#include "pappus/reduces.h"
#include "plan/batch.h"
#include "regions/annotation.h"
#include "support/planning.h"
#include "support/test_memory.h"

namespace pappus::testing {

/// All elements written: 0, 1, 2, ..
inline arrays::image_ptr numbered_array(std::initializer_list<std::int64_t> extents) {
  static const auto memory = std::make_shared<test_memory>();
  regions::box all(extents.size());
  std::copy(extents.begin(), extents.end(), all.high.begin());
  auto made = arrays::make_image(detail::record_type_of<std::uint32_t>(), all, {memory}, {});
  made->parts.assign(all, {arrays::content::written, 0});
  auto* numbers = reinterpret_cast<std::uint32_t*>(made->elements->data);
  for (std::int64_t i = 0; i < all.volume(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  return made;
}
/// For plans alone: without memory.
inline arrays::image_ptr planned_array(std::initializer_list<std::int64_t> extents) {
  regions::box all(extents.size());
  std::copy(extents.begin(), extents.end(), all.high.begin());
  return std::make_shared<arrays::image>(
      arrays::image{.all = all,
                    .element = detail::record_type_of<std::uint32_t>(),
                    .initial = {},
                    .parts = {all, {arrays::content::written, 0}},
                    .elements = nullptr});
}

inline std::uint32_t* element(const arrays::argument& of, const regions::point& at) {
  const auto place = place_of(*of.array, *of.elements, of.array->all);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < of.array->all.rank; ++d) offset += at[d] * place.strides[d];
  return reinterpret_cast<std::uint32_t*>(place.elements) + offset;
}

template <typename F>
void each_element(const regions::box& where, F&& f) {
  if (where.empty()) return;
  auto at = where.low;
  while (true) {
    f(at);
    auto d = where.rank;
    while (d > 0 && ++at[d - 1] == where.high[d - 1]) {
      at[d - 1] = where.low[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

/// The same by way of the places that a loop is given.
inline std::uint32_t* element(const arrays::launch& by, std::size_t argument,
                              const detail::view_place* places, const regions::point& at) {
  const auto& of = by.arguments[argument];
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < of.part.rank; ++d)
    offset += (at[d] - of.part.low[d]) * places[argument].strides[d];
  return reinterpret_cast<std::uint32_t*>(places[argument].elements) + offset;
}

/// Reads what an index touches, then writes a number made of that to what it writes, and adds it to
/// what it reduces.
inline void mixing_loop(const void* function, const detail::launch_args& args) {
  const auto& by = *static_cast<const arrays::launch*>(function);
  each_element(arrays::box_of(args.indices), [&](const regions::point& index) {
    regions::box one(by.indices.rank);
    for (std::size_t d = 0; d < one.rank; ++d) {
      one.low[d] = index[d];
      one.high[d] = index[d] + 1;
    }
    std::uint32_t sum = 17;
    for (const auto& access : by.accesses)
      if (access.reads() && !access.reduces())
        each_element(touched(by, access, one), [&](const regions::point& at) {
          sum = sum * 31 + *element(by, access.argument, args.views, at);
        });
    for (const auto& access : by.accesses)
      if (access.writes())
        each_element(touched(by, access, one), [&](const regions::point& at) {
          sum = sum * 5 + 1;
          auto& to = *element(by, access.argument, args.views, at);
          to = access.reduces() ? to + sum : sum;
        });
  });
}

struct part_of_array {
  arrays::image_ptr array;
  regions::box part{};  ///< without dimensions: all of it

  part_of_array(arrays::image_ptr all) : array(std::move(all)), part(array->all) {}
  part_of_array(arrays::image_ptr of, const regions::box& some)
      : array(std::move(of)), part(some) {}
};

/// Sums.
inline void reduce(arrays::argument& argument) {
  using sums = detail::partial_states<std::uint32_t>;
  argument.view = detail::view_access::reduce;
  argument.reduction = {&sums::start, &sums::merge, sums::name()};
}

/// \param text  "a, b: global i => read a[i], write b[i], reduce b[0]"
inline std::shared_ptr<arrays::launch> launch_of_text(const regions::box& indices,
                                                      const std::vector<part_of_array>& on,
                                                      std::string_view text) {
  auto made = std::make_shared<arrays::launch>();
  made->indices = indices;
  made->place = "test.cpp:1";
  made->footprint = text;
  made->known = arrays::launch::knowledge::annotated;
  regions::launch_signature signature{.rank = indices.rank, .arrays = {}, .values = {}};
  for (const auto& [array, part] : on) {
    signature.arrays.push_back({"", part.rank});
    made->arguments.push_back(
        {array, array->elements, part, detail::view_access::readwrite, "array"});
  }
  const auto parsed = regions::parse_annotation(text, signature);
  for (const auto& one : parsed.touches.accesses) {
    auto& access = made->accesses.emplace_back(arrays::access{one.array, one, {}});
    if (access.reduces()) reduce(made->arguments[one.array]);
    const auto& part = made->arguments[one.array].part;
    if (!one.slices.empty())
      access.linear = regions::linear(one, indices, {}, arrays::relative(part, part));
  }
  made->function = std::shared_ptr<const void>(made.get(), [](const void*) {});
  made->loop = mixing_loop;
  return made;
}

inline graph::node_ptr node_of(std::shared_ptr<const arrays::launch> launch) {
  static const auto table = std::make_shared<graph::node_table>();
  static std::atomic<std::uint64_t> count{0};
  auto made = std::make_shared<graph::node>(table);
  made->id = ++count;
  made->op = &arrays::launch_operator();
  made->name = text(*launch);
  made->params = std::move(launch);
  return made;
}

/// Launches in the order of their calls.
struct launch_list {
  std::vector<graph::node_ptr> nodes;

  arrays::launch& add(const regions::box& indices, const std::vector<part_of_array>& on,
                      std::string_view text) {
    auto made = launch_of_text(indices, on, text);
    made->number = nodes.size() + 1;
    nodes.push_back(node_of(made));
    return *made;
  }
  plan::plan planned(std::int64_t item_indices = 0, bool always_in_turns = false,
                     const cost::machine& on = made_up_machine()) const {
    return plan::plan_batch({.launches = nodes,
                             .machine = on,
                             .ask_device = [](const auto&, unsigned) { return ops::answer(); },
                             .item_indices = item_indices,
                             .always_in_turns = always_in_turns});
  }
};

/// Two to five launches over three arrays, each of which reads neighbours in one and writes to
/// another.
inline launch_list random_stencils(std::mt19937_64& random) {
  const auto n = static_cast<std::int64_t>(20 + random() % 100);
  const arrays::image_ptr images[] = {numbered_array({n}), numbered_array({n}),
                                      numbered_array({n})};
  static constexpr const char* reads[] = {"i-1:i+1", "i", "i-2:i+1", "i+1", "i-3:i", "i-1:i+2"};
  launch_list made;
  for (auto count = 2 + random() % 4; count > 0; --count) {
    const auto from = random() % 3, to = (from + 1 + random() % 2) % 3;
    made.add(images[0]->all, {images[from], images[to]},
             fmt::format("a, b: global i => read a[{}], {} b[i]", reads[random() % 6],
                         random() % 3 == 0 ? "readwrite" : "write"));
  }
  return made;
}

/// Makes the first slice of an access one that isn't linear, as no annotation can.
inline void bend(arrays::launch& of, arrays::access& one, std::int64_t how) {
  using regions::expression;
  const auto i = expression::index(0);
  const auto formula = how == 0   ? i / 2
                       : how == 1 ? expression::of(regions::operation::least, i + 2, 5)
                                  : i % 4 + 1;
  if (one.formulas.slices.empty() || (one.writes() && !one.reduces())) return;
  one.formulas.slices[0] = {formula, formula};
  const auto& part = of.arguments[one.argument].part;
  one.linear = regions::linear(one.formulas, of.indices, {}, arrays::relative(part, part));
}

/// Some launches over few arrays: most over the same indices, so that they can take turns.
/// \param reducing  half of them reduce, over so many indices that there are leaves
inline launch_list random_launches(std::mt19937_64& random, bool reducing = false) {
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const std::size_t rank = from(0, 2) == 0 ? 2 : 1;
  const auto n = reducing ? from(100, 400) / (rank == 1 ? 1 : 10) : from(1, rank == 1 ? 40 : 9);
  const auto m = reducing ? from(8, 16) : from(1, 6);
  std::vector<arrays::image_ptr> images;
  for (std::int64_t i = 0; i < 3; ++i)
    images.push_back(rank == 1 ? numbered_array({n}) : numbered_array({n, m}));
  const auto random_box = [&](const regions::box& all) {
    regions::box result = all;
    for (std::size_t d = 0; d < rank; ++d) {
      result.low[d] = from(0, all.high[d] - 1);
      result.high[d] = from(result.low[d] + 1, all.high[d]);
    }
    return result;
  };
  static constexpr std::string_view slices1[] = {"i",     "i+1", "i-2",       "i-1:i+1",
                                                 "i-3:i", "7-i", "2*i:2*i+1", ":",
                                                 "2*i+1", "3:5", "i:i+4",     "3*i:3*i+1"};
  static constexpr std::string_view slices2[] = {
      "i,j",   "i-1:i+1,j", "i,j-1:j+1", "j,i", "i+1,j-1",     "i,:",  ":,j",
      "i+j,j", "i+2,5-j",   "2*i,j",     "1,j", "i:i+2,j:j+1", "8-i,j"};
  static constexpr std::string_view reduced1[] = {"0",         "2:3",  "i", "i-1:i+1",
                                                  "2*i:2*i+1", "40-i", ":", "3*i"};
  static constexpr std::string_view reduced2[] = {"0,0", "i,0",     "0,j",     "j,0",
                                                  "i,j", "2,j:j+2", "i:i+1,3", ":,1"};
  const auto slices = [&]() {
    return rank == 1 ? slices1[from(0, std::size(slices1) - 1)]
                     : slices2[from(0, std::size(slices2) - 1)];
  };
  const auto reduced = [&] {
    const auto one = [&] {
      return rank == 1 ? reduced1[from(0, std::size(reduced1) - 1)]
                       : reduced2[from(0, std::size(reduced2) - 1)];
    };
    return from(0, 3) == 0 ? fmt::format("reduce a[{}], reduce a[{}]", one(), one())
                           : fmt::format("reduce a[{}]", one());
  };
  const std::string index = rank == 1 ? "i" : "[i,j]";
  launch_list made;
  for (std::int64_t tries = reducing ? from(2, 6) : from(4, 16); tries > 0; --tries) {
    auto indices = images[0]->all;
    if (from(0, 3) == 0) indices = random_box(indices);
    std::vector<part_of_array> on;
    for (int a = 0; a < 3; ++a) {
      const auto& array = images[static_cast<std::size_t>(from(0, 2))];
      on.emplace_back(array, from(0, 3) == 0 ? random_box(array->all) : array->all);
    }
    const auto text =
        reducing && from(0, 1) == 0
            ? fmt::format("a, b, c: global {} => {}, read b[{}]", index, reduced(), slices())
            : fmt::format("a, b, c: global {} => {} a[{}], read b[{}]{}", index,
                          from(0, 1) == 0 ? "write" : "readwrite", slices(), slices(),
                          from(0, 1) == 0 ? fmt::format(", read c[{}]", slices()) : "");
    auto launch = launch_of_text(indices, on, text);
    if (from(0, 5) == 0) bend(*launch, launch->accesses.back(), from(0, 2));
    if (reducing && from(0, 5) == 0) bend(*launch, launch->accesses.front(), from(0, 2));
    try {
      arrays::check(*launch);
    } catch (const usage_error&) {
      continue;
    }
    if (from(0, 9) == 0) launch->known = arrays::launch::knowledge::assumed;
    launch->number = made.nodes.size() + 1;
    made.nodes.push_back(node_of(std::move(launch)));
  }
  return made;
}

/// Copies of all elements of the arrays of launches.
inline std::vector<std::uint32_t> elements_of(const launch_list& launches) {
  std::vector<std::uint32_t> all;
  std::vector<const arrays::image*> seen;
  for (const auto& node : launches.nodes)
    for (const auto& one : arrays::launch_of(*node).arguments) {
      if (std::find(seen.begin(), seen.end(), one.array.get()) != seen.end()) continue;
      seen.push_back(one.array.get());
      const auto* from = reinterpret_cast<const std::uint32_t*>(one.elements->data);
      all.insert(all.end(), from, from + one.array->all.volume());
    }
  return all;
}

/// The other way.
inline void set_elements(const launch_list& launches, std::vector<std::uint32_t> all) {
  const auto* from = all.data();
  std::vector<const arrays::image*> seen;
  for (const auto& node : launches.nodes)
    for (const auto& one : arrays::launch_of(*node).arguments) {
      if (std::find(seen.begin(), seen.end(), one.array.get()) != seen.end()) continue;
      seen.push_back(one.array.get());
      const auto bytes = static_cast<std::size_t>(one.array->all.volume()) * sizeof *from;
      std::memcpy(one.elements->data, from, bytes);
      from += one.array->all.volume();
    }
}

/// The arrays' elements after the launches, one after the other on this thread; then they are what
/// they were.
inline std::vector<std::uint32_t> in_sequence(const launch_list& launches) {
  const auto start = elements_of(launches);
  for (const auto& node : launches.nodes) {
    const auto& one = arrays::launch_of(*node);
    std::vector<detail::view_place> places;
    for (const auto& of : one.arguments)
      places.push_back(place_of(*of.array, *of.elements, of.part));
    const auto all = arrays::numbers_of(one.indices);
    one.loop(one.function.get(), {all, all, places.data()});
  }
  auto result = elements_of(launches);
  set_elements(launches, start);
  return result;
}

/// For batches: all launches before them had results.
inline arrays::failure_ptr none_failed(arrays::launch_number) { return nullptr; }

}  // namespace pappus::testing
