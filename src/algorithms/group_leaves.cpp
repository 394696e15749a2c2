#include "algorithms/group_leaves.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pappus::algorithms {
namespace {

constexpr double most_groups = 1e9;  // that an estimate tells from more

/// How many groups there are when `rows` random rows have `found` of them: solves found = groups *
/// (1 - exp(-rows / groups)).
double estimated_groups(double rows, double found) {
  double low = found, high = most_groups;
  if (found >= rows) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (middle * -std::expm1(-rows / middle) < found ? low : high) = middle;
  }
  return high;
}

struct grown {
  double groups, records;  ///< in the first rows
};
/// How many groups there are when random rows of several records have `some` of them, and eight
/// times as many rows have `found`. How many records a row has isn't known, so two numbers are
/// solved for: with x records a group in the first rows, some = groups * (1 - exp(-x)) and
/// found = groups * (1 - exp(-8 x)).
grown estimated_by_growth(double some, double found) {
  double low = 1e-9, high = 40;  // x: of all groups that an estimate tells apart, and of no more
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (std::expm1(-8 * middle) / std::expm1(-middle) > found / some ? low : high) = middle;
  }
  const double groups = some / -std::expm1(-low);
  return {std::clamp(groups, found, std::max(found, most_groups)), low * groups};
}

}  // namespace

std::int64_t rows_of_group_leaf(double groups, std::int64_t least) {
  constexpr double most = 1e15;  // bit_ceil of 16 times as many is in range
  const auto wanted = static_cast<std::uint64_t>(std::ceil(std::clamp(groups, 0.0, most))) * 16;
  return std::max(least, static_cast<std::int64_t>(std::bit_ceil(wanted)));
}

unknown_key_leaves::unknown_key_leaves(std::int64_t expected, std::int64_t few)
    : expected_(expected), few_(few) {
  if (expected <= few_) return;
  many_ = true;
  groups_ = static_cast<double>(expected);
  known_end_ = all_rows;
  late_ = {0, 0, rows_of_group_leaf(groups_, least_rows())};
}

group_leaf unknown_key_leaves::at(std::int64_t row) const {
  if (row >= late_.begin) {
    if (late_.end == all_rows) return late_;
    const std::int64_t rows = late_.end - late_.begin, number = (row - late_.begin) / rows;
    const std::int64_t begin = late_.begin + number * rows;
    return {late_.number + number, begin, begin + rows};
  }
  if (row < first_rows_) return {0, 0, first_rows_};
  if (early_is_one_) return {1, first_rows_, early_end_};
  const std::int64_t number = row / early_rows_;
  return {number + 1, std::max(first_rows_, number * early_rows_), (number + 1) * early_rows_};
}

void unknown_key_leaves::glance(std::int64_t groups) {
  glanced_groups_ = static_cast<double>(groups);
}

/// Of the rows glanced at and all of the first leaf's, which have `found`. More groups than rows
/// show that a row may be several records.
double unknown_key_leaves::estimate_of_first_rows(double found) {
  const auto rows = static_cast<double>(first_rows_), glanced = static_cast<double>(glanced_rows());
  if (glanced_groups_ == 0 || (glanced_groups_ <= glanced && found <= rows))
    return estimated_groups(rows, found);
  const auto estimate = estimated_by_growth(glanced_groups_, found);
  row_records_ = std::max(estimate.records / glanced, 1.0);
  return estimate.groups;
}

/// What the estimate of the first leaf will have become, about. From the rows glanced at to all of
/// the leaf's, eight times as many, it grew by a factor; from these to 2^20, 128 times as many, it
/// grows by that factor and half of it again, for keys that come as often as Zipf's law says.
double unknown_key_leaves::estimate_at_early_end(double first) const {
  constexpr double chance = 1.25;  // by which estimates of as many groups may differ
  if (glanced_groups_ == 0 || row_records_ > 1) return first;  // both numbers are used already
  const double growth =
      first / estimated_groups(static_cast<double>(glanced_rows()), glanced_groups_);
  return growth < chance ? first : first * std::pow(growth, 1.5);
}

void unknown_key_leaves::learn(std::int64_t leaves, std::int64_t groups) {
  const double rows = known_end_ == early_end_ ? static_cast<double>(early_end_ - first_rows_) /
                                                     static_cast<double>(leaves)
                                               : static_cast<double>(late_.end - late_.begin),
               found = static_cast<double>(groups) / static_cast<double>(leaves);
  const double estimate = known_end_ == first_rows_ ? estimate_of_first_rows(found)
                                                    : estimated_groups(row_records_ * rows, found);
  if (!many_ || known_end_ == early_end_) groups_ = estimate;
  many_ |= estimate > static_cast<double>(few_);
  if (known_end_ == first_rows_) {
    many_ |= estimate_at_early_end(estimate) > static_cast<double>(few_);
    early_is_one_ = many_;
    known_end_ = early_end_;
  } else if (known_end_ == early_end_) {
    const double wanted = expected_ >= 0 ? static_cast<double>(expected_) : estimate;
    late_ = {at(early_end_ - 1).number + 1, early_end_,
             early_end_ + rows_of_group_leaf(wanted, least_rows())};
    known_end_ = all_rows;
  }
}

void unknown_key_leaves::end_with(std::int64_t number, std::int64_t begin) {
  late_ = {number, begin, all_rows};
  known_end_ = all_rows;
}

}  // namespace pappus::algorithms
