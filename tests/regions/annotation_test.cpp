#include "regions/annotation.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/error.h"
#include "regions/made_up_access.h"

namespace pappus::regions {
namespace {

using values = std::vector<std::int64_t>;

/// Vectors x, y, sum; matrices a, b, c; a scalar total. Values n and w.
launch_signature launch_of(std::size_t rank) {
  return {.rank = rank,
          .arrays = {{"x", 1}, {"y", 1}, {"sum", 1}, {"a", 2}, {"b", 2}, {"c", 2}, {"total", 0}},
          .values = {"n", "w"}};
}

std::string names_of(const annotation& parsed, const launch_signature& launch) {
  std::vector<std::string> symbols = launch.values;
  for (std::size_t d = 0; d < launch.rank; ++d) symbols.push_back("size" + std::to_string(d));
  return text(parsed.touches, {{parsed.indices, symbols}, parsed.arrays});
}

/// As it is printed again.
std::string read(std::string_view annotated, std::size_t rank) {
  const auto launch = launch_of(rank);
  return names_of(parse_annotation(annotated, launch), launch);
}

box touched_by(std::string_view annotated, const box& indices, const box& array,
               const values& symbols = {}) {
  const auto parsed = parse_annotation(annotated, launch_of(indices.rank));
  return touched(parsed.touches.accesses.at(0), indices, symbols, array).elements;
}

TEST(annotation, of_a_stencil_has_its_regions) {
  const auto parsed = parse_annotation("global i => read x[i-1:i+1], write y[i]", launch_of(1));
  ASSERT_EQ(parsed.touches.accesses.size(), 2u);
  const auto &in = parsed.touches.accesses[0], &out = parsed.touches.accesses[1];
  EXPECT_EQ(in.mode, access_mode::read);
  EXPECT_EQ(out.mode, access_mode::write);
  EXPECT_EQ(out.array, 1u);
  const box block({1024}, {2048}), array({0}, {64'000});
  EXPECT_EQ(touched(in, block, {}, array).elements, box({1023}, {2049}));
  EXPECT_EQ(touched(out, block, {}, array).elements, block);
}

TEST(annotation, of_a_matrix_product_has_rows_and_columns) {
  const auto parsed =
      parse_annotation("global [i, j] => read a[i,:], read b[:,j], write c[i,j]", launch_of(2));
  const box tile({10, 20}, {14, 28}), array({0, 0}, {100, 200});
  const auto at = [&](std::size_t n) {
    return touched(parsed.touches.accesses.at(n), tile, {}, array).elements;
  };
  EXPECT_EQ(at(0), box({10, 0}, {14, 200}));
  EXPECT_EQ(at(1), box({0, 20}, {100, 28}));
  EXPECT_EQ(at(2), tile);
}

TEST(annotation, of_a_reduction_tells_how) {
  const auto parsed =
      parse_annotation("global [i, j] => read a[i,j], reduce(+) sum[i]", launch_of(2));
  const auto& sum = parsed.touches.accesses.at(1);
  EXPECT_EQ(sum.mode, access_mode::reduce);
  EXPECT_EQ(sum.by, reduction::sum);
  EXPECT_EQ(touched(sum, box({3, 0}, {5, 90}), {}, box({0}, {50})).elements, box({3}, {5}));
  EXPECT_EQ(read("global i => reduce(*) x, reduce(min) y[:], reduce ( max ) total, reduce x", 1),
            "reduce(*) x, reduce(min) y[:], reduce(max) total, reduce x");
}

TEST(annotation, has_slices_with_open_ends) {
  const box array({0}, {100});
  EXPECT_EQ(touched_by("global i => read x[:]", box({3}, {9}), array), array);
  EXPECT_EQ(touched_by("global i => read x[i:]", box({3}, {9}), array), box({3}, {100}));
  EXPECT_EQ(touched_by("global i => read x[:i]", box({3}, {9}), array), box({0}, {9}));
  EXPECT_EQ(touched_by("global i => read x", box({3}, {9}), array), array);
  EXPECT_EQ(touched_by("global i => read x[5]", box({3}, {9}), array), box({5}, {6}));
}

TEST(annotation, has_indices_of_blocks_and_within_them) {
  const box array({0}, {1000});
  const auto* sums = "global i, block k => write sum[k], read x[i]";
  EXPECT_EQ(touched_by(sums, box({256}, {512}), array, {0, 0, 64}), box({4}, {8}));
  const auto* part = "local l => write x[l]";
  EXPECT_EQ(touched_by(part, box({256}, {512}), array, {0, 0, 64}), box({0}, {64}));
  EXPECT_EQ(touched_by(part, box({256}, {266}), array, {0, 0, 64}), box({0}, {10}));
  const auto* whole = "block [p, q], local [l, m] => read a[2*p+l, q-m+w]";
  const auto parsed = parse_annotation(whole, launch_of(2));
  EXPECT_TRUE(parsed.indices.empty());
  EXPECT_EQ(touched_by(whole, box({32, 32}, {40, 48}), box({0, 0}, {99, 99}), {0, 50, 8, 16}),
            box({8, 37}, {16, 53}));
}

TEST(annotation, has_values_wherever_numbers_are) {
  const box array({0}, {1000});
  EXPECT_EQ(touched_by("global i => read x[i-w:i+w]", box({10}, {20}), array, {0, 3}),
            box({7}, {23}));
  EXPECT_EQ(touched_by("global i => read x[i*n:(i+1)*n-1]", box({2}, {4}), array, {10, 0}),
            box({20}, {40}));
  EXPECT_EQ(touched_by("global i => read x[n/2*i + max(w, n%3, 0)]", box({2}, {4}), array, {7, 5}),
            box({11}, {15}));
  EXPECT_EQ(touched_by("global i => read x[-(i-n)-1]", box({0}, {4}), array, {10, 0}),
            box({6}, {10}));
  EXPECT_EQ(touched_by("global i => read x[--2 - -i*-1]", box({0}, {1}), array), box({2}, {3}));
}

TEST(annotation, may_begin_with_names_of_the_arrays) {
  const launch_signature launch{.rank = 1, .arrays = {{"", 1}, {"", 1}}, .values = {"n"}};
  const auto parsed =
      parse_annotation("in, out: global k => read in[k-n:k+n], write out[k]", launch);
  EXPECT_EQ(names_of(parsed, launch), "read in[k-n:k+n], write out[k]");
  EXPECT_EQ(parse_annotation("p, q, r, s, t, u, v: global i => write u[i,2]", launch_of(1))
                .touches.accesses.at(0)
                .array,
            5u);
}

TEST(annotation, may_stand_on_several_lines_without_spaces_or_with_many) {
  EXPECT_EQ(read("global i=>read x[i],write y[i]", 1), "read x[i], write y[i]");
  EXPECT_EQ(read("  global\ti =>\n  read x [ i - 1 : i + 1 ] ,\r\n readwrite y\n", 1),
            "read x[i-1:i+1], readwrite y");
}

TEST(annotation, is_read_back_from_what_is_printed) {
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    made_up from(seed);
    const auto launch = launch_of(1 + from.below(3));
    const std::vector<std::string> all{"i", "j", "k"};
    const std::vector<std::string> indices(all.begin(), all.begin() + int(launch.rank));
    std::vector<std::string> arrays;
    for (const auto& a : launch.arrays) arrays.push_back(a.name);
    footprint original;
    for (auto n = from.below(3) + 1; n-- > 0;) {
      const auto array = from.below(arrays.size());
      auto by = an_access(from, launch.arrays[array].rank, launch.rank, true);
      by.array = array;
      by.mode = static_cast<access_mode>(from.below(4));
      if (const auto how = from.below(5); by.mode == access_mode::reduce && how < 4)
        by.by = static_cast<reduction>(how);
      original.accesses.push_back(by);
    }
    const access_names names{{indices, launch.values}, arrays};
    std::string bound;
    for (const auto& name : indices) bound += (bound.empty() ? "" : ", ") + name;
    const auto printed = "global [" + bound + "] => " + text(original, names);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << printed);
    const auto back = parse_annotation(printed, launch);
    ASSERT_EQ(back.touches.accesses.size(), original.accesses.size());
    const box indices_here = from.a_box(launch.rank, 4);
    const values symbols{from.between(-2, 5), from.between(-2, 5)};
    for (std::size_t n = 0; n < original.accesses.size(); ++n) {
      const auto &a = original.accesses[n], &b = back.touches.accesses[n];
      ASSERT_TRUE(a.array == b.array && a.mode == b.mode && a.by == b.by);
      const box array({-40, -40}, {40, 40});
      box elements(launch.arrays[a.array].rank);
      elements.low = array.low, elements.high = array.high;
      for (auto d = elements.rank; d < rank_max; ++d) elements.low[d] = elements.high[d] = 0;
      const auto one = touched(a, indices_here, symbols, elements);
      const auto other = touched(b, indices_here, symbols, elements);
      ASSERT_EQ(one.elements, other.elements);
      ASSERT_EQ(one.where, other.where);
    }
  }
}

struct refused {
  std::size_t rank;
  std::string_view text, message;
};

class bad_annotation : public ::testing::TestWithParam<refused> {};

TEST_P(bad_annotation, is_refused_with_the_place) {
  const auto& [rank, annotated, message] = GetParam();
  try {
    read(annotated, rank);
    ADD_FAILURE() << "it was read: " << annotated;
  } catch (const usage_error& e) {
    EXPECT_EQ(std::string("\n") + e.what(), message);
  }
}

constexpr refused refusals[] = {
    {1, "", R"t(
annotation, line 1: expected global, block or local, got the end
    
    ^)t"},
    {1, "globl i => read x[i]", R"t(
annotation, line 1: expected global, block or local, got "globl"
    globl i => read x[i]
    ^)t"},
    {1, "in, out: global i => read in[i]", R"t(
annotation, line 1: expected names of 7 arrays, got 2
    in, out: global i => read in[i]
    ^)t"},
    {1, "x[i]", R"t(
annotation, line 1: expected global, block or local, got "x"
    x[i]
    ^)t"},
    {1, "global => read x[i]", R"t(
annotation, line 1: expected a name of an index, got "=>"
    global => read x[i]
           ^)t"},
    {1, "global i read x[i]", R"t(
annotation, line 1: expected "," or "=>", got "read"
    global i read x[i]
             ^)t"},
    {1, "global [i => read x[i]", R"t(
annotation, line 1: expected "," or "]", got "=>"
    global [i => read x[i]
              ^)t"},
    {1, "global [i, j] => read a[i,j]", R"t(
annotation, line 1: expected 1 name, one for each dimension of the launch, got 2
    global [i, j] => read a[i,j]
           ^)t"},
    {2, "global i => read x[i]", R"t(
annotation, line 1: expected 2 names, one for each dimension of the launch, got 1
    global i => read x[i]
           ^)t"},
    {2, "global [i, i] => read x[i]", R"t(
annotation, line 1: expected a name of an index that nothing else has, got "i", an index
    global [i, i] => read x[i]
               ^)t"},
    {1, "global n => read x[n]", R"t(
annotation, line 1: expected a name of an index that nothing else has, got "n", a value
    global n => read x[n]
           ^)t"},
    {1, "global x => read x[x]", R"t(
annotation, line 1: expected a name of an index that nothing else has, got "x", an array
    global x => read x[x]
           ^)t"},
    {1, "global min => read x[min]", R"t(
annotation, line 1: expected a name of an index that nothing else has, got "min", a keyword
    global min => read x[min]
           ^)t"},
    {1, "global i, lokal j => read x[i]", R"t(
annotation, line 1: expected global, block or local, got "lokal"
    global i, lokal j => read x[i]
              ^)t"},
    {1, "global i =>", R"t(
annotation, line 1: expected read, write, readwrite or reduce, got the end
    global i =>
               ^)t"},
    {1, "global i => x[i]", R"t(
annotation, line 1: expected read, write, readwrite or reduce, got "x"
    global i => x[i]
                ^)t"},
    {1, "global i => update x[i]", R"t(
annotation, line 1: expected read, write, readwrite or reduce, got "update"
    global i => update x[i]
                ^)t"},
    {1, "global i => read x[i] write y[i]", R"t(
annotation, line 1: expected "," or the end, got "write"
    global i => read x[i] write y[i]
                          ^)t"},
    {1, "global i => read x[i],", R"t(
annotation, line 1: expected read, write, readwrite or reduce, got the end
    global i => read x[i],
                          ^)t"},
    {1, "global i => read z[i]", R"t(
annotation, line 1: expected the name of an array: x, y, sum, a, b, c, total, got "z"
    global i => read z[i]
                     ^)t"},
    {1, "global i => read [i]", R"t(
annotation, line 1: expected the name of an array: x, y, sum, a, b, c, total, got "["
    global i => read [i]
                     ^)t"},
    {1, "global i => read a[i]", R"t(
annotation, line 1: expected 2 indices of a, got 1
    global i => read a[i]
                     ^)t"},
    {1, "global i => read x[i,0]", R"t(
annotation, line 1: expected 1 index of x, got 2
    global i => read x[i,0]
                     ^)t"},
    {1, "global i => read total[i]", R"t(
annotation, line 1: expected 0 indices of total, got 1
    global i => read total[i]
                     ^)t"},
    {1, "global i => reduce(avg) x[i]", R"t(
annotation, line 1: expected +, *, min or max, got "avg"
    global i => reduce(avg) x[i]
                       ^)t"},
    {1, "global i => reduce(+ x[i]", R"t(
annotation, line 1: expected ")", got "x"
    global i => reduce(+ x[i]
                         ^)t"},
    {1, "global i => read x[]", R"t(
annotation, line 1: expected an index, got "]"
    global i => read x[]
                       ^)t"},
    {1, "global i => read x[i", R"t(
annotation, line 1: expected an operator, ":", "," or "]", got the end
    global i => read x[i
                        ^)t"},
    {1, "global i => read x[i;1]", R"t(
annotation, line 1: expected an operator, ":", "," or "]", got ";"
    global i => read x[i;1]
                        ^)t"},
    {1, "global i => read x[i:1:2]", R"t(
annotation, line 1: expected "," or "]", got ":"
    global i => read x[i:1:2]
                          ^)t"},
    {1, "global i => read x[i+]", R"t(
annotation, line 1: expected an index, got "]"
    global i => read x[i+]
                         ^)t"},
    {1, "global i => read x[2i]", R"t(
annotation, line 1: expected a number, got "2i"
    global i => read x[2i]
                       ^)t"},
    {1, "global i => read x[i+1.5]", R"t(
annotation, line 1: expected an operator, ":", "," or "]", got "."
    global i => read x[i+1.5]
                          ^)t"},
    {1, "global i => read x[i+v]", R"t(
annotation, line 1: expected an index or a value: i, n, w, or ":" for all, got "v"
    global i => read x[i+v]
                         ^)t"},
    {1, "global i => read x[y[i]]", R"t(
annotation, line 1: expected an index or a value: i, n, w, or ":" for all, got "y", an array
    global i => read x[y[i]]
                       ^)t"},
    {1, "global i => read x[(i+1]", R"t(
annotation, line 1: expected an operator or ")", got "]"
    global i => read x[(i+1]
                           ^)t"},
    {1, "global i => read x[i*i]", R"t(
annotation, line 1: expected an index linear in i, or ":" for all, got a product of two
    global i => read x[i*i]
                        ^)t"},
    {1, "global i => read x[n/i]", R"t(
annotation, line 1: expected a divisor without an index, or ":" for all, got one that has one
    global i => read x[n/i]
                         ^)t"},
    {1, "global i => read x[i%2]", R"t(
annotation, line 1: expected an index linear in i, or ":" for all, got a remainder
    global i => read x[i%2]
                        ^)t"},
    {1, "global i => read x[n%i]", R"t(
annotation, line 1: expected an index linear in i, or ":" for all, got a remainder
    global i => read x[n%i]
                        ^)t"},
    {1, "global i => read x[min(i+1,n-1)]", R"t(
annotation, line 1: expected an index linear in i, or ":" for all, got a min
    global i => read x[min(i+1,n-1)]
                       ^)t"},
    {1, "global i => read x[max(n)]", R"t(
annotation, line 1: expected an operator or ",", got ")"
    global i => read x[max(n)]
                            ^)t"},
    {1, "global i => read x[max(n,w]", R"t(
annotation, line 1: expected an operator, "," or ")", got "]"
    global i => read x[max(n,w]
                              ^)t"},
    {2, "global [i,j], block [p,q] => read x[(i+p)*(2-j)]", R"t(
annotation, line 1: expected an index linear in i, j, p, q, or ":" for all, got a product of two
    global [i,j], block [p,q] => read x[(i+p)*(2-j)]
                                             ^)t"},
    {1, "global i => read x[9223372036854775808]", R"t(
annotation, line 1: expected a number below 2^63, got "9223372036854775808"
    global i => read x[9223372036854775808]
                       ^)t"},
    {1, "global i =>\n\tread x[i],\n\twrite y[é]\n", R"t(
annotation, line 3: expected an index, got "é"
    	write y[é]
    	        ^)t"},
};

INSTANTIATE_TEST_SUITE_P(annotation, bad_annotation, ::testing::ValuesIn(refusals));

TEST(annotation, without_names_of_arrays_asks_for_them) {
  const launch_signature launch{.rank = 1, .arrays = {{"", 1}, {"", 1}}, .values = {}};
  const auto refusal = [&](std::string_view annotated) -> std::string {
    try {
      parse_annotation(annotated, launch);
    } catch (const usage_error& e) {
      return std::string("\n") + e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refusal("global i => read in[i]"), R"t(
annotation, line 1: expected the names of 2 arrays and ":", got "global"
    global i => read in[i]
    ^)t");
  EXPECT_EQ(refusal("in: global i => read in[i]"), R"t(
annotation, line 1: expected names of 2 arrays, got 1
    in: global i => read in[i]
    ^)t");
  EXPECT_EQ(refusal("in, in: global i => read in[i]"), R"t(
annotation, line 1: expected a name of an array that nothing else has, got "in", an array
    in, in: global i => read in[i]
        ^)t");
  EXPECT_EQ(refusal("in out: global i => read in[i]"), R"t(
annotation, line 1: expected "," or ":", got "out"
    in out: global i => read in[i]
       ^)t");
}

TEST(annotation, nested_deeper_than_anyone_writes_is_refused) {
  const auto nested = [](std::size_t depth) {
    return "global i => read x[" + std::string(depth, '(') + "i" + std::string(depth, ')') + "]";
  };
  EXPECT_EQ(read(nested(99), 1), "read x[i]");
  EXPECT_THROW(read(nested(100), 1), usage_error);
  EXPECT_THROW(read(nested(1'000'000), 1), usage_error);
}

}  // namespace
}  // namespace pappus::regions
