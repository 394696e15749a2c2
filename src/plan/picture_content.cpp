#include "plan/picture_content.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/svg.h"
#include "base/text.h"
#include "graph/node.h"
#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

constexpr std::size_t tracks_max = 8, lines_max = 4;

/// "4096 x 4096", "no dimensions".
std::string extents_text(const regions::box& all) {
  std::string text;
  for (std::size_t d = 0; d < all.rank; ++d)
    text += fmt::format("{}{}", d == 0 ? "" : " x ", all.extent(d));
  return text.empty() ? "no dimensions" : text;
}

/// The access without its array's name: "read [i-1:i+1]", "write all".
std::string formulas_text(const arrays::access& one) {
  static const std::vector<std::string> indices{"i", "j", "k", "l"}, nameless(1);
  auto formulas = one.formulas;
  formulas.array = 0;
  auto text = regions::text(formulas,
                            {.formulas = {.indices = indices, .symbols = {}}, .arrays = nameless});
  return formulas.slices.empty() ? text + "all" : text;
}

/// "some, of, them, ... 3 more".
std::string some_of(const std::vector<std::string>& all, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + all[i];
  return all.size() <= most ? text : fmt::format("{}, ... {} more", text, all.size() - most);
}

class picture_finder {
 public:
  explicit picture_finder(const plan& p) : p_(p) {
    all_.rows.resize(std::min(p.stages.size(), picture_rows_max));
    for (std::size_t i = 0; i < all_.rows.size(); ++i) find_cells(i);
    for (std::size_t i = 0; i < all_.columns.size(); ++i) describe_array(i);
    for (std::size_t i = 0; i < all_.rows.size(); ++i) describe_launch(i);
    find_needs();
  }

  picture_content found() && { return std::move(all_); }

 private:
  std::size_t column_of(const arrays::image* array) {
    const auto found = std::ranges::find(all_.columns, array, &picture_column::array);
    if (found != all_.columns.end()) return static_cast<std::size_t>(found - all_.columns.begin());
    if (all_.columns.size() == picture_columns_max) {
      if (std::ranges::find(all_.left_out, array) == all_.left_out.end())
        all_.left_out.push_back(array);
      return picture_columns_max;
    }
    auto& made = all_.columns.emplace_back();
    made.array = array;
    return all_.columns.size() - 1;
  }

  void find_cells(std::size_t number) {
    auto& row = all_.rows[number];
    const auto& by = launch_of(*p_.stages[number].node);
    // Of the library's own and of what nobody knows the names are made up.
    const bool named = !by.place.empty() && by.known != arrays::launch::knowledge::assumed;
    std::vector<const arrays::image*> left_out;
    std::map<std::size_t, regions::box> elements;
    row.cells.resize(picture_columns_max);
    for (const auto& one : by.accesses) {
      const auto& of = by.arguments[one.argument];
      const auto at = column_of(of.array.get());
      if (at == picture_columns_max) {
        if (std::ranges::find(left_out, of.array.get()) == left_out.end())
          left_out.push_back(of.array.get());
        continue;
      }
      auto& names = all_.columns[at].names;
      if (named && !of.name.empty() && std::ranges::find(names, of.name) == names.end())
        names.push_back(of.name);
      auto& cell = row.cells[at];
      const auto touches = touched(by, one, by.indices);
      elements[at] = cell.touched ? regions::hull(elements[at], touches) : touches;
      cell.touched = true;
      cell.reduces |= one.reduces();
      cell.reads |= one.reads() && !one.reduces();
      cell.writes |= one.writes();
      auto text = formulas_text(one);
      if (std::ranges::find(cell.lines, text) == cell.lines.end())
        cell.lines.push_back(std::move(text));
    }
    for (const auto& [at, touches] : elements) {
      auto& lines = row.cells[at].lines;
      if (lines.size() > lines_max) {
        const auto more = lines.size() - lines_max + 1;
        lines.resize(lines_max - 1);
        lines.push_back(fmt::format("... {} more", more));
      }
      if (touches != all_.columns[at].array->all || touches.empty())
        lines.push_back(touches.empty() ? "no elements" : "of " + regions::text(touches));
      for (auto& line : lines) line = base::shortened(line, cell_letters);
    }
    if (!left_out.empty()) row.lines.push_back(fmt::format("and {} more arrays", left_out.size()));
  }

  void describe_array(std::size_t number) {
    auto& of = all_.columns[number];
    of.lines = {fmt::format("a{}{}{}", number, of.names.empty() ? "" : ": ", some_of(of.names, 2)),
                std::string(of.array->element.name), extents_text(of.array->all),
                base::bytes_text(static_cast<double>(of.array->all.volume()) *
                                 static_cast<double>(of.array->element.size))};
    for (auto& line : of.lines) line = base::shortened(line, cell_letters);
  }

  void describe_launch(std::size_t number) {
    auto& of = all_.rows[number];
    const auto& s = p_.stages[number];
    std::vector<std::string> lines{
        base::shortened(fmt::format("s{} {}", number, graph::label(*s.node)), launch_letters)};
    const auto add = [&](const std::string& text) {
      std::ranges::move(base::wrapped(text, launch_letters), std::back_inserter(lines));
    };
    add(fmt::format("{}, {} indices", regions::text(launch_of(*s.node).indices),
                    base::count_text(s.rows_in.rows)));
    add("items: " + items_text(s));
    add(traffic_text(s));
    auto before = stages_before(s);
    std::ranges::sort(before);
    std::vector<std::string> names;
    for (const auto one : before) names.push_back(fmt::format("s{}", index(one)));
    if (!names.empty()) add("after " + some_of(names, 8));
    for (const auto& line : of.lines) add(line);
    for (const auto& note : s.notes)
      std::ranges::move(base::wrapped("note: " + note, launch_letters),
                        std::back_inserter(of.notes));
    of.lines = std::move(lines);
    of.header = base::wrapped(s.turns_note, launch_letters);
  }

  void find_needs() {
    // Which launches each one waits for, by way of others too.
    std::vector<std::bitset<picture_rows_max>> all(all_.rows.size());
    for (std::size_t row = 0; row < all_.rows.size(); ++row)
      for (const auto before : stages_before(p_.stages[row]))
        all[row] |= all[index(before)] | std::bitset<picture_rows_max>().set(index(before));
    for (std::size_t row = 0; row < all_.rows.size(); ++row) {
      const auto& s = p_.stages[row];
      const auto direct = stages_before(s);
      for (const auto& n : s.needs) {
        const auto before = index(n.before);
        if (std::ranges::any_of(direct, [&](auto other) { return all[index(other)][before]; }))
          continue;
        const auto& by = launch_of(*s.node);
        const auto* array = by.arguments[by.accesses[n.own].argument].array.get();
        if (const auto at = column_of(array); at < all_.columns.size())
          add(all_.columns[at], n.why == need::conflict::read_after_write, before, row);
      }
    }
    for (auto& column : all_.columns) choose_tracks(column);
  }

  /// Those who read what one wrote share a track, as do those who are waited for by one who writes.
  static void add(picture_column& to, bool solid, std::size_t before, std::size_t after) {
    const auto same = std::ranges::find_if(to.needs, [&](const picture_need& n) {
      return n.solid == solid && (solid ? n.from.front() == before : n.to.front() == after);
    });
    auto& n = same == to.needs.end() ? to.needs.emplace_back() : *same;
    n.solid = solid;
    if (std::ranges::find(n.from, before) == n.from.end()) n.from.push_back(before);
    if (std::ranges::find(n.to, after) == n.to.end()) n.to.push_back(after);
    n.first = std::ranges::min(n.from);
    n.last = std::ranges::max(n.to);
  }

  static void choose_tracks(picture_column& of) {
    std::ranges::stable_sort(of.needs, {}, &picture_need::first);
    std::array<std::size_t, tracks_max> taken{};  // up to this row
    std::erase_if(of.needs, [&](picture_need& n) {
      const auto room = std::ranges::find_if(taken, [&](auto last) { return last <= n.first; });
      if (room == taken.end()) return true;
      *room = n.last;
      n.track = static_cast<std::size_t>(room - taken.begin());
      of.tracks = std::max(of.tracks, n.track + 1);
      return false;
    });
  }

  const plan& p_;
  picture_content all_;
};

}  // namespace

picture_content content_of_picture(const plan& p) { return picture_finder(p).found(); }

}  // namespace pappus::plan
