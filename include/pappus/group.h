// group_by and distinct: records by key.
//
// Keys: integers, enums, bool, float, double, std::string_view, pappus::category, and pappus::pair,
// std::array and plain structs of those; of several key functions results of them. Groups come in
// ascending key order: false before true, fields and elements first to last, strings byte by byte,
// categories as their texts (by which groups are sorted once all are there), NaN after every
// number. Keys that compare equal are one group: -0.0 and 0.0 (shown as 0.0), and all NaNs.
//
// A group's records are accumulated in row order within leaves, whose cuts depend on the query, the
// data and its size alone, and leaves are merged in a fixed order (docs/guides/results.md): results
// don't depend on threads, chunk sizes or memory.
#pragma once

#include <algorithm>
#include <memory>
#include <tuple>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/loops/group_description.h"
#include "pappus/detail/loops/map_groups.h"
#include "pappus/query.h"
#include "pappus/sort.h"

namespace pappus {
namespace detail {

/// For reducers without a result for no records: the reducer's name if it was given none, else
/// null.
template <typename T>
  requires(!may_be_missing<T>)
const char* lacks_records(const reducers::min<T>& r) {
  return r.any ? nullptr : "min";
}
template <typename T>
  requires(!may_be_missing<T>)
const char* lacks_records(const reducers::max<T>& r) {
  return r.any ? nullptr : "max";
}
template <typename T>
const char* lacks_records(const reducers::first<T>& r) {
  return r.found ? nullptr : "first";
}
template <typename T>
const char* lacks_records(const reducers::last<T>& r) {
  return r.found ? nullptr : "last";
}

template <typename K, typename V>
struct make_keyed {
  template <typename R>
  keyed<K, V> operator()(const K& key, const R& reducer) const {
    // Only the groups of a domain can be empty.
    if constexpr ((std::is_integral_v<K> || std::is_enum_v<K>) &&
                  requires { lacks_records(reducer); })
      if (const char* name = lacks_records(reducer); name != nullptr)
        throw_empty_group(name, std::to_string(static_cast<std::int64_t>(key)));
    return {key, finalized(reducer)};
  }
};
template <typename K>
struct make_key {
  template <typename R>
  K operator()(const K& key, const R&) const {
    return key;
  }
};

/// Keeps nothing: for groups of which only the key is wanted.
struct no_reducer {
  static constexpr bool exact = true;
  template <typename T>
  void accumulate(const T&) {}
  void merge(const no_reducer&) {}
};

template <>
struct device_reducer<no_reducer> {
  using value = void;
  static constexpr std::span<const device_field> fields{};
  static constexpr std::string_view accumulate{};
};

/// A key function without shared data, which takes a record.
template <typename Call>
inline constexpr bool is_plain_call = false;
template <typename F>
inline constexpr bool is_plain_call<call<F>> = true;

/// A record's key beside what a projection makes of it.
template <typename K, typename F>
struct with_key {
  K key;
  F projection;
  auto calls() const { return std::tie(key, projection); }
  template <typename T>
  auto operator()(const T& record) const {
    return keyed<projection_of<K, T>, projection_of<F, T>>{std::invoke(key, record),
                                                           std::invoke(projection, record)};
  }
};

template <typename K, bool Dense>
struct key_storage {
  using type = keys_as_bits<K>;
};
template <typename K>
struct key_storage<K, true> {
  using type = keys_of_domain<K>;
};
template <>
struct key_storage<std::string_view, false> {
  using type = keys_as_strings;
};
template <packed_key K>
struct key_storage<K, false> {
  using type = keys_as_packed<K>;
};
template <packed_key K>
  requires coded_key<K>
struct key_storage<K, false> {
  using type = keys_as_codes<K>;
};
/// Where groups are wanted in the order of their keys.
template <typename K, bool Dense>
struct ordered_key_storage : key_storage<K, Dense> {};
template <coded_key K>
struct ordered_key_storage<K, false> {
  using type = keys_as_packed<K>;
};

/// Groups that lie in no order, sorted by their keys.
template <coded_key K, typename Output>
collection<Output> groups_in_order(const collection<Output>& groups) {
  if constexpr (std::is_same_v<K, Output>)
    return groups.sort_by(to_itself{});
  else
    return groups.sort_by(&Output::key);
}

}  // namespace detail

/// The groups of a query. Nothing runs until a result is asked for. Results are collections of
/// keyed<K, V>, in ascending key order, without empty groups; with a domain{k} they are the k keys
/// 0, ..., k - 1, empty groups included.
///
/// With a projection (a function or a member pointer) the reducer is given projection(record), and
/// grouping moves that alone; without one, the whole record.
///
/// \throws usage_error "group_by: key 12 lies outside domain{10}..." when the query runs.
/// Cost: O(n), and O(g log g) for g groups without a domain. Reads each record once.
template <typename E, typename Key, bool Dense>
class grouped : public detail::group_refusals<detail::value_of<E>>,
                public detail::group_statistics<grouped<E, Key, Dense>, detail::value_of<E>> {
  using refusals = detail::group_refusals<detail::value_of<E>>;

 public:
  using record_type = detail::value_of<E>;
  using key_type = typename Key::template result<record_type>;
  static_assert(detail::group_key<key_type>,
                "group_by: keys must be integers, enums, floats, std::string_view, or structs, "
                "pairs and arrays of such");

  // Beside each aggregate, what it refuses.
  using refusals::aggregate;
  using refusals::first;
  using refusals::max;
  using refusals::mean;
  using refusals::min;
  using refusals::reduce;
  using refusals::sum;
  using refusals::variance;

  grouped(detail::session_ptr session, E rows, Key key, detail::stage_spec stage,
          std::int64_t domain)
      : session_(std::move(session)),
        rows_(std::move(rows)),
        key_(std::move(key)),
        stage_(std::move(stage)),
        domain_(domain) {}

  /// A hint: about how many groups there will be. It makes the query faster if it is right; if it
  /// is wrong, rows are cut into other leaves, and the last bits of float sums may differ. Not
  /// needed with a domain.
  grouped expect(std::int64_t groups) const {
    auto copy = *this;
    copy.expected_ = groups;
    return copy;
  }

  /// Reduces each group with a reducer (see reducers.h), a copy of `prototype`.
  template <typename R>
  auto reduce(R prototype = R{}) const {
    return reduce_named<R>("reduce", detail::to_itself{}, std::move(prototype));
  }
  /// Reduces projection(record) of each group: reduce<average>(&flight::delay).
  template <typename R, typename F>
    requires(!std::convertible_to<F, R>)
  auto reduce(F projection, R prototype = R{}) const {
    return reduce_named<R>("reduce", std::move(projection), std::move(prototype));
  }

  /// Records per group, std::int64_t; count(projection): of those whose projection isn't missing.
  auto count() const { return reduce_named<reducers::count>("count", detail::to_nothing{}); }
  template <typename F>
  auto count(F projection) const {
    return reduce_named<reducers::present<projected<F>>>("count", std::move(projection));
  }

  /// Sum: 64 bits for integers (wraps), double for float and double; 0 for empty groups.
  template <typename F = detail::to_itself>
  auto sum(F projection = {}) const {
    return reduce_named<reducers::sum<projected<F>>>("sum", std::move(projection));
  }
  /// Arithmetic mean, double; of integers without overflow, rounded once. NaN for empty groups.
  template <typename F = detail::to_itself>
  auto mean(F projection = {}) const {
    return reduce_named<reducers::mean<projected<F>>>("mean", std::move(projection));
  }
  /// Population variance, double; of integers without overflow, rounded once below 2^32 records.
  /// NaN for empty groups.
  template <typename F = detail::to_itself>
  auto variance(F projection = {}) const {
    return reduce_named<reducers::variance<projected<F>>>("variance", std::move(projection));
  }
  /// min: the smallest value; max: the greatest; of equals the first; NaN is greater than every
  /// number. Throws usage_error if a domain has an empty group, naming the first.
  template <typename F = detail::to_itself>
  auto(min)(F projection = {}) const {
    return reduce_named<reducers::min<projected<F>>>("min", std::move(projection));
  }
  template <typename F = detail::to_itself>
  auto(max)(F projection = {}) const {
    return reduce_named<reducers::max<projected<F>>>("max", std::move(projection));
  }
  /// The first value in row order. Throws usage_error if a domain has an empty group.
  template <typename F = detail::to_itself>
  auto first(F projection = {}) const {
    return reduce_named<reducers::first<projected<F>>>("first", std::move(projection));
  }

  /// Several of these in one pass: aggregate(mean(&sale::price), count()). The value of a key is
  /// results, or the struct Out that is made of them. See aggregate.h.
  template <typename Out = void, typename... Aggregates>
  auto aggregate(const Aggregates&... wanted) const;

  /// The keys alone, in ascending order.
  collection<key_type> keys() const {
    using make = detail::make_key<key_type>;
    return node<detail::no_reducer, make, key_type>("keys", detail::to_nothing{}, {});
  }

  /// Calls f(key, std::span<const T> records) for every group and makes a collection of the records
  /// that it returns. A group's records are in row order. With a projection f gets what that makes
  /// of the records, which aren't moved then. Needs memory for two copies of all records, or what
  /// is made of them, and keys; of a file that is too large, for one group, where text in them is
  /// found.
  template <typename F, typename Project = detail::to_itself>
  auto map_groups(F f, Project projection = {}) const {
    return map_named("map_groups", std::move(f), std::move(projection));
  }
  /// The same with a function that returns a range of any number of records.
  template <typename F, typename Project = detail::to_itself>
  auto flat_map_groups(F f, Project projection = {}) const {
    return map_named("flat_map_groups", detail::returns_range<F>{std::move(f)},
                     std::move(projection));
  }

 private:
  friend struct detail::access;

  using storage_type = typename detail::key_storage<key_type, Dense>::type;
  using ordered_storage_type = typename detail::ordered_key_storage<key_type, Dense>::type;

  template <typename F>
  using projected = std::remove_cvref_t<std::invoke_result_t<const F&, const record_type&>>;
  template <typename F, typename Storage = storage_type>
  using grouping_of = detail::grouping<E, Key, F, Storage>;

  template <typename Storage = storage_type>
  Storage storage() const {
    if constexpr (Dense)
      return {domain_};
    else
      return {};
  }

  template <typename F, typename Project>
  auto map_named(const char* name, F f, Project projection) const {
    static_assert(!detail::is_left_call<Key>,
                  "map_groups: left(f) is for reductions; let the join's function return the key");
    if constexpr (E::yields == detail::cardinality::one) {
      return mapped(name, std::move(f), std::move(projection));
    } else if constexpr (can_be_paired<Project>) {
      using pair = keyed<key_type, projected<Project>>;
      return detail::access::map_groups(by_key(pairs(std::move(projection)).materialise()), name,
                                        std::move(f), &pair::value);
    } else {
      const auto rows = query<E>(session_, rows_, bare_stage()).materialise();
      return detail::access::map_groups(regrouped(rows), name, std::move(f), std::move(projection));
    }
  }

  /// Keys beside what a projection makes of records.
  template <typename Project>
  auto pairs(Project projection) const {
    static_assert(detail::is_plain_call<Key>);
    return query<E>(session_, rows_, stage_)
        .map(detail::with_key<decltype(Key::function), Project>{key_.function,
                                                                std::move(projection)});
  }
  /// The same groups of pairs.
  template <typename V>
  auto by_key(const collection<keyed<key_type, V>>& pairs) const {
    if constexpr (Dense)
      return pairs.group_by(&keyed<key_type, V>::key, pappus::domain{domain_});
    else
      return pairs.group_by(&keyed<key_type, V>::key);
  }
  template <typename Project>
  auto count_distinct_pairs(Project projection) const {
    static_assert(detail::is_plain_call<Key>,
                  "count_distinct: values with text, or of more than 8 bytes, need groups by a key "
                  "function of records alone, without shared data");
    const auto different = by_key(pairs(std::move(projection)).distinct());
    if constexpr (detail::may_be_missing<projected<Project>>)
      return different.count(&keyed<key_type, projected<Project>>::value);
    else
      return different.count();
  }

  template <typename F, typename Project>
  auto mapped(const char* name, F f, Project projection) const {
    // Results that have their keys can be put in order afterwards.
    constexpr bool in_order_later = detail::coded_key<key_type> && detail::makes_keyed<F>;
    using storage_of_keys = std::conditional_t<in_order_later, storage_type, ordered_storage_type>;
    using grouping = grouping_of<Project, storage_of_keys>;
    using returned = detail::result_of_group<grouping, F>;
    constexpr bool flat = detail::is_flat<F>;
    using result = typename detail::record_of_group<returned, flat>::type;
    static_assert(detail::record<result>,
                  "map_groups: the function must return a trivially copyable record, that of "
                  "flat_map_groups a range of such");
    auto params = std::make_shared<detail::map_groups_params>();
    detail::describe_extraction<grouping>(*params);
    params->states_may_point = false;  // there are none
    params->domain = domain_;
    if constexpr (flat)
      params->apply_flat = detail::group_apply_flat<grouping, F>;
    else
      params->apply = detail::group_apply<grouping, F>;
    params->reorders = detail::reorders_values<F>;
    params->key_text = detail::group_key_text<storage_of_keys>;
    params->function = detail::keep(std::move(f));
    params->value = detail::record_type_of<typename grouping::value>();
    auto stage = stage_of(grouping{rows_, key_, std::move(projection), storage<storage_of_keys>()});
    stage.describe = detail::describe_whole_groups<grouping>;
    const collection<result> groups(
        session_,
        detail::make_node(session_,
                          {detail::map_groups_operator(), std::string("group_by.") + name,
                           detail::record_type_of<result>(), std::move(stage), std::move(params)}));
    if constexpr (in_order_later)
      return detail::groups_in_order<key_type>(groups);
    else
      return groups;
  }

  template <typename R, typename F>
  auto reduce_named(const char* name, F projection, R prototype = R{}) const {
    using result = detail::result_of<R>;
    static_assert(detail::record<result>, "a reducer's result must be a trivially copyable record");
    using output = keyed<key_type, result>;
    return node<R, detail::make_keyed<key_type, result>, output>(name, std::move(projection),
                                                                 prototype);
  }

  template <typename R, typename Make, typename Output, typename F>
  PAPPUS_GLUE collection<Output> node(const char* name, F projection, const R& prototype) const {
    using grouping = grouping_of<F>;
    auto params = detail::group_params_of<grouping, R, Make>(prototype);
    params->domain = domain_;
    params->expected = expected_;
    auto stage = stage_of(grouping{rows_, key_, std::move(projection), storage()});
    stage.describe = detail::describe_group<grouping, R>;
    const collection<Output> groups(
        session_,
        detail::make_node(session_,
                          {detail::group_operator(), std::string("group_by.") + name,
                           detail::record_type_of<Output>(), std::move(stage), std::move(params)}));
    if constexpr (detail::coded_key<key_type> && !Dense)
      return detail::groups_in_order<key_type>(groups);
    else
      return groups;
  }

  template <typename Grouping>
  PAPPUS_GLUE detail::stage_spec stage_of(Grouping grouping) const {
    auto stage = stage_;
    stage.yields = E::yields;
    stage.element = detail::keep(std::move(grouping));
    stage.counts = detail::counts_of_all<Grouping>();
    return stage;
  }

  /// Whether rows can become keys beside what a projection makes of records, which then aren't
  /// moved: not where keys have text, which may lie in records.
  template <typename Project>
  static constexpr bool can_be_paired = !std::is_same_v<Project, detail::to_itself> &&
                                        detail::is_plain_call<Key> && detail::bits_key<key_type>;

  /// The stage without the sides of the key function, which are the last ones.
  detail::stage_spec bare_stage() const {
    auto stage = stage_;
    stage.sides.resize(static_cast<std::size_t>(key_.first_side));
    return stage;
  }
  /// The same groups over rows in memory.
  auto regrouped(const collection<record_type>& rows) const {
    auto key = key_;
    key.first_side = 0;
    auto stage = detail::access::stage(rows);
    stage.sides.assign(stage_.sides.begin() + key_.first_side, stage_.sides.end());
    return grouped<detail::source<record_type>, Key, Dense>(session_, {}, std::move(key),
                                                            std::move(stage), domain_);
  }

  detail::session_ptr session_;
  E rows_;
  Key key_;
  detail::stage_spec stage_;
  std::int64_t domain_;
  std::int64_t expected_ = -1;
};

namespace detail {

/// The key function with its shared data.
template <typename E, typename Key, typename... Sides>
auto key_call(Key key, int first_side, const std::tuple<shared_rows<Sides>...>&) {
  if constexpr (is_left_key<Key>) {
    static_assert(is_joined<E>,
                  "group_by: left(f) is a key of a join's left records: it comes directly behind "
                  "join() or left_join()");
    static_assert(sizeof...(Sides) == 0, "group_by: left(f) takes no shared data");
    return left_call<decltype(Key::function), typename E::left_type>{
        {std::move(key.function), first_side}};
  } else if constexpr (takes_batches<Key>)
    return batched_call<typename Key::output_type, decltype(Key::function), Sides...>{
        {std::move(key.function), first_side}};
  else
    return call<Key, Sides...>{std::move(key), first_side};
}

template <typename T>
std::tuple<shared_rows<T>> side_of(const shared_rows<T>& side) {
  return {side};
}
inline std::tuple<> side_of(const domain&) { return {}; }

/// The domain's size; -1 for other arguments. Throws usage_error for a negative size.
std::int64_t size_of(const domain& of);
template <typename T>
std::int64_t size_of(const shared_rows<T>&) {
  return -1;
}

}  // namespace detail

template <typename E>
template <typename Key, typename... More>
auto query<E>::group_by(Key key, const More&... more) const {
  if constexpr (detail::further_keys<value_type, More...>) {
    static_assert(sizeof...(More) < detail::fields_max, "group_by: expected at most 64 keys");
    return group_by(detail::projections(key, more...));
  } else {
    constexpr int domains = (0 + ... + (std::is_same_v<More, domain> ? 1 : 0));
    static_assert(domains <= 1, "group_by: expected at most one domain");
    const auto sides = std::tuple_cat(detail::side_of(more)...);
    const auto size = (std::max)({std::int64_t{-1}, detail::size_of(more)...});
    auto stage = stage_;
    std::apply([&](const auto&... side) { (stage.sides.push_back(side.node), ...); }, sides);
    if constexpr (detail::takes_batches<Key>) stage.batched = true;
    auto call = detail::key_call<E>(std::move(key), first_side(), sides);
    using groups = grouped<E, decltype(call), domains == 1>;
    return groups(session_, expression_, std::move(call), std::move(stage), size);
  }
}

template <typename E>
collection<typename query<E>::value_type> query<E>::distinct() const
  requires detail::group_key<value_type>
{
  return group_by(detail::to_itself{}).keys();
}

}  // namespace pappus
