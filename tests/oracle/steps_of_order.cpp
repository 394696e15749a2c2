// Sorts, and what takes some of the sorted rows.
#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

template <typename F>
std::string ordered_by(const F& key, bool backwards = false) {
  return ordered(key.sql(), backwards) + ", ";
}

/// By one key, in either direction.
template <typename F>
rows sort_by_one(pipeline& p, const rows& in) {
  const auto key = F::drawn(p.d);
  const bool backwards = p.d.once_in(2);
  p.add_in_order("sort_by", columns_of(""), "{in}", ordered_by(key, backwards) + "pos");
  return backwards ? in.sort_by(descending(key)) : in.sort_by(key);
}
/// By three keys, the one in the middle backwards.
template <typename A, typename B, typename C>
rows sort_by_three(pipeline& p, const rows& in) {
  const auto a = A::drawn(p.d);
  const auto b = B::drawn(p.d);
  const auto c = C::drawn(p.d);
  p.add_in_order("sort_by three", columns_of(""), "{in}",
                 ordered_by(a) + ordered_by(b, true) + ordered_by(c) + "pos");
  return in.sort_by(a, descending(b), c);
}
rows sort_by_members(pipeline& p, const rows& in) {
  p.add_in_order("sort_by members", columns_of(""), "{in}",
                 "key, name desc, maybe desc nulls last, pos");
  return in.sort_by(&record::key, descending(&record::name), descending(&record::maybe));
}
template <typename F>
rows top(pipeline& p, const rows& in) {
  const auto key = F::drawn(p.d);
  const bool greatest = p.d.once_in(2);
  const auto n = p.d.between(0, p.d.once_in(4) ? 3'000 : 30);
  p.most_rows = std::min(p.most_rows, n);
  p.add_in_order(
      greatest ? "top" : "bottom", columns_of(""),
      fmt::format("(select * from {{in}} order by {}pos limit {})", ordered_by(key, greatest), n),
      ordered_by(key, greatest) + "pos");
  return greatest ? in.top(n, key) : in.bottom(n, key);
}

}  // namespace

const std::vector<step>& steps_of_order() {
  static const std::vector<step> all{
      {"sort_by number", sort_by_one<number_of>},
      {"sort_by real", sort_by_one<real_of>},
      {"sort_by text", sort_by_one<text_of>},
      {"sort_by maybe", sort_by_one<maybe_of>},
      {"sort_by maybe real", sort_by_one<maybe_real_of>},
      {"sort_by maybe text", sort_by_one<maybe_text_of>},
      {"sort_by moment", sort_by_one<moment_of>},
      {"sort_by three", sort_by_three<day_of, maybe_real_of, text_of>},
      {"sort_by text first", sort_by_three<maybe_text_of, number_of, real_of>},
      {"sort_by members", sort_by_members},
      {"top number", top<number_of>},
      {"top real", top<real_of>},
      {"top text", top<text_of>},
      {"top maybe", top<maybe_of>}};
  return all;
}

}  // namespace pappus::oracle
