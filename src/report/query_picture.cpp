// The picture of a query's plan: stages are boxes below each other in the order in which they ran,
// so none can cover another. Rows go straight down to the next stage, and to later ones beside the
// boxes, each stage's in a track of its own.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/svg.h"
#include "base/text.h"
#include "report/pictures.h"
#include "report/scale.h"

namespace pappus::report {
namespace {

using base::letter_width, base::line_height;

constexpr double box_padding = 10, box_gap = 30, track_width = 9, bar_height = 7;
constexpr double box_width = 660, beside = 28;  // where a straight arrow goes down
constexpr double head_length = 7;

class plan_picture {
 public:
  plan_picture(const query_facts& q, unsigned threads) : q_(q), threads_(threads) {
    drawn_ = std::min(q.stages.size(), drawn_stages_max);
    place();
  }

  std::string drawn() {
    for (std::size_t i = 0; i < drawn_; ++i) draw_box(i);
    for (std::size_t i = 0; i < drawn_; ++i) draw_rows(i);
    if (const auto more = q_.stages.size() - drawn_ + q_.left_out; more > 0)
      picture_.text(left_, bottom_, "faint", fmt::format("... {} more stages", more));
    return picture_.fragment(picture_width, bottom_ + box_padding);
  }

 private:
  struct placed {
    double top = 0, height = 0;
    std::vector<std::string> lines{};
    std::vector<std::pair<std::size_t, bool>> readers{};  ///< further down; true: as a side
    std::size_t track = 0, last = 0;                      ///< of rows that go past other stages
    std::size_t entries = 0;                              ///< arrows that came from the side
  };

  void place() {
    boxes_.resize(drawn_);
    for (std::size_t i = 0; i < drawn_; ++i) {
      for (const auto input : q_.stages[i].inputs) boxes_[input].readers.emplace_back(i, false);
      for (const auto side : q_.stages[i].sides) boxes_[side].readers.emplace_back(i, true);
    }
    std::vector<std::size_t> free_from;  // of each track
    for (std::size_t i = 0; i < drawn_; ++i) {
      auto& box = boxes_[i];
      for (const auto& [reader, side] : box.readers) box.last = std::max(box.last, reader);
      if (box.last <= i + 1) continue;
      while (box.track < free_from.size() && free_from[box.track] > i) ++box.track;
      if (box.track == free_from.size()) free_from.push_back(0);
      free_from[box.track] = box.last + 1;
    }
    left_ = 6 + track_width * static_cast<double>(free_from.size() + 1);
    double y = 4;
    for (std::size_t i = 0; i < drawn_; ++i) {
      auto& box = boxes_[i];
      const auto& s = q_.stages[i];
      box.lines = {facts_text(s, threads_)};
      if (auto operators = operators_text(s); !operators.empty())
        box.lines.push_back(std::move(operators));
      box.top = y;
      box.height = 2 * box_padding - 4 + line_height * static_cast<double>(box.lines.size() + 1);
      y += box.height + box_gap;
      longest_ = std::max(longest_, s.seconds);
    }
    bottom_ = y - box_gap + (drawn_ < q_.stages.size() ? box_gap : 0);
  }

  static const char* kind_of(const stage_facts& s) {
    if (s.what == stage_facts::kind::is_there) return "stage there";
    if (s.what == stage_facts::kind::reads_file) return "stage file";
    return s.place == "cpu" ? "stage" : "stage device";
  }

  void draw_box(std::size_t i) {
    const auto& s = q_.stages[i];
    const auto& box = boxes_[i];
    picture_.box(left_, box.top, box_width, box.height, kind_of(s), s.label);
    constexpr auto letters = static_cast<std::size_t>((box_width - 2 * box_padding) / letter_width);
    const auto where = s.what == stage_facts::kind::computes ? s.place : std::string();
    const auto for_name = letters - base::letters(where) - 1;
    double y = box.top + box_padding + 8;
    picture_.text(left_ + box_padding, y, "title",
                  base::shortened(fmt::format("s{} {}", i, s.label), for_name));
    if (!where.empty()) picture_.text(left_ + box_width - box_padding, y, "place end", where);
    for (const auto& line : box.lines)
      picture_.text(left_ + box_padding, y += line_height, "faint", base::shortened(line, letters));
    if (s.what != stage_facts::kind::is_there) draw_time(s, box);
  }

  void draw_time(const stage_facts& s, const placed& box) {
    const double left = left_ + box_width + 2 * box_padding, y = box.top + box_padding + 8;
    const double width = picture_width - left - 4;
    const auto length = [&](double seconds) {
      return longest_ > 0 ? std::max(1.0, width * seconds / longest_) : 1.0;
    };
    picture_.text(left, y, "title", base::time_text(s.seconds));
    const auto predicted = "predicted " + base::time_text(s.predicted_s);
    picture_.text(picture_width - 4, y, "faint end", predicted);
    const double bar = y + 8;
    picture_.path("bar", fmt::format("M {0:.1f} {1:.1f} h {2:.1f} v {3:.1f} h -{2:.1f} z", left,
                                     bar, length(s.seconds), bar_height));
    if (const double at = length(s.predicted_s); at <= width)
      picture_.path("mark",
                    fmt::format("M {:.1f} {:.1f} v {:.1f}", left + at, bar - 3, bar_height + 6));
  }

  /// Where one more arrow comes to a stage from the side.
  double entry_of(std::size_t stage) {
    constexpr double apart = 10, first = 12;
    auto& box = boxes_[stage];
    const auto at = first + apart * static_cast<double>(box.entries++);
    return box.top + std::min(at, box.height - first);
  }

  /// The rows of a stage, to all that read them.
  void draw_rows(std::size_t i) {
    const auto& from = boxes_[i];
    if (from.readers.empty()) return;
    const double bottom = from.top + from.height;
    std::string others;
    bool next = false;
    for (const auto& [reader, side] : from.readers) {
      if (reader == i + 1) {
        const double x = left_ + beside, end = boxes_[reader].top;
        picture_.path(side ? "edge side" : "edge",
                      fmt::format("M {:.1f} {:.1f} V {:.1f}", x, bottom, end - head_length + 1));
        picture_.path("head",
                      fmt::format("M {:.1f} {:.1f} l -4 {:.1f} h 8 z", x, end, -head_length));
        next = true;
        continue;
      }
      const double x = left_ - track_width * static_cast<double>(from.track + 1), out = bottom - 9,
                   in = entry_of(reader);
      picture_.path(side ? "edge side" : "edge",
                    fmt::format("M {:.1f} {:.1f} H {:.1f} V {:.1f} H {:.1f}", left_, out, x, in,
                                left_ - head_length + 1));
      picture_.path("head",
                    fmt::format("M {:.1f} {:.1f} l {:.1f} -4 v 8 z", left_, in, -head_length));
      others += fmt::format("{}s{}", others.empty() ? "" : ", ", reader);
    }
    auto text = fmt::format("{} row{}", base::count_text(q_.stages[i].rows_out),
                            q_.stages[i].rows_out == 1 ? "" : "s");
    if (!others.empty()) text += (next ? ", also to " : " to ") + others;
    picture_.text(left_ + beside + 10, bottom + box_gap / 2 + 4, "faint",
                  base::shortened(text, 80));
  }

  const query_facts& q_;
  const unsigned threads_;
  std::size_t drawn_ = 0;
  std::vector<placed> boxes_;
  double left_ = 0, bottom_ = 0, longest_ = 0;
  base::svg picture_;
};

}  // namespace

std::string facts_text(const stage_facts& s, unsigned threads) {
  const auto rows = [](std::int64_t n) { return base::count_text(n); };
  std::string text;
  if (s.what == stage_facts::kind::is_there)
    text = fmt::format("{} rows in memory", rows(s.rows_out));
  else if (s.what == stage_facts::kind::reads_file)
    text = fmt::format("{} rows of {}", rows(s.rows_out), base::bytes_text(s.bytes));
  else if (s.index_bytes > 0)
    text =
        fmt::format("{} rows indexed, about {}", rows(s.rows_in), base::bytes_text(s.index_bytes));
  else
    text = fmt::format("{} → {} row{}, {}", rows(s.rows_in), rows(s.rows_out),
                       s.rows_out == 1 ? "" : "s", base::bytes_text(s.bytes));
  if (s.used_columns < s.columns)
    text += fmt::format(", {} of {} columns", s.used_columns, s.columns);
  if (s.threads > 0) text += fmt::format(", {} of {} threads", s.threads, threads);
  if (s.windows > 1) text += fmt::format(", {} windows", base::count_text(s.windows));
  if (s.cached) text += ", kept by cache()";
  return text;
}

std::string operators_text(const stage_facts& s) {
  std::string text;
  for (const auto& op : s.operators) {
    if (!text.empty()) text += ", ";
    text += op.kept <= 1 ? fmt::format("{} keeps {:.3g} %", op.name, op.kept * 100)
                         : fmt::format("{} yields {:.3g} for each", op.name, op.kept);
  }
  return text;
}

std::string draw_query(const query_facts& q, unsigned threads) {
  return plan_picture(q, threads).drawn();
}

}  // namespace pappus::report
