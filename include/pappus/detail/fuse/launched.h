// The parameters of a function that is launched: an index, then views.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "pappus/function.h"
#include "pappus/reduces.h"
#include "pappus/view.h"

namespace pappus::detail {

template <typename...>
struct view_list {};

template <typename>
inline constexpr bool is_view = false;
template <view_access Access, typename T, std::size_t N, typename Check>
inline constexpr bool is_view<view<Access, T, N, Check>> = true;

/// A view that isn't one of reduces, or one whose elements' type can be reduced.
template <typename View>
inline constexpr bool can_reduce = true;
template <typename R, std::size_t N, typename Check>
inline constexpr bool can_reduce<view<view_access::reduce, R, N, Check>> = reducible<R>;

/// The rank of an index parameter; 0: it isn't one.
template <typename>
inline constexpr std::size_t index_rank = 0;
template <std::size_t N>
inline constexpr std::size_t index_rank<idx<N>> = N;
template <std::integral I>
inline constexpr std::size_t index_rank<I> = 1;

/// What is wrong with a function, or with the arrays that it is launched over (launch_refusals.h).
enum class launch_fault {
  none,
  generic,
  changes_captures,
  no_index,
  not_a_view,
  not_a_reducer,
  captures,
  not_an_array,
  number_of_arrays,
  element_type,
  dimensions,
};

template <launch_fault Fault>
struct refused_launch {
  static constexpr launch_fault fault = Fault;
  static constexpr std::size_t rank = 0;
  using views = view_list<>;
};

template <typename... Parameters>
struct launch_parameters : refused_launch<launch_fault::no_index> {};
template <typename Index, typename... Views>
  requires(index_rank<std::remove_cvref_t<Index>> > 0)
struct launch_parameters<Index, Views...> {
  static constexpr launch_fault fault =
      !(is_view<std::remove_cvref_t<Views>> && ...)      ? launch_fault::not_a_view
      : !(can_reduce<std::remove_cvref_t<Views>> && ...) ? launch_fault::not_a_reducer
                                                         : launch_fault::none;
  static constexpr std::size_t rank = index_rank<std::remove_cvref_t<Index>>;
  using views = view_list<std::remove_cvref_t<Views>...>;
};

template <typename Call>
struct launch_call : refused_launch<launch_fault::changes_captures> {};
template <typename F, typename R, typename... P>
struct launch_call<R (F::*)(P...) const> : launch_parameters<P...> {};
template <typename F, typename R, typename... P>
struct launch_call<R (F::*)(P...) const noexcept> : launch_parameters<P...> {};
template <typename R, typename... P>
struct launch_call<R (*)(P...)> : launch_parameters<P...> {};
template <typename R, typename... P>
struct launch_call<R (*)(P...) noexcept> : launch_parameters<P...> {};

/// Index and views of a function; see launch_fault.
template <typename F>
struct launch_signature : refused_launch<launch_fault::generic> {};
template <typename F>
  requires requires { &F::operator(); }
struct launch_signature<F> : launch_call<decltype(&F::operator())> {};
template <auto Function>
struct launch_signature<fn_type<Function>> : launch_call<std::remove_const_t<decltype(Function)>> {
};

}  // namespace pappus::detail
