#include "run/inputs_in_step.h"

#include <algorithm>
#include <utility>

#include "ops/slice.h"

namespace pappus::run {

using detail::row_set;
using detail::rows_ptr;

live_executor::inputs_in_step::inputs_in_step(live_executor& executor, plan::stage_index stage)
    : executor_(executor), left_(executor.plan_.stages[plan::index(stage)].node->stage.rows) {
  const auto& inputs = executor.plan_.stages[plan::index(stage)].inputs;
  for (const auto other : std::span(inputs).subspan(1))
    others_.push_back(window_source::make(executor, other));
}

rows_ptr live_executor::inputs_in_step::take(const rows_ptr& first, std::span<rows_ptr> others) {
  auto rows = left_ < 0 ? first->rows() : std::min(left_, first->rows());
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i] = next(*others_[i], rows);
    rows = std::min(rows, others[i]->rows());
  }
  for (auto& other : others)
    if (other->rows() > rows) other = ops::part_of(other, 0, rows);
  if (left_ >= 0) left_ -= rows;
  return rows == first->rows() ? first : ops::part_of(first, 0, rows);
}

/// So many rows, fewer only where there are no more. A source may use its buffer again for the next
/// window, so what it yields in pieces is copied.
rows_ptr live_executor::inputs_in_step::next(window_source& from, std::int64_t rows) const {
  auto window = from.read(rows);
  if (window->rows() == rows || from.ended()) return window;
  const auto copy = [&](const rows_ptr& piece) {
    return copied(piece, executor_.with_.team, executor_.with_.memory);
  };
  auto all = std::make_shared<row_set>(window->layout());
  for (window = copy(window);; window = copy(from.read(rows - all->rows()))) {
    all->append(window);
    if (all->rows() == rows || from.ended()) return all;
  }
}

bool live_executor::inputs_in_step::ended() const {
  return left_ == 0 || std::ranges::any_of(others_, [](const auto& one) { return one->ended(); });
}

}  // namespace pappus::run
