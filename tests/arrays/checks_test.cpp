// What is refused at the call, with the whole of what is said.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/refusal.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

using testing::refusal;

constexpr const char* map_text = "in, out: global i => read in[i], write out[i]";

auto of_two(const char* text) {
  return annotated(
      [](idx<1> i, reads<int> in, writes<int> out) {
        if (i < std::min(in.extent(0), out.extent(0))) out[i] = in[i];
      },
      text);
}
auto of_one(const char* text) {
  return annotated([](idx<1>, updates<int>) {}, text);
}

TEST(array_checks, refuse_extents) {
  session s({.threads = 1, .host_memory = 1 << 20, .spill = "off"});
  EXPECT_EQ(refusal([&] { s.zeros<int>({-1}); }),
            "array: expected extents of 0 and more, got -1 in dimension 0");
  EXPECT_EQ((refusal([&] { s.unwritten<int, 2>({3, -4}); })),
            "array: expected extents of 0 and more, got -4 in dimension 1");
  EXPECT_EQ(
      (refusal([&] { s.unwritten<double, 2>({std::int64_t{1} << 31, std::int64_t{1} << 30}); })),
      "array: expected less than 2^63 bytes, got 2305843009213693952 elements of 8 bytes; "
      "make it smaller");
  EXPECT_THROW(s.unwritten<double>({1 << 20}), memory_error);
}

TEST(array_checks, refuse_elements_that_dont_fill_the_extents) {
  session s({.threads = 1});
  EXPECT_EQ((refusal([&] { s.to_array<2>(std::vector<int>(5), {2, 2}); })),
            "to_array: expected 4 elements, as many as the extents say, got 5");
  EXPECT_EQ((refusal([&] { s.to_array<2>(std::vector<int>(5), {-2, 2}); })),
            "array: expected extents of 0 and more, got -2 in dimension 0");
}

TEST(array_checks, refuse_parts_that_arent_within) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({10});
  const auto m = s.zeros<int, 2>({4, 5});
  EXPECT_EQ(refusal([&] { a[{3, 11}]; }),
            "array: expected a part within [0:9], got [3, 11) in dimension 0; clip the box to the "
            "array's extents");
  EXPECT_EQ(refusal([&] { a[{-1, 3}]; }),
            "array: expected a part within [0:9], got [-1, 3) in dimension 0; clip the box to the "
            "array's extents");
  EXPECT_EQ(refusal([&] { m[{{2, 3}, {4, 1}}]; }),
            "array: expected a part within [0:3,0:4], got [3, 1) in dimension 1; clip the box to "
            "the array's extents");
  EXPECT_EQ(refusal([&] { a[{2, 5}][{0, 4}]; }),
            "array: expected a part within [0:2], got [0, 4) in dimension 0; clip the box to the "
            "array's extents");
  EXPECT_EQ((a[{10, 10}].size()), 0);
}

TEST(launch_checks, refuse_index_spaces) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({10}), b = s.zeros<int>({10});
  EXPECT_EQ(refusal([&] { s.for_each(box<1>{5, 3}, of_two(map_text), a, b); }),
            "for_each at checks_test.cpp:N: expected an index space of 0 and more indices in each "
            "dimension, got [5, 3) in dimension 0");
  EXPECT_EQ(refusal([&] { s.for_each({-4}, of_two(map_text), a, b); }),
            "for_each at checks_test.cpp:N: expected an index space of 0 and more indices in each "
            "dimension, got [0, -4) in dimension 0");
  const auto many = std::int64_t{1} << 40;
  EXPECT_EQ(refusal([&] { s.for_each({many, many}, [](idx<2>, updates<int>) {}, a); }),
            "for_each at checks_test.cpp:N: expected less than 2^63 - 1 indices, got "
            "9223372036854775807 or more; launch it in parts");
}

TEST(launch_checks, refuse_what_lies_outside_as_a_whole) {
  session s({.threads = 1});
  const auto a = s.filled<int>({10}, 1), b = s.zeros<int>({10}), none = s.zeros<int>({0});
  EXPECT_EQ(refusal([&] { s.for_each(box<1>{20, 25}, of_two(map_text), a, b); }),
            "for_each at checks_test.cpp:N: in: expected elements of [0:9], got none of them for "
            "the indices [20:24] (in, out: global i => read in[i], write out[i]); launch it over "
            "other indices, or give it another part of the array");
  EXPECT_EQ(refusal([&] { s.for_each({5}, of_two(map_text), none, b); }),
            "for_each at checks_test.cpp:N: in: expected elements of an array that has some, got "
            "none of them for the indices [0:4] (in, out: global i => read in[i], write out[i]); "
            "launch it over other indices, or give it another part of the array");
  // Borders are the function's business.
  s.for_each({12}, of_two(map_text), a, b);
  EXPECT_THAT(b.to_vector(), ::testing::Each(1));
}

TEST(launch_checks, refuse_elements_that_several_indices_write) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({10}), b = s.zeros<int>({10});
  const auto text = "in, out: global i => read in[i], write out[0]";
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(text), a, b); }),
            "for_each at checks_test.cpp:N: out: expected that each index writes elements of its "
            "own, got an element that several may write (in, out: global i => read in[i], write "
            "out[0]); launch it over as many indices as there are elements and let each gather its "
            "part");
  s.for_each({1}, of_two(text), a, b);
  EXPECT_EQ(refusal([&] {
              s.for_each({10}, of_two("in, out: global i => read in[i], write out"), a, b);
            }),
            "for_each at checks_test.cpp:N: out: expected that each index writes elements of its "
            "own, got the whole array for all of them (in, out: global i => read in[i], write "
            "out); say which elements an index writes");
}

TEST(launch_checks, refuse_an_index_that_touches_what_another_writes) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({10});
  const auto m = s.zeros<int, 2>({4, 5});
  for (const char* text :
       {"a: global i => read a[i-1], write a[i]", "a: global i => read a, write a[i]"})
    EXPECT_EQ(refusal([&] { s.for_each({10}, of_one(text), a); }),
              "for_each at checks_test.cpp:N: a: expected that no index touches what another one "
              "writes, got elements that several touch (" +
                  std::string(text) + "); write to another array, and swap the two");
  s.for_each({5}, of_one("a: global i => read a[2*i+1], write a[2*i]"), a);
  // One dimension in which they never meet is enough.
  s.for_each({2, 4},
             annotated([](idx<2>, updates<int, 2>) {},
                       "a: global [i,j] => read a[2*i+1,j+1], write a[2*i,j]"),
             m);
}

TEST(launch_checks, refuse_elements_that_nobody_has_written) {
  session s({.threads = 1});
  const auto none = s.unwritten<int>({10}), some = s.unwritten<int>({10}), b = s.zeros<int>({10});
  some[{0, 4}].fill(1);
  const std::string begin =
      "for_each at checks_test.cpp:N: in: expected elements that were written before, got ";
  const std::string end =
      " of array<int> of 10 that nobody has written (in, out: global i => read in[i], write "
      "out[i]); write them first, or make the array with zeros()";
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(map_text), none, b); }), begin + "[0:9]" + end);
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(map_text), some, b); }), begin + "[4:9]" + end);
  s.for_each({4}, of_two(map_text), some, b);
#ifndef PAPPUS_TEST_INFERRED
  EXPECT_EQ(refusal([&] { s.for_each({10}, [](idx<1>, reads<int>) {}, none); }),
            "for_each at checks_test.cpp:N: a: expected elements that were written before, got "
            "[0:9] of array<int> of 10 that nobody has written (nothing is known of what it "
            "touches); write them first, or make the array with zeros()");
#endif
  s.for_each({4}, [](idx<1>, reads<int>) {}, some);  // which of them it reads isn't known
  const std::string host =
      "host: expected elements that were written before, got [4:9] of array<int> of 10 that nobody "
      "has written; write them first, or make the array with zeros()";
  EXPECT_EQ(refusal([&] { some.host(); }), host);
  EXPECT_EQ(refusal([&] { some.rows(); }), "rows" + host.substr(4));
  EXPECT_EQ(refusal([&] { some.copy(); }),
            "copy: from: expected elements that were written before, got [4:9] of array<int> of 10 "
            "that nobody has written (read from, write to); write them first, or make the array "
            "with zeros()");
  EXPECT_EQ(some[box<1>(0, 4)].to_vector().size(), 4);
}

TEST(launch_checks, refuse_the_same_elements_twice_where_they_are_written) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({10});
  const std::string expected =
      "for_each at checks_test.cpp:N: out: expected another array than that of in, got one with "
      "the same elements, of which some are written (in, out: global i => read in[i], write "
      "out[i]); pass it once, as updates<T, N>, or copy it";
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(map_text), a, a); }), expected);
  EXPECT_EQ(refusal([&] { s.for_each({5}, of_two(map_text), a[{0, 5}], a[{4, 9}]); }), expected);
  s.for_each({5}, of_two(map_text), a[{0, 5}], a[{5, 10}]);
#ifndef PAPPUS_TEST_INFERRED
  EXPECT_EQ(refusal([&] { s.for_each({10}, [](idx<1>, reads<int>, writes<int>) {}, a, a); }),
            "for_each at checks_test.cpp:N: b: expected another array than that of a, got one with "
            "the same elements, of which some are written (nothing is known of what it touches); "
            "pass it once, as updates<T, N>, or copy it");
#endif
  s.for_each({10}, [](idx<1>, reads<int>, reads<int>) {}, a, a);
}

TEST(launch_checks, refuse_arrays_of_others) {
  session s({.threads = 1}), other({.threads = 1});
  const auto a = s.zeros<int>({10}), theirs = other.zeros<int>({10});
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(map_text), theirs, a); }),
            "for_each at checks_test.cpp:N: expected arrays of this session, got one of another "
            "session as number 1; copy its elements over the host");
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(map_text), a, array<int>()); }),
            "for_each at checks_test.cpp:N: expected arrays of this session, got an empty handle "
            "as number 2; make it with zeros()");
  array<int> old;
  {
    session ended({.threads = 1});
    old = ended.zeros<int>({10});
  }
  EXPECT_EQ(refusal([&] { s.for_each({10}, of_two(map_text), old, a); }),
            "for_each at checks_test.cpp:N: expected arrays of this session, got one whose session "
            "has ended as number 1; keep that session, and copy the array's elements over the "
            "host");
}

TEST(array_checks, refuse_empty_handles) {
  const array<int> none;
  EXPECT_EQ(none.size(), 0);
  const std::string expected =
      "array: expected one that was made by a session, got an empty handle";
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { none.host(); }, [&] { none.host_write(); }, [&] { none.to_vector(); },
           [&] { none.fill(1); }, [&] { none.copy(); }, [&] { none.rows(); },
           [&] { none[{0, 0}]; }})
    EXPECT_EQ(refusal(call), expected);
  EXPECT_EQ(refusal([&] { none.explain(); }),
            "array: expected one of a session, got an empty handle");
}

TEST(array_checks, refuse_handles_whose_session_has_ended) {
  std::optional<session> s(std::in_place, options{.threads = 1});
  const auto a = s->zeros<int>({10});
  s.reset();
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { a.host(); }, [&] { a.host_write(); }, [&] { a.to_vector(); }, [&] { a.fill(1); },
           [&] { a.copy(); }, [&] { a.rows(); }, [&] { a[{0, 0}]; }, [&] { a.explain(); }})
    EXPECT_EQ(refusal(call),
              "this handle's session has ended; keep the session until its last query is done");
}

TEST(launch_checks, refuse_annotations) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({10}), b = s.zeros<int>({10});
  const auto said = [&](const char* text) {
    return refusal([&] { s.for_each({10}, of_two(text), a, b); });
  };
  EXPECT_EQ(said("in, out: global i => read in[i, write out[i]"),
            "for_each at checks_test.cpp:N: annotation, line 1: expected an index or a value: i, "
            "or \":\" for all, got \"write\"\n"
            "    in, out: global i => read in[i, write out[i]\n"
            "                                    ^");
  EXPECT_EQ(said("in, out: global i => read in[k], write out[i]"),
            "for_each at checks_test.cpp:N: annotation, line 1: expected an index or a value: i, "
            "or \":\" for all, got \"k\"\n"
            "    in, out: global i => read in[k], write out[i]\n"
            "                                 ^");
  EXPECT_EQ(said("in, out: global i => read inn[i], write out[i]"),
            "for_each at checks_test.cpp:N: annotation, line 1: expected the name of an array: in, "
            "out, got \"inn\"\n"
            "    in, out: global i => read inn[i], write out[i]\n"
            "                              ^");
  EXPECT_EQ(said("in, out: global i => write out[i]"),
            "for_each at checks_test.cpp:N: in: expected that the annotation says what is touched "
            "of it, got \"in, out: global i => write out[i]\"; add, for instance, \"read in\"");
  EXPECT_EQ(said("in, out: global i => read in[i]"),
            "for_each at checks_test.cpp:N: out: expected that the annotation says what is touched "
            "of it, got \"in, out: global i => read in[i]\"; add, for instance, \"write out\"");
  EXPECT_EQ(said("in, out: global i => write in[i], write out[i]"),
            "for_each at checks_test.cpp:N: in: expected that a view of reads<T, N> is read, got "
            "\"in, out: global i => write in[i], write out[i]\"; take writes<T, N> or "
            "updates<T, N>");
  EXPECT_EQ(said("in, out: global i => read in[i], read out[i]"),
            "for_each at checks_test.cpp:N: out: expected that a view of writes<T, N> is written, "
            "got \"in, out: global i => read in[i], read out[i]\"; take reads<T, N> or "
            "updates<T, N>");
}

TEST(launch_checks, refuse_calls_from_inside) {
  session s({.threads = 2});
  const auto a = s.zeros<int>({10}), b = s.zeros<int>({10}), c = s.zeros<int>({1});
  const auto said = [&](const std::function<void()>& call) {
    std::string got = "nothing";
    s.for_each({1},
               annotated([&](idx<1>, updates<int>) { got = refusal(call); },
                         "a: global i => readwrite a[i]"),
               c);
    c.host();
    return got;
  };
  const std::string expected =
      ": expected a call from outside of launched functions, got one from inside, which would wait "
      "for itself; call it before or after for_each";
  EXPECT_EQ(said([&] { a.host(); }), "host" + expected);
  EXPECT_EQ(said([&] { a.host_write(); }), "host_write" + expected);
  EXPECT_EQ(said([&] { a.rows(); }), "rows" + expected);
  EXPECT_EQ(said([&] { a.fill(1); }), "fill" + expected);
  EXPECT_EQ(said([&] { a.copy(); }), "copy" + expected);
  EXPECT_EQ(said([&] { s.wait(); }), "wait" + expected);
  EXPECT_EQ(said([&] { s.for_each({10}, of_two(map_text), a, b); }), "for_each" + expected);
}

TEST(launch_checks, leave_no_trace_of_what_was_refused) {
  session s({.threads = 2});
  const auto none = s.unwritten<int>({10}), b = s.filled<int>({10}, 3);
  EXPECT_NE(refusal([&] { s.for_each({10}, of_two(map_text), none, b); }), "nothing");
  EXPECT_THAT(b.to_vector(), ::testing::Each(3));
  EXPECT_NE(refusal([&] { none.host(); }), "nothing");
  s.wait();
}

}  // namespace
}  // namespace pappus
