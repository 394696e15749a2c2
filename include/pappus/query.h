// Operators over collections.
//
// query<E> is a pipeline that isn't materialised: element-wise operators return another query whose
// type has grown by one layer, so that a chain compiles to one loop. collection<T> is a query over
// rows that are (or will be) in memory; converting a query to a collection ends fusion and hides
// its type. Nothing runs until a result is asked for.
#pragma once

#include <string>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/access.h"
#include "pappus/detail/fuse/batch.h"
#include "pappus/detail/fuse/composed_joins.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/file_members.h"
#include "pappus/detail/fuse/key_refusals.h"
#include "pappus/detail/fuse/plot_members.h"
#include "pappus/detail/fuse/refusals.h"
#include "pappus/detail/fuse/scatter_refusals.h"
#include "pappus/detail/fuse/set_refusals.h"
#include "pappus/detail/fuse/statistics.h"
#include "pappus/detail/loops/count.h"
#include "pappus/detail/loops/write.h"
#include "pappus/domain.h"
#include "pappus/fold.h"
#include "pappus/function.h"
#include "pappus/missing.h"
#include "pappus/place.h"
#include "pappus/records.h"
#include "pappus/value.h"

namespace pappus {

template <typename T>
class collection;
struct pieces;
template <typename Key>
struct partitioning;

/// A collection's rows for a lambda: they arrive as std::span<const T>, whole, wherever it runs.
template <typename T>
struct shared_rows {
  detail::node_ptr node;
};

template <typename E>
class query : public detail::element_refusals<detail::value_of<E>>,
              public detail::aggregate_refusals<detail::value_of<E>>,
              public detail::scan_refusals<detail::value_of<E>>,
              public detail::scatter_refusals<detail::value_of<E>>,
              public detail::key_refusals<detail::value_of<E>>,
              public detail::set_refusals<detail::value_of<E>>,
              public detail::row_refusals<detail::value_of<E>>,
              public detail::fold_members<query<E>, E>,
              public detail::file_members<query<E>, detail::value_of<E>>,
              public detail::plot_members<query<E>, detail::value_of<E>>,
              public detail::query_statistics<query<E>, detail::value_of<E>>,
              public detail::composed_joins<query<E>, detail::value_of<E>> {
 public:
  using value_type = detail::value_of<E>;

  using detail::fold_members<query, E>::reduce;
  using detail::fold_members<query, E>::sum;
  using detail::fold_members<query, E>::mean;
  using detail::fold_members<query, E>::variance;
  using detail::fold_members<query, E>::min;
  using detail::fold_members<query, E>::max;
  using detail::fold_members<query, E>::first;
  using detail::fold_members<query, E>::any;
  using detail::fold_members<query, E>::all;
  // Beside each operator, what it refuses.
  using detail::element_refusals<value_type>::map;
  using detail::element_refusals<value_type>::filter;
  using detail::element_refusals<value_type>::flat_map;
  using detail::element_refusals<value_type>::any;
  using detail::element_refusals<value_type>::all;
  using detail::element_refusals<value_type>::concat;
  using detail::scan_refusals<value_type>::inclusive_scan;
  using detail::scan_refusals<value_type>::exclusive_scan;
  using detail::scatter_refusals<value_type>::scatter;
  using detail::key_refusals<value_type>::sort;
  using detail::key_refusals<value_type>::distinct;
  using detail::set_refusals<value_type>::union_with;
  using detail::set_refusals<value_type>::intersect;
  using detail::set_refusals<value_type>::except;
  using detail::element_refusals<value_type>::reduce;
  using detail::aggregate_refusals<value_type>::reduce;
  using detail::aggregate_refusals<value_type>::sum;
  using detail::aggregate_refusals<value_type>::mean;
  using detail::aggregate_refusals<value_type>::variance;
  using detail::aggregate_refusals<value_type>::min;
  using detail::aggregate_refusals<value_type>::max;
  using detail::aggregate_refusals<value_type>::first;
  using detail::aggregate_refusals<value_type>::aggregate;
  using detail::key_refusals<value_type>::group_by;
  using detail::key_refusals<value_type>::sort_by;
  using detail::key_refusals<value_type>::top;
  using detail::key_refusals<value_type>::bottom;
  using detail::key_refusals<value_type>::join;
  using detail::key_refusals<value_type>::left_join;
  using detail::key_refusals<value_type>::right_join;
  using detail::key_refusals<value_type>::full_join;
  using detail::key_refusals<value_type>::semi_join;
  using detail::key_refusals<value_type>::anti_join;

  query(detail::session_ptr session, E expression, detail::stage_spec stage)
      : session_(std::move(session)),
        expression_(std::move(expression)),
        stage_(std::move(stage)) {}

  /// f(record, spans of shared data...) for every record, in order. f may be batched(g).
  template <typename F, typename... Sides>
  auto map(F f, const shared_rows<Sides>&... sides) const {
    if constexpr (detail::takes_batches<F>) {
      using next = detail::batch_mapped<E, F, Sides...>;
      return extend("map", next{expression_, {std::move(f.function), first_side()}}, sides...);
    } else {
      using next = detail::mapped<E, detail::call<F, Sides...>>;
      return extend("map", next{expression_, {std::move(f), first_side()}}, sides...);
    }
  }

  /// Keeps the records for which p(record, spans of shared data...) is true, in order.
  template <typename P, typename... Sides>
  auto filter(P p, const shared_rows<Sides>&... sides) const {
    using call = detail::call<P, Sides...>;
    return extend("filter", detail::filtered<E, call>{expression_, {std::move(p), first_side()}},
                  sides...);
  }

  /// The elements of all f(record, spans of shared data...), which are ranges, in order.
  template <typename F, typename... Sides>
  auto flat_map(F f, const shared_rows<Sides>&... sides) const {
    using call = detail::call<F, Sides...>;
    return extend("flat_map", detail::flattened<E, call>{expression_, {std::move(f), first_side()}},
                  sides...);
  }

  /// Pairs pair{record i of this, record i of other}; as many as the shorter one has records.
  template <typename Other>
  auto zip(const query<Other>& other) const {
    if constexpr (E::yields != detail::cardinality::one) {
      return materialise().zip(other);
    } else if constexpr (Other::yields != detail::cardinality::one) {
      return zip(other.materialise());
    } else {
      detail::zipped<E, Other> expression{expression_, detail::access::expression(other)};
      expression.b.shift_slots(static_cast<int>(stage_.inputs.size()), first_side());
      auto stage = stage_;
      const auto& more = detail::access::stage(other);
      stage.inputs.insert(stage.inputs.end(), more.inputs.begin(), more.inputs.end());
      stage.sides.insert(stage.sides.end(), more.sides.begin(), more.sides.end());
      stage.ops.insert(stage.ops.end(), more.ops.begin(), more.ops.end());
      if (more.rows >= 0 && (stage.rows < 0 || more.rows < stage.rows)) stage.rows = more.rows;
      stage.ops.push_back({"zip", detail::next_op_id()});
      return query<decltype(expression)>(session_, std::move(expression), std::move(stage));
    }
  }

  /// Each record with its position: indexed{position from 0, record}.
  auto enumerate() const {
    if constexpr (E::yields == detail::cardinality::one)
      return extend("enumerate", detail::enumerated<E>{expression_});
    else
      return materialise().enumerate();
  }

  /// Several in one pass, as results or an Out: aggregate(mean(&sale::price), count()).
  template <typename Out = void, typename... Aggregates>
  auto aggregate(const Aggregates&... wanted) const;

  /// take: the first n records; skip: all but these. n < 0 counts as 0.
  collection<value_type> take(std::int64_t n) const { return slice("take", 0, n); }
  collection<value_type> skip(std::int64_t n) const { return slice("skip", n, INT64_MAX); }

  /// This collection's records, then those of the others, one after the other.
  template <typename... Others>
  collection<value_type> concat(const query<Others>&... others) const;

  /// Sorted by keys, most significant first, or by the records themselves; stable. See sort.h.
  template <typename... Keys>
  collection<value_type> sort_by(Keys... keys) const;
  collection<value_type> sort() const
    requires detail::record_key<value_type>;
  /// top: the n records with the greatest keys, the greatest first; bottom: with the least, the
  /// least first; of equals the first rows. See sort.h.
  template <typename Key>
  collection<value_type> top(std::int64_t n, Key key) const;
  collection<value_type> top(std::int64_t n) const
    requires detail::record_key<value_type>;
  template <typename Key>
  collection<value_type> bottom(std::int64_t n, Key key) const;
  collection<value_type> bottom(std::int64_t n) const
    requires detail::record_key<value_type>;

  /// Running totals: record i of the result is op(record 0, ..., record i). op must be associative.
  /// See scan.h.
  collection<reducers::sum_type<value_type>> inclusive_scan() const;
  template <typename Op>
  auto inclusive_scan(Op op) const;
  /// Record i of the result is op(init, record 0, ..., record i - 1).
  template <typename T, typename Op>
  collection<T> exclusive_scan(T init, Op op) const;

  /// n records, of which number index(record) is the record, or value(record); `fill` where no
  /// record has that index. Throws usage_error where two have. See scatter.h.
  template <typename Index>
  collection<value_type> scatter(Index index, std::int64_t n, value_type fill = {}) const;
  template <typename Index, typename Value>
  auto scatter(Index index, Value value, std::int64_t n,
               detail::projected_by<Value, value_type> fill = {}) const
      -> collection<detail::projected_by<Value, value_type>>;

  /// Groups by key(record, spans of shared data...), or several; a domain{k} may come last. group.h
  template <typename Key, typename... More>
  auto group_by(Key key, const More&... more) const;
  /// The different records, each once, in ascending order. See group.h.
  collection<value_type> distinct() const
    requires detail::group_key<value_type>;

  /// The different records that are in this collection or in one of the others, each once, in
  /// ascending order; intersect: in both; except: in this and not in the other. See sets.h.
  template <typename... Others>
  collection<value_type> union_with(const query<Others>&... others) const;
  template <typename Other>
  collection<value_type> intersect(const query<Other>& other) const;
  template <typename Other>
  collection<value_type> except(const query<Other>& other) const;

  /// combine(record, record of right) for every pair with equal keys, in the order of this and, for
  /// one record, of right's. An optional domain{k} for the keys comes last. See join.h.
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
  auto join(const query<Right>& right, LeftKey left_key, RightKey right_key, Combine combine,
            const More&... more) const;

  /// The same, and combine(record, null) for records without a match: combine takes a pointer to
  /// the record of right. See join.h.
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
  auto left_join(const query<Right>& right, LeftKey left_key, RightKey right_key, Combine combine,
                 const More&... more) const;

  /// combine(pointer to a record, record of right) in the order of right, null where right's has no
  /// match; full_join: left_join's pairs, then combine(null, pointer) for right's without a match.
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
  auto right_join(const query<Right>& right, LeftKey left_key, RightKey right_key, Combine combine,
                  const More&... more) const;
  template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
  auto full_join(const query<Right>& right, LeftKey left_key, RightKey right_key, Combine combine,
                 const More&... more) const;

  /// The records that have a match in right; anti_join: that have none. In order. See join.h.
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
  auto semi_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                 const More&... more) const;
  template <typename Right, typename LeftKey, typename RightKey, typename... More>
  auto anti_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                 const More&... more) const;

  /// Runs an opaque function on each partition: f(std::span<const T>, spans of shared data...) -> a
  /// range of records. Partitions: pieces(n), hash_by(key, n), range_by(key, n); see apply.h.
  template <typename F, typename... Sides>
  auto apply(F f, pieces into, const shared_rows<Sides>&... sides) const;
  template <typename F, typename Key, typename... Sides>
  auto apply(F f, const partitioning<Key>& by, const shared_rows<Sides>&... sides) const;
  /// The records, those of a partition together, so that several apply() share the partitioning.
  template <typename Key>
  collection<value_type> partition(const partitioning<Key>& by) const;

  /// The keys of keyed records; their values.
  auto keys() const { return map(fn<&value_type::key>); }
  auto values() const { return map(fn<&value_type::value>); }

  /// Says where the stage is to run that this is a part of: place::cpu(), place::opencl(0), or in
  /// text "opencl:0,opencl:1". If a device can't run it, explain() says why, and the CPU runs it.
  /// The query throws usage_error if the session has no such place; "opencl,cpu" suits any machine.
  query on(const place& where) const {
    auto chosen = *this;
    chosen.stage_.devices = where.devices();
    return chosen;
  }

  /// Ends fusion and runs nothing: the records are computed once for all that is built on them and
  /// run together, and kept for these where they are several. Another run computes them anew.
  collection<value_type> materialise() const;
  /// The same, but once computed the records are kept, for later queries over the returned handle
  /// and its copies, until the last of these handles and of the queries made from them is gone.
  /// Queries made from the original handle neither use the kept records nor keep theirs.
  collection<value_type> cache() const;
  /// As an argument for other operators' functions: points.map(nearest, centers.shared()).
  shared_rows<value_type> shared() const;

  /// Runs the query and returns its rows.
  records<value_type> collect() const;
  /// The same as an array's elements (array.h), which aren't copied if nobody else has the rows.
  array<value_type, 1> to_array() const;
  /// Prints the first records to std::cout as a table, with names and types. See show.h.
  void show(std::int64_t rows = 20) const;
  /// Runs the query and calls f(std::span<const T>) for one chunk of records after another, in
  /// order, on this thread. A chunk is freed before the next is computed: large files stream.
  template <typename F>
  void for_each_chunk(F f) const;

  /// What would run, where and why. Runs nothing.
  std::string explain() const;
  /// The same with the plan after each pass of the planner.
  std::string explain_passes() const;
  /// The graph for Graphviz.
  std::string explain_dot() const;
  /// Runs the query and shows what happened beside what was predicted. See value.h.
  std::string explain_analyze() const;

 protected:
  template <typename>
  friend class query;
  friend struct detail::access;

  /// The stage with its element function's type erased, for nodes that consume it.
  PAPPUS_GLUE detail::stage_spec erased_stage() const {
    auto stage = stage_;
    stage.yields = E::yields;
    stage.element = detail::keep(expression_);
    stage.describe = detail::describe_records<E>;
    stage.counts = detail::counts_before_last<E>();
    return stage;
  }

  int first_side() const { return static_cast<int>(stage_.sides.size()); }

  template <typename Next, typename... Sides>
  PAPPUS_GLUE query<Next> extend(const char* name, Next next,
                                 const shared_rows<Sides>&... sides) const {
    auto stage = stage_;
    (stage.sides.push_back(sides.node), ...);
    stage.ops.push_back({name, detail::next_op_id(), detail::own_cardinality<Next>});
    if constexpr (requires { Next::batch; }) stage.batched = true;
    return query<Next>(session_, std::move(next), std::move(stage));
  }

  collection<value_type> slice(const char* name, std::int64_t skip, std::int64_t take) const;

  detail::session_ptr session_;
  E expression_;
  detail::stage_spec stage_;
};

/// Records that are in memory, in a file, or computed when needed.
template <typename T>
class collection : public query<detail::source<T>> {
 public:
  collection(detail::session_ptr session, detail::node_ptr node)
      : query<detail::source<T>>(std::move(session), {}, stage_of(node)) {}

  /// Ends fusion: the query's records in memory, its type forgotten.
  template <typename E>
    requires std::same_as<detail::value_of<E>, T>
  collection(const query<E>& from) : collection(detail::access::session(from), node_of(from)) {}

 private:
  friend struct detail::access;

  const detail::node_ptr& node() const noexcept { return this->stage_.inputs.front(); }

  static detail::stage_spec stage_of(const detail::node_ptr& node) {
    detail::stage_spec stage;
    stage.inputs.push_back(node);
    return stage;
  }

  template <typename E>
  PAPPUS_GLUE static detail::node_ptr node_of(const query<E>& from) {
    if constexpr (std::same_as<E, detail::source<T>>) {
      return detail::access::stage(from).inputs.front();
    } else {
      auto params = std::make_shared<detail::write_params>();
      params->loop = detail::write_rows<E>;
      return detail::make_node(
          detail::access::session(from),
          {detail::materialise_operator(), "collect", detail::record_type_of<T>(),
           detail::access::erased_stage(from), std::move(params)});
    }
  }
};

template <typename E>
collection<typename query<E>::value_type> query<E>::materialise() const {
  return collection<value_type>(*this);
}

template <typename E>
collection<typename query<E>::value_type> query<E>::cache() const {
  constexpr bool others_have_it = std::same_as<E, detail::source<value_type>>;
  return {session_,
          detail::cached_node(session_, detail::access::node(materialise()), others_have_it)};
}

template <typename E>
shared_rows<typename query<E>::value_type> query<E>::shared() const {
  return {detail::access::node(materialise())};
}

template <typename E>
PAPPUS_GLUE records<typename query<E>::value_type> query<E>::collect() const {
  return records<value_type>(
      detail::evaluate_contiguous(session_, detail::access::node(materialise())));
}

}  // namespace pappus
