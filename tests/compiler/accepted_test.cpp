// Lambdas of accepted/ run on OpenCL, by texts with their variables' names (-g).
#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#define PAPPUS_RUN_LAMBDAS
#include "compiler/on_opencl.h"
#include "compiler/thunks.h"

// A namespace each; what they include of the standard library has been included.
namespace captures {
#include "compiler/accepted/captures.cpp"
}
namespace library {
#include "compiler/accepted/library.cpp"
}
namespace records {
#include "compiler/accepted/records.cpp"
}
namespace scopes {
#include "compiler/accepted/scopes.cpp"
}
namespace statements {
#include "compiler/accepted/statements.cpp"
}
namespace variables {
#include "compiler/accepted/variables.cpp"
}

namespace thunks {

template <>
struct inputs<std::variant<int, double>> {
  static std::vector<std::variant<int, double>> rows() { return {3, 2.5, -1, 0.0}; }
};
template <>
struct inputs<std::complex<double>> {
  static std::vector<std::complex<double>> rows() { return {{1, 2}, {-0.5, 0}, {0, 0}}; }
};
template <>
struct inputs<std::complex<float>> {
  static std::vector<std::complex<float>> rows() { return {{1, 2}, {-0.5, 0}, {0, 0}}; }
};
template <>
struct inputs<library::word> {
  static std::vector<library::word> rows() {
    return {{"alpha", 5}, {"beta", 4}, {"gamma", 5}, {"zeta", 4}, {"", 0}, {"alp", 3}};
  }
};
template <>
struct inputs<records::geo::point> {
  static std::vector<records::geo::point> rows() { return {{0, 0}, {1.5, -2}, {30, 40}}; }
};
template <>
struct inputs<records::item> {
  static std::vector<records::item> rows() {
    return {{1, {2, 3, 4}, {{0, 0}, {1, 1}}}, {-5, {32767, 0, -1}, {{20, 20}, {1, 1}}}};
  }
};
template <>
struct inputs<records::wire> {
  static std::vector<records::wire> rows() { return {{3, 7, 0.25}, {4, 4000000000, 0.25}}; }
};
template <>
struct inputs<records::flags> {
  static std::vector<records::flags> rows() {
    return {{1, -2, 3, -4, 5}, {0, 524287, 99, 2047, 127}};
  }
};
template <>
struct inputs<variables::point> {
  static std::vector<variables::point> rows() { return {{0, 0}, {1.5, -2}, {30, 40}}; }
};
template <>
struct sides<variables::point> {
  static std::vector<variables::point> rows() { return {{1, 0}, {-3, 2.5f}, {31, 39}, {1, 0}}; }
};
template <>
struct inputs<variables::trade> {
  static std::vector<variables::trade> rows() {
    return {{1, 2.5, 0.25f, {3, 4}}, {-7, 1e9, 0, {-1, 0.5f}}};
  }
};
template <>
struct inputs<variables::order> {
  static std::vector<variables::order> rows() {
    std::vector<variables::order> all(2);
    all[0].number = 5, all[0].closed = 3, all[0].price = 1.5f;
    all[0].half[1][2] = 7, all[0].half[0][1] = 65535, all[0].uchar.size = -9;
    all[1].number = 4000000000, all[1].which = variables::side::sell, all[1].uchar.kind = -1;
    return all;
  }
};
template <>
struct inputs<captures::table> {
  static std::vector<captures::table> rows() { return {{{}, 0}, {{}, 1}}; }
};
template <>
struct inputs<statements::color> {
  static std::vector<statements::color> rows() {
    using enum statements::color;
    return {red, green, blue, green};
  }
};

}  // namespace thunks

namespace {

using accepted_lambdas = pappus::testing::on_opencl;

TEST_F(accepted_lambdas, yield_on_a_device_what_captures_hold) {
  captures::table t{{}, 16};
  for (int i = 0; i < 16; ++i) t.values[i] = 0.5f * static_cast<float>(i);
  const double grid[3][4] = {{1, 2, 3, 4}, {5, 40, 7, 8}, {-9, 10, 55, 12}};
  captures::kernels(5, 2.5f, t, {1, 3, 5, 7, 9, 11, 13, 15}, 40.0, grid,
                    {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, -7, 300);
}

TEST_F(accepted_lambdas, yield_on_a_device_what_the_standard_library_computes) {
  library::kernels({1, 2, 3.5f, 4}, {3, 0.5});
  library::text_and_numbers();
}

TEST_F(accepted_lambdas, yield_on_a_device_what_records_hold) {
  records::kernels({{-1, -1}, {10, 10}}, {0.5f, 0.25f});
}

TEST_F(accepted_lambdas, leave_loops_on_a_device_where_they_do_on_the_cpu) {
  scopes::kernels({1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, {1, 2, 3, 4, 5, 6, 7, 8.5f});
}

TEST_F(accepted_lambdas, take_on_a_device_the_way_that_they_take_on_the_cpu) {
  statements::kernels(9);
  statements::counters(7);
  statements::choices();
  statements::entered_in_between();
}

TEST_F(accepted_lambdas, yield_on_a_device_what_they_do_whatever_their_variables_are_called) {
  variables::kernels(1.5);
  variables::fields();
}

}  // namespace

#endif
