#include "algorithms/coded_texts.h"

#include <algorithm>

namespace pappus::algorithms {

namespace codes = detail::text_codes;

coded_texts::worker::worker(coded_texts& of, bool stay) : of_(&of), stay_(stay) {
  longer = [](detail::text_coder& self, std::string_view text) {
    return static_cast<worker&>(self).code_of_longer(text);
  };
  room = [](detail::text_coder& self, std::size_t bytes) {
    return static_cast<worker&>(self).room_for(bytes);
  };
}
coded_texts::worker::~worker() { of_->rows_longer_ += rows_longer_; }

bits128 coded_texts::worker::code_of_longer(std::string_view text) {
  ++rows_longer_;
  return codes::of_number(stay_ ? of_->longer_.find_or_insert(text, known_longer_)
                                : of_->longer_.find_or_insert(text));
}

char* coded_texts::worker::room_for(std::size_t bytes) {
  constexpr std::size_t least = 256;
  if (bytes > room_bytes_) {
    room_bytes_ = std::max({2 * room_bytes_, bytes, least});
    room_ = std::make_unique_for_overwrite<char[]>(room_bytes_);
  }
  return room_.get();
}

/// Sets the codes of longer texts; none where there come no more and they are none of those.
void coded_texts::worker::number_longer(const std::string_view* texts, std::size_t n,
                                        bits128* numbered) {
  std::array<std::uint32_t, batch_max> ids;
  rows_longer_ += static_cast<std::int64_t>(n);
  of_->longer_.find_or_insert(texts, n, ids.data(), known_longer_);
  for (std::size_t i = 0; i < n; ++i)
    numbered[i] = ids[i] == string_ids::none ? none : codes::of_number(ids[i]);
}

/// Sets the codes of texts that aren't among the first longer ones, where there is a limit.
std::size_t coded_texts::worker::find_seen(const std::string_view* texts, std::size_t n,
                                           bits128* found) {
  std::array<std::uint32_t, batch_max> ids;
  const auto without = of_->seen_->find_or_insert(texts, n, ids.data(), known_);
  const auto numbered = static_cast<std::uint32_t>(of_->numbered_);
  for (std::size_t i = 0; i < n; ++i)
    found[i] = ids[i] == string_ids::none            ? none
               : texts[i].size() <= codes::short_max ? codes::of_short(texts[i])
                                                     : codes::of_number(numbered + ids[i]);
  return without;
}

std::size_t coded_texts::worker::codes_of(const std::string_view* texts, std::size_t n,
                                          bits128* found) {
  if (!stay_) {  // others were there before
    known_.forget();
    known_longer_.forget();
  }
  std::array<std::string_view, batch_max> some;
  std::array<bits128, batch_max> of_some;
  std::array<std::uint32_t, batch_max> places;
  /// Calls code(some, count, of_some) for those of which wanted(i) is true.
  const auto for_those = [&](auto&& wanted, auto&& code) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!wanted(i)) continue;
      some[count] = texts[i];
      places[count++] = static_cast<std::uint32_t>(i);
    }
    if (count > 0) code(some.data(), count, of_some.data());
    for (std::size_t k = 0; k < count; ++k) found[places[k]] = of_some[k];
  };
  const auto is_short = [&](std::size_t i) { return texts[i].size() <= codes::short_max; };
  for (std::size_t i = 0; i < n; ++i)
    found[i] = is_short(i) && !of_->seen_ ? codes::of_short(texts[i]) : none;
  for_those([&](std::size_t i) { return !is_short(i); },
            [&](auto... which) { number_longer(which...); });
  std::size_t without = 0;
  if (of_->seen_)
    for_those([&](std::size_t i) { return found[i] == none; },
              [&](auto... which) { without = find_seen(which...); });
  return without;
}

detail::buffer coded_texts::longer(detail::workers& team) const {
  detail::buffer all(*memory_, size() * sizeof(std::string_view), owner_);
  auto* const texts = all.as<std::string_view>();
  longer_.by_id(team, texts);
  if (seen_) seen_->by_id(team, texts + numbered_);
  return all;
}

std::vector<detail::buffer> coded_texts::take_copies() {
  auto all = longer_.take_copies();
  if (seen_)
    for (auto& one : seen_->take_copies()) all.push_back(std::move(one));
  return all;
}

void coded_texts::drop_old_tables() noexcept {
  longer_.drop_old_tables();
  if (seen_) seen_->drop_old_tables();
}

}  // namespace pappus::algorithms
