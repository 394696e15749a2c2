// The picture of a plan of launches: what a sequence diagram is for messages.
//
// A graph of arrays and launches as nodes and edges is a knot from a dozen of them on, and its
// layout jumps with every launch. Here launches are rows in their order and arrays columns, so
// that each pair has a cell of its own for what is touched, and nothing can cover anything. Needs
// run along the column of the array that they are about; one that follows from others is left to
// the text "after s0, s1". Pure and without fonts: letters have one width (base/svg.h).
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/svg.h"
#include "graph/node.h"
#include "plan/batch.h"
#include "plan/picture_content.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;
using base::letter_width, base::line_height;

// Pixels.
constexpr double margin = 24, padding = 8, bracket = 16, gap = 14, arrow = 26, track_width = 7;
constexpr double launch_left = margin + bracket;
constexpr double launch_width = launch_letters * letter_width + 2 * padding;

constexpr const char* picture_style = R"(.array, .launch { fill: #f6f8fa; stroke: #8c959f; }
.turns { fill: #fff8e6; stroke: none; }
.bracket { stroke: #9a6700; stroke-width: 2; }
.title { font-weight: 600; }
.note { fill: #9a6700; }
.faint { fill: #57606a; }
.row, .life { stroke: #d0d7de; }
.read { stroke: #0969da; } .write { stroke: #cf222e; } .reduce { stroke: #8250df; }
.need { stroke: #57606a; } .order { stroke: #57606a; stroke-dasharray: 3 3; }
.read, .write, .reduce { stroke-width: 1.5; }
.head { stroke: none; } .head.read { fill: #0969da; } .head.write { fill: #cf222e; }
.head.reduce { fill: #8250df; } .head.need, .head.order { fill: #57606a; }
)";

/// Kinds of lines and what they say.
constexpr std::pair<const char*, const char*> legend_parts[] = {{"read", "reads"},
                                                                {"write", "writes"},
                                                                {"reduce", "reduces"},
                                                                {"need", "reads what was written"},
                                                                {"order", "writes afterwards"}};
double legend_width(std::string_view what) {
  return arrow + letter_width * static_cast<double>(what.size()) + 2 * padding;
}

struct placed_row : picture_row {
  std::size_t stage = 0;
  double top = 0, height = 0;  ///< of the launch's box
  double middle() const { return top + line_height; }
};

struct placed_column : picture_column {
  double left = 0, width = 0;
  double life() const { return left + arrow; }
  double text_left() const {
    return life() + padding + static_cast<double>(tracks) * track_width + padding;
  }
};

class batch_picture {
 public:
  explicit batch_picture(const plan& p) : p_(p) {
    auto content = content_of_picture(p);
    for (auto& row : content.rows) rows_.push_back({std::move(row), rows_.size()});
    for (auto& column : content.columns) columns_.push_back({std::move(column)});
    left_out_ = content.left_out.size();
    place();
  }

  std::string drawn() {
    legend();
    for (const auto& column : columns_) draw(column);
    for (const auto& turn : p_.order) draw(turn);
    for (const auto& row : rows_) draw(row);
    for (const auto& column : columns_)
      for (const auto& need : column.needs) draw(column, need);
    if (rows_.size() < p_.stages.size())
      picture_.text(launch_left + padding, bottom_, "faint",
                    fmt::format("... {} more launches", p_.stages.size() - rows_.size()));
    return picture_.document(right_ + margin, bottom_ + margin, picture_style);
  }

 private:
  void place() {
    double x = launch_left + launch_width + 2 * padding;
    for (std::size_t at = 0; at < columns_.size(); ++at) {
      auto& column = columns_[at];
      std::size_t most = 8;
      for (const auto& line : column.lines) most = std::max(most, base::letters(line));
      for (const auto& row : rows_)
        for (const auto& line : row.cells[at].lines) most = std::max(most, base::letters(line));
      column.left = x;
      column.width = column.text_left() - x + static_cast<double>(most) * letter_width + padding;
      x += column.width + padding;
    }
    double legend = launch_left + launch_width + 2 * padding;
    for (const auto& [kind, what] : legend_parts) legend += legend_width(what);
    right_ = std::max(x, legend);
    bottom_ = body_top + gap;
    for (auto& row : rows_) {
      bottom_ += static_cast<double>(row.header.size()) * line_height;
      std::size_t deepest = 0;
      for (const auto& cell : row.cells) deepest = std::max(deepest, cell.lines.size());
      row.top = bottom_;
      row.height = padding + line_height * static_cast<double>(std::max(
                                               row.lines.size() + row.notes.size(), deepest + 1));
      bottom_ += row.height + gap;
    }
    bottom_ += line_height;
  }

  void legend() {
    const double y = margin + line_height;
    picture_.text(launch_left, y, "title",
                  base::shortened(fmt::format("{} launches over {} arrays, {}", p_.stages.size(),
                                              columns_.size() + left_out_,
                                              predicted_text(p_.seconds(), p_.how())),
                                  launch_letters));
    double x = launch_left + launch_width + 2 * padding;
    for (const auto& [kind, what] : legend_parts) {
      picture_.path(kind, fmt::format("M {:.1f} {:.1f} h 18", x, y - 4));
      picture_.text(x + arrow, y, "faint", what);
      x += legend_width(what);
    }
    if (left_out_ > 0)
      picture_.text(launch_left, body_top - line_height, "faint",
                    fmt::format("... {} more arrays", left_out_));
  }

  void draw(const placed_column& of) {
    picture_.box(of.left, header_top, of.width, body_top - header_top, "array");
    for (std::size_t i = 0; i < of.lines.size(); ++i)
      picture_.text(of.left + padding, header_top + line_height * static_cast<double>(i + 1),
                    i == 0 ? "title" : "faint", of.lines[i]);
    picture_.path("life", fmt::format("M {:.1f} {:.1f} V {:.1f}", of.life(), body_top,
                                      bottom_ - line_height - gap));
  }

  /// Launches that take turns.
  void draw(const turn& of) {
    if (of.stages < 2 || of.first >= rows_.size()) return;
    const auto& first = rows_[of.first];
    const auto& last = rows_[std::min(of.first + of.stages, rows_.size()) - 1];
    const double top = first.top - static_cast<double>(first.header.size()) * line_height;
    picture_.box(margin, top - 4, bracket + launch_width + padding,
                 last.top + last.height - top + 8, "turns");
    picture_.path("bracket", fmt::format("M {0:.1f} {1:.1f} H {2:.1f} V {3:.1f} H {0:.1f}",
                                         launch_left - 3, top, margin + 4, last.top + last.height));
    double y = top + line_height - 6;
    for (const auto& line : first.header) {
      picture_.text(launch_left, y, "note", line);
      y += line_height;
    }
  }

  void draw(const placed_row& of) {
    const auto& by = launch_of(*p_.stages[of.stage].node);
    double end = launch_left + launch_width;
    for (std::size_t at = 0; at < columns_.size(); ++at)
      if (of.cells[at].touched) end = columns_[at].life();
    picture_.path("row", fmt::format("M {:.1f} {:.1f} H {:.1f}", launch_left + launch_width,
                                     of.middle(), end));
    picture_.box(launch_left, of.top, launch_width, of.height, "launch",
                 fmt::format("{}: {}", graph::label(*p_.stages[of.stage].node), by.footprint));
    double y = of.top;
    for (std::size_t i = 0; i < of.lines.size(); ++i)
      picture_.text(launch_left + padding, y += line_height, i == 0 ? "title" : "faint",
                    of.lines[i]);
    for (const auto& line : of.notes)
      picture_.text(launch_left + padding, y += line_height, "note", line);
    for (std::size_t at = 0; at < columns_.size(); ++at)
      if (of.cells[at].touched) draw(of, columns_[at], of.cells[at]);
  }

  void draw(const placed_row& row, const placed_column& column, const picture_cell& of) {
    const char* kind = of.reduces ? "reduce" : of.writes ? "write" : "read";
    const double y = row.middle(), left = column.left + 2, life = column.life();
    picture_.path(kind, fmt::format("M {:.1f} {:.1f} H {:.1f}", left, y, life));
    if (of.reads) head(kind, left, y, 1);
    if (of.writes) head(kind, life, y, -1);
    double text = y;
    for (const auto& line : of.lines)
      picture_.text(column.text_left(), text += line_height, "cell", line);
  }

  void draw(const placed_column& column, const picture_need& of) {
    const char* kind = of.solid ? "need" : "order";
    const double life = column.life();
    const double x = life + padding + static_cast<double>(of.track) * track_width;
    const auto leaving = [&](std::size_t row) { return rows_[row].middle() + 5; };
    const auto reaching = [&](std::size_t row) { return rows_[row].middle() - 5; };
    std::string steps =
        fmt::format("M {:.1f} {:.1f} V {:.1f}", x, leaving(of.first), reaching(of.last));
    for (const auto row : of.from)
      steps += fmt::format(" M {:.1f} {:.1f} H {:.1f}", life, leaving(row), x);
    for (const auto row : of.to)
      steps += fmt::format(" M {:.1f} {:.1f} H {:.1f}", x, reaching(row), life);
    picture_.path(kind, steps);
    for (const auto row : of.to) head(kind, life, reaching(row), 1);
  }

  /// The head of an arrow. \param way  1: to the left
  void head(const char* kind, double x, double y, double way) {
    picture_.path(fmt::format("head {}", kind),
                  fmt::format("M {:.1f} {:.1f} l {:.1f} -3.5 v 7 z", x, y, 7 * way));
  }

  static constexpr double header_top = margin + 2 * line_height;
  static constexpr double body_top = header_top + 4 * line_height + padding;

  const plan& p_;
  std::vector<placed_row> rows_;
  std::vector<placed_column> columns_;
  std::size_t left_out_ = 0;  ///< arrays
  double right_ = 0, bottom_ = 0;
  base::svg picture_;
};

}  // namespace

std::string draw_batch(const plan& p) { return batch_picture(p).drawn(); }

}  // namespace pappus::plan
