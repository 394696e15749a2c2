// Structured bindings of 1 to 64 fields: in C++20 each number of fields must be written out.
#pragma once

#include <cstddef>

#include "pappus/detail/base/glue.h"

namespace pappus::detail {

/// call(record, visit) calls visit(fields...) for a record with Count fields.
template <std::size_t Count>
struct field_visitor;

#define PAPPUS_VISITOR(count, ...)                                                              \
  template <>                                                                                   \
  struct field_visitor<count> {                                                                 \
    template <typename Record, typename Visit>                                                  \
    PAPPUS_INLINE_BY_CLANG static constexpr decltype(auto) call(Record& record, Visit& visit) { \
      auto& [__VA_ARGS__] = record;                                                             \
      return visit(__VA_ARGS__);                                                                \
    }                                                                                           \
  };
// Eight visitors, for base + 1, ..., base + 8 fields. x is the letter of the new fields' names; the
// names of the first `base` fields follow it, each with a comma.
#define PAPPUS_EIGHT_VISITORS(base, x, ...)                                      \
  PAPPUS_VISITOR(base + 1, __VA_ARGS__ x##1)                                     \
  PAPPUS_VISITOR(base + 2, __VA_ARGS__ x##1, x##2)                               \
  PAPPUS_VISITOR(base + 3, __VA_ARGS__ x##1, x##2, x##3)                         \
  PAPPUS_VISITOR(base + 4, __VA_ARGS__ x##1, x##2, x##3, x##4)                   \
  PAPPUS_VISITOR(base + 5, __VA_ARGS__ x##1, x##2, x##3, x##4, x##5)             \
  PAPPUS_VISITOR(base + 6, __VA_ARGS__ x##1, x##2, x##3, x##4, x##5, x##6)       \
  PAPPUS_VISITOR(base + 7, __VA_ARGS__ x##1, x##2, x##3, x##4, x##5, x##6, x##7) \
  PAPPUS_VISITOR(base + 8, __VA_ARGS__ x##1, x##2, x##3, x##4, x##5, x##6, x##7, x##8)
#define PAPPUS_EIGHT(x) x##1, x##2, x##3, x##4, x##5, x##6, x##7, x##8

// clang-format off
PAPPUS_EIGHT_VISITORS(0, a, )
PAPPUS_EIGHT_VISITORS(8, b, PAPPUS_EIGHT(a), )
PAPPUS_EIGHT_VISITORS(16, c, PAPPUS_EIGHT(a), PAPPUS_EIGHT(b), )
PAPPUS_EIGHT_VISITORS(24, d, PAPPUS_EIGHT(a), PAPPUS_EIGHT(b), PAPPUS_EIGHT(c), )
PAPPUS_EIGHT_VISITORS(32, e, PAPPUS_EIGHT(a), PAPPUS_EIGHT(b), PAPPUS_EIGHT(c), PAPPUS_EIGHT(d), )
PAPPUS_EIGHT_VISITORS(40, f, PAPPUS_EIGHT(a), PAPPUS_EIGHT(b), PAPPUS_EIGHT(c), PAPPUS_EIGHT(d),
                      PAPPUS_EIGHT(e), )
PAPPUS_EIGHT_VISITORS(48, g, PAPPUS_EIGHT(a), PAPPUS_EIGHT(b), PAPPUS_EIGHT(c), PAPPUS_EIGHT(d),
                      PAPPUS_EIGHT(e), PAPPUS_EIGHT(f), )
PAPPUS_EIGHT_VISITORS(56, h, PAPPUS_EIGHT(a), PAPPUS_EIGHT(b), PAPPUS_EIGHT(c), PAPPUS_EIGHT(d),
                      PAPPUS_EIGHT(e), PAPPUS_EIGHT(f), PAPPUS_EIGHT(g), )
// clang-format on

#undef PAPPUS_EIGHT
#undef PAPPUS_EIGHT_VISITORS
#undef PAPPUS_VISITOR

}  // namespace pappus::detail
