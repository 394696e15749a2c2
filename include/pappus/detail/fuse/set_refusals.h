// What operators on sets of records refuse; see refusals.h.
#pragma once

#include <concepts>

#include "pappus/detail/base/coded_key.h"
#include "pappus/detail/base/refused.h"

namespace pappus {
template <typename E>
class query;
}

namespace pappus::detail {

/// Overloads that refuse, for operators on sets of records.
template <typename T>
class set_refusals {
 public:
  template <typename... Others>
    requires(!join_key<T>)
  PAPPUS_REFUSED("union_with: the record" PAPPUS_ISNT_A_KEY)
  refused<T> union_with(const query<Others>&...) const {
    return {};
  }
  template <typename... Others>
    requires(join_key<T> && !(std::same_as<typename Others::value_type, T> && ...))
  PAPPUS_REFUSED("union_with: all collections must hold the same record type")
  refused<T> union_with(const query<Others>&...) const {
    return {};
  }

  template <typename Other>
    requires(!join_key<T>)
  PAPPUS_REFUSED("intersect: the record" PAPPUS_ISNT_A_KEY)
  refused<T> intersect(const query<Other>&) const {
    return {};
  }
  template <typename Other>
    requires(join_key<T> && !std::same_as<typename Other::value_type, T>)
  PAPPUS_REFUSED("intersect: both collections must hold the same record type")
  refused<T> intersect(const query<Other>&) const {
    return {};
  }

  template <typename Other>
    requires(!join_key<T>)
  PAPPUS_REFUSED("except: the record" PAPPUS_ISNT_A_KEY)
  refused<T> except(const query<Other>&) const {
    return {};
  }
  template <typename Other>
    requires(join_key<T> && !std::same_as<typename Other::value_type, T>)
  PAPPUS_REFUSED("except: both collections must hold the same record type")
  refused<T> except(const query<Other>&) const {
    return {};
  }
};

}  // namespace pappus::detail
