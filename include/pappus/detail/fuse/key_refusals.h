// What operators that look at keys refuse; see refusals.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/left_key.h"

namespace pappus {
template <typename E>
class query;
}

namespace pappus::detail {

/// Overloads that refuse, for operators that look at keys.
template <typename T>
class key_refusals {
 public:
  template <typename Key, typename... More>
    requires(!sides_or_domain<More...> && !further_keys<T, More...>)
  PAPPUS_REFUSED(
      "group_by: after the key expected nothing, further keys, or domain{k} or shared data, "
      "q.shared()")
  refused<T> group_by(Key, const More&...) const {
    return {};
  }
  template <typename Key, typename... More>
    requires(further_keys<T, More...> && !takes_record<Key, T>)
  PAPPUS_REFUSED("group_by: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> group_by(Key, const More&...) const {
    return {};
  }
  template <typename Key, typename... More>
    requires(further_keys<T, More...> && takes_record<Key, T> &&
             !(returns_group_key<Key, T> && (returns_group_key<More, T> && ...)))
  PAPPUS_REFUSED("group_by: what a key function returns" PAPPUS_ISNT_A_GROUP_KEY)
  refused<T> group_by(Key, const More&...) const {
    return {};
  }
  template <typename Key, typename... More>
    requires(sides_or_domain<More...> && !is_left_key<Key> && !takes_key<Key, T, More...>)
  PAPPUS_REFUSED("group_by: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> group_by(Key, const More&...) const {
    return {};
  }
  template <typename Key, typename... More>
    requires(sides_or_domain<More...> && returns_other_than_key<Key, T, More...>)
  PAPPUS_REFUSED("group_by: what the key function returns" PAPPUS_ISNT_A_GROUP_KEY)
  refused<T> group_by(Key, const More&...) const {
    return {};
  }

  template <typename... Keys>
    requires(sizeof...(Keys) > 0 && !(takes_record<Keys, T> && ...))
  PAPPUS_REFUSED("sort_by: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> sort_by(Keys...) const {
    return {};
  }
  template <typename... Keys>
    requires((takes_record<Keys, T> && ...) && (returns_no_sort_key<Keys, T> || ...))
  PAPPUS_REFUSED("sort_by: what a key function returns" PAPPUS_ISNT_A_KEY)
  refused<T> sort_by(Keys...) const {
    return {};
  }

  PAPPUS_REFUSED("sort: the record" PAPPUS_ISNT_A_KEY "; use sort_by(key) for other records")
  refused<T> sort() const
    requires(!record_key<T>)
  {
    return {};
  }
  PAPPUS_REFUSED("distinct: the record" PAPPUS_ISNT_A_GROUP_KEY)
  refused<T> distinct() const
    requires(!group_key<T>)
  {
    return {};
  }
  PAPPUS_REFUSED("top: the record" PAPPUS_ISNT_A_KEY "; use top(n, key) for other records")
  refused<T> top(std::int64_t) const
    requires(!record_key<T>)
  {
    return {};
  }
  PAPPUS_REFUSED("bottom: the record" PAPPUS_ISNT_A_KEY "; use bottom(n, key) for other records")
  refused<T> bottom(std::int64_t) const
    requires(!record_key<T>)
  {
    return {};
  }

  template <typename Key>
    requires(!takes_record<Key, T>)
  PAPPUS_REFUSED("top: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> top(std::int64_t, Key) const {
    return {};
  }
  template <typename Key>
    requires returns_no_sort_key<Key, T>
  PAPPUS_REFUSED("top: what the key function returns" PAPPUS_ISNT_A_KEY)
  refused<T> top(std::int64_t, Key) const {
    return {};
  }
  template <typename Key>
    requires(!takes_record<Key, T>)
  PAPPUS_REFUSED("bottom: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> bottom(std::int64_t, Key) const {
    return {};
  }
  template <typename Key>
    requires returns_no_sort_key<Key, T>
  PAPPUS_REFUSED("bottom: what the key function returns" PAPPUS_ISNT_A_KEY)
  refused<T> bottom(std::int64_t, Key) const {
    return {};
  }

  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires keys_differ<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("join" PAPPUS_KEYS_DIFFER)
  refused<T> join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires text_keys_may_be_missing<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("join" PAPPUS_MISSING_TEXT)
  refused<T> join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(!takes_keys<LeftKey, T, RightKey, Right>)
  PAPPUS_REFUSED("join: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(takes_keys<LeftKey, T, RightKey, Right> && !keys_differ<LeftKey, T, RightKey, Right> &&
             !std::is_invocable_v<const Combine&, const T&, const typename Right::value_type&>)
  PAPPUS_REFUSED(
      "join: the combining function can't be called with a record of each side: expected (const "
      "T&, const U&)")
  refused<T> join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires keys_differ<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("left_join" PAPPUS_KEYS_DIFFER)
  refused<T> left_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires text_keys_may_be_missing<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("left_join" PAPPUS_MISSING_TEXT)
  refused<T> left_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(!takes_keys<LeftKey, T, RightKey, Right>)
  PAPPUS_REFUSED("left_join: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> left_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(takes_keys<LeftKey, T, RightKey, Right> && !keys_differ<LeftKey, T, RightKey, Right> &&
             !std::is_invocable_v<const Combine&, const T&, const typename Right::value_type*>)
  PAPPUS_REFUSED(
      "left_join: the combining function can't be called with a record of each side: expected "
      "(const T&, const U*): the pointer is null where there is no match")
  refused<T> left_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires keys_differ<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("right_join" PAPPUS_KEYS_DIFFER)
  refused<T> right_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires text_keys_may_be_missing<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("right_join" PAPPUS_MISSING_TEXT)
  refused<T> right_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(!takes_keys<LeftKey, T, RightKey, Right>)
  PAPPUS_REFUSED("right_join: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> right_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(takes_keys<LeftKey, T, RightKey, Right> && !keys_differ<LeftKey, T, RightKey, Right> &&
             !std::is_invocable_v<const Combine&, const T*, const typename Right::value_type&>)
  PAPPUS_REFUSED(
      "right_join: the combining function can't be called with a record of each side: expected "
      "(const T*, const U&): the pointer is null where there is no match")
  refused<T> right_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires keys_differ<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("full_join" PAPPUS_KEYS_DIFFER)
  refused<T> full_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires text_keys_may_be_missing<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("full_join" PAPPUS_MISSING_TEXT)
  refused<T> full_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(!takes_keys<LeftKey, T, RightKey, Right>)
  PAPPUS_REFUSED("full_join: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> full_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
    requires(takes_keys<LeftKey, T, RightKey, Right> && !keys_differ<LeftKey, T, RightKey, Right> &&
             !std::is_invocable_v<const Combine&, const T*, const typename Right::value_type*>)
  PAPPUS_REFUSED(
      "full_join: the combining function can't be called with a record of each side: expected "
      "(const T*, const U*): a pointer is null where there is no match")
  refused<T> full_join(const query<Right>&, LeftKey, RightKey, Combine, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
    requires keys_differ<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("semi_join" PAPPUS_KEYS_DIFFER)
  refused<T> semi_join(const query<Right>&, LeftKey, RightKey, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
    requires text_keys_may_be_missing<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("semi_join" PAPPUS_MISSING_TEXT)
  refused<T> semi_join(const query<Right>&, LeftKey, RightKey, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
    requires(!takes_keys<LeftKey, T, RightKey, Right>)
  PAPPUS_REFUSED("semi_join: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> semi_join(const query<Right>&, LeftKey, RightKey, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
    requires keys_differ<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("anti_join" PAPPUS_KEYS_DIFFER)
  refused<T> anti_join(const query<Right>&, LeftKey, RightKey, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
    requires text_keys_may_be_missing<LeftKey, T, RightKey, Right>
  PAPPUS_REFUSED("anti_join" PAPPUS_MISSING_TEXT)
  refused<T> anti_join(const query<Right>&, LeftKey, RightKey, const More&...) const {
    return {};
  }
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
    requires(!takes_keys<LeftKey, T, RightKey, Right>)
  PAPPUS_REFUSED("anti_join: a key function" PAPPUS_CANT_BE_CALLED)
  refused<T> anti_join(const query<Right>&, LeftKey, RightKey, const More&...) const {
    return {};
  }
};

}  // namespace pappus::detail
