#include "regions/annotation.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "regions/annotation_tokens.h"
#include "regions/box.h"
#include "regions/evaluate.h"
#include "regions/interval.h"

namespace pappus::regions {
namespace {

std::string list_of(const std::vector<std::string>& names, std::string_view otherwise) {
  std::string result(names.empty() ? otherwise : names.front());
  for (std::size_t n = 1; n < names.size(); ++n) result += ", " + names[n];
  return result;
}

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

class annotation_parser {
 public:
  annotation_parser(std::string_view text, const launch_signature& launch)
      : tokens_(text), launch_(launch) {}

  annotation run() {
    name_arrays();
    do bind();
    while (tokens_.take_if(","));
    if (tokens_.next() != "=>") tokens_.fail("\",\" or \"=>\"");
    tokens_.take();
    do add_access();
    while (tokens_.take_if(","));
    if (!tokens_.next().empty()) tokens_.fail("\",\" or the end");
    return std::move(result_);
  }

 private:
  struct variable {
    std::string name;
    expression formula;
  };

  static bool binds(token t) { return t == "global" || t == "block" || t == "local"; }

  std::string variable_names() const {
    std::vector<std::string> names;
    for (const auto& v : variables_) names.push_back(v.name);
    return list_of(names, "the index");
  }

  void name_arrays() {
    const auto wanted = launch_.arrays.size();
    const bool named = std::none_of(launch_.arrays.begin(), launch_.arrays.end(),
                                    [](const auto& a) { return a.name.empty(); });
    if (named && (binds(tokens_.next()) || !is_name(tokens_.next()))) {
      for (const auto& a : launch_.arrays) result_.arrays.push_back(a.name);
      return;
    }
    const auto first = tokens_.next();
    if (binds(first) || !is_name(first))
      tokens_.fail(fmt::format("the names of {} and \":\"", counted(wanted, "array")));
    do result_.arrays.emplace_back(new_name("an array"));
    while (tokens_.take_if(","));
    if (tokens_.next() != ":")
      tokens_.fail(named ? "global, block or local" : "\",\" or \":\"",
                   named ? first : tokens_.next());
    if (result_.arrays.size() != wanted)
      tokens_.fail("names of " + counted(wanted, "array"), first,
                   std::to_string(result_.arrays.size()));
    tokens_.take();
  }

  /// A name that nothing has yet.
  token new_name(std::string_view what) {
    const auto name = tokens_.next();
    if (!is_name(name)) tokens_.fail(fmt::format("a name of {}", what));
    if (const auto owner = owner_of(name); !owner.empty())
      tokens_.fail(fmt::format("a name of {} that nothing else has", what), name,
                   fmt::format("\"{}\", {}", name, owner));
    return tokens_.take();
  }

  std::string_view owner_of(token name) const {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (binds(name) || name == "min" || name == "max") return "a keyword";
    if (is_in(result_.arrays)) return "an array";
    if (is_in(launch_.values)) return "a value";
    return find_variable(name) != nullptr ? "an index" : "";
  }

  const variable* find_variable(token name) const {
    const auto found = std::find_if(variables_.begin(), variables_.end(),
                                    [&](const variable& v) { return v.name == name; });
    return found == variables_.end() ? nullptr : &*found;
  }

  void bind() {
    const auto what = tokens_.next();
    if (!binds(what)) tokens_.fail("global, block or local");
    tokens_.take();
    const auto first = tokens_.next();
    std::vector<std::string> names;
    const auto add = [&] {
      const auto dimension = names.size();
      names.emplace_back(new_name("an index"));
      if (dimension >= rank_max) return;  // refused below
      const auto index = expression::index(dimension);
      const auto size = expression::symbol(launch_.values.size() + dimension);
      variables_.push_back({names.back(), what == "global"  ? index
                                          : what == "block" ? index / size
                                                            : index % size});
    };
    if (tokens_.take_if("[")) {
      do add();
      while (tokens_.take_if(","));
      if (tokens_.next() != "]") tokens_.fail("\",\" or \"]\"");
      tokens_.take();
    } else {
      add();
    }
    if (names.size() != launch_.rank)
      tokens_.fail(counted(launch_.rank, "name") + ", one for each dimension of the launch", first,
                   std::to_string(names.size()));
    if (what == "global" && result_.indices.empty()) result_.indices = names;
  }

  void add_access() {
    access added;
    read_mode(added);
    const auto name = tokens_.next();
    const auto found = std::find(result_.arrays.begin(), result_.arrays.end(), name);
    if (found == result_.arrays.end())
      tokens_.fail("the name of an array: " + list_of(result_.arrays, "there is none"));
    tokens_.take();
    added.array = static_cast<std::size_t>(found - result_.arrays.begin());
    if (tokens_.take_if("[")) {
      do added.slices.push_back(read_slice());
      while (tokens_.take_if(","));
      if (tokens_.next() != "]") tokens_.fail("\",\" or \"]\"");
      tokens_.take();
      const auto rank = launch_.arrays[added.array].rank;
      if (added.slices.size() != rank)
        tokens_.fail(fmt::format("{} {} of {}", rank, rank == 1 ? "index" : "indices", name), name,
                     std::to_string(added.slices.size()));
    }
    result_.touches.accesses.push_back(std::move(added));
  }

  void read_mode(access& of) {
    static constexpr std::pair<token, access_mode> modes[] = {{"read", access_mode::read},
                                                              {"write", access_mode::write},
                                                              {"readwrite", access_mode::readwrite},
                                                              {"reduce", access_mode::reduce}};
    const auto* found = std::find_if(std::begin(modes), std::end(modes),
                                     [&](const auto& m) { return m.first == tokens_.next(); });
    if (found == std::end(modes)) tokens_.fail("read, write, readwrite or reduce");
    tokens_.take();
    of.mode = found->second;
    if (of.mode != access_mode::reduce || !tokens_.take_if("(")) return;
    static constexpr reduction all[] = {reduction::sum, reduction::product, reduction::minimum,
                                        reduction::maximum};
    const auto* by = std::find_if(std::begin(all), std::end(all),
                                  [&](reduction r) { return text(r) == tokens_.next(); });
    if (by == std::end(all)) tokens_.fail("+, *, min or max");
    of.by = *by;
    tokens_.take();
    tokens_.expect(")");
  }

  slice read_slice() {
    const auto ends = [&] {
      const auto next = tokens_.next();
      return next == ":" || next == "," || next == "]";
    };
    slice result;
    if (tokens_.next() != ":") {
      result.low = read_sum();
      if (!ends()) tokens_.fail("an operator, \":\", \",\" or \"]\"");
    }
    if (!tokens_.take_if(":")) {
      result.high = result.low;
      return result;
    }
    if (!ends()) result.high = read_sum();
    return result;
  }

  expression read_sum() {
    auto result = read_product();
    for (;;) {
      if (tokens_.take_if("+"))
        result = result + read_product();
      else if (tokens_.take_if("-"))
        result = result - read_product();
      else
        return result;
    }
  }

  expression read_product() {
    auto result = read_factor();
    for (;;) {
      const auto sign = tokens_.next();
      if (sign != "*" && sign != "/" && sign != "%") return result;
      tokens_.take();
      const auto at = tokens_.next();
      const auto factor = read_factor();
      if (sign == "*" && result.mentions_index() && factor.mentions_index())
        fail_linear(sign, "a product of two");
      if (sign == "%" && (result.mentions_index() || factor.mentions_index()))
        fail_linear(sign, "a remainder");
      if (sign != "*") check_divisor(at, factor);
      result = sign == "*" ? result * factor : sign == "/" ? result / factor : result % factor;
    }
  }

  /// 1 or more, as far as values are known.
  void check_divisor(token at, const expression& divisor) const {
    if (divisor.mentions_index())
      tokens_.fail("a divisor without an index, or \":\" for all", at, "one that has one");
    if (launch_.numbers.size() < launch_.values.size()) return;
    const auto is = over(divisor, box(0), launch_.numbers);
    if (is.single() && is.bounded() && is.low >= 1) return;
    const auto number = is.single() ? std::to_string(is.low) : "a number beyond 64 bits";
    const bool plain = divisor.terms().front().what == operation::constant;
    tokens_.fail("a divisor of at least 1", at,
                 plain ? number
                       : fmt::format("{}, which is {}",
                                     regions::text(divisor, {{}, launch_.values}), number));
  }

  [[noreturn]] void fail_linear(token at, std::string_view got) const {
    tokens_.fail(fmt::format("an index linear in {}, or \":\" for all", variable_names()), at, got);
  }

  expression read_factor() {
    constexpr int depth_max = 100;
    if (++depth_ > depth_max)
      tokens_.fail(fmt::format("at most {} signs and parentheses within each other", depth_max));
    auto result = read_operand();
    --depth_;
    return result;
  }

  expression read_operand() {
    const auto next = tokens_.next();
    if (tokens_.take_if("-")) {
      auto operand = read_factor();
      const auto number = operand.terms()[0];
      const bool constant = number.what == operation::constant;
      return constant && number.value != interval::least ? expression(-number.value)
                                                         : expression(0) - operand;
    }
    if (tokens_.take_if("(")) {
      auto inside = read_sum();
      if (tokens_.next() != ")") tokens_.fail("an operator or \")\"");
      tokens_.take();
      return inside;
    }
    if (next == "min" || next == "max") return read_choice(tokens_.take());
    if (is_number(next)) return read_number();
    if (const auto* known = find_variable(next)) {
      tokens_.take();
      return known->formula;
    }
    const auto value = std::find(launch_.values.begin(), launch_.values.end(), next);
    if (!is_name(next)) tokens_.fail("an index");
    if (value == launch_.values.end()) fail_name(next);
    tokens_.take();
    return expression::symbol(static_cast<std::size_t>(value - launch_.values.begin()));
  }

  [[noreturn]] void fail_name(token name) const {
    auto known = variable_names();
    for (const auto& v : launch_.values) known += ", " + v;
    const auto owner = owner_of(name);  // an array: what depends on data may be anywhere
    tokens_.fail(fmt::format("an index or a value: {}, or \":\" for all", known), name,
                 fmt::format("\"{}\"{}{}", name, owner.empty() ? "" : ", ", owner));
  }

  expression read_choice(token which) {
    tokens_.expect("(");
    auto result = read_sum();
    do {
      if (tokens_.next() != ",") tokens_.fail("an operator or \",\"");
      tokens_.take();
      result = expression::of(which == "min" ? operation::least : operation::greatest, result,
                              read_sum());
    } while (tokens_.next() == ",");
    if (result.mentions_index()) fail_linear(which, fmt::format("a {}", which));
    if (tokens_.next() != ")") tokens_.fail("an operator, \",\" or \")\"");
    tokens_.take();
    return result;
  }

  expression read_number() {
    const auto digits_there = tokens_.next();
    std::int64_t value = 0;
    const auto* end = digits_there.data() + digits_there.size();
    const auto [last, code] = std::from_chars(digits_there.data(), end, value);
    if (code == std::errc::result_out_of_range) tokens_.fail("a number below 2^63");
    if (last != end) tokens_.fail("a number");
    tokens_.take();
    return value;
  }

  annotation_tokens tokens_;
  const launch_signature& launch_;
  std::vector<variable> variables_;
  annotation result_;
  int depth_ = 0;
};

}  // namespace

annotation parse_annotation(std::string_view text, const launch_signature& launch) {
  return annotation_parser(text, launch).run();
}

}  // namespace pappus::regions
