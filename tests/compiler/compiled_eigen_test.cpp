// Eigen's solvers of matrices whose size is fixed, with its checks: on OpenCL as on the CPU. Where
// Eigen uses instructions of the processor it asks for none of a device, so it is told not to.
#if __has_include(<Eigen/Dense>)
#define EIGEN_DONT_VECTORIZE
#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <vector>

#include "compiler/on_opencl.h"

namespace pappus {
namespace {

using matrix = std::array<double, 9>;
using vector = std::array<double, 3>;

/// Symmetric and positive definite.
std::vector<matrix> matrices() {
  std::vector<matrix> all;
  for (int i = 0; i < 200; ++i) {
    const double a = std::sin(i), b = std::cos(3 * i), c = std::sin(7 * i + 1);
    all.push_back({4 + a, b, c, b, 5 - b, a, c, a, 6 + c});
  }
  return all;
}

bool close(const auto& a, const auto& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-12 * (1 + std::abs(b[i])))) return false;
  return true;
}

class compiled_eigen : public testing::on_opencl {
 protected:
  template <typename Function>
  static void expect_close(Function f) {
    const auto all = matrices();
    expect_same([&](session& s) { return s.borrow(all).map(f); },
                [](const auto& a, const auto& b) { return close(a, b); });
  }
};

Eigen::Map<const Eigen::Matrix3d> as_matrix(const matrix& m) {
  return Eigen::Map<const Eigen::Matrix3d>(m.data());
}

vector as_vector(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }

TEST_F(compiled_eigen, solves_by_cholesky) {
  expect_close([](const matrix& m) {
    return as_vector(Eigen::LLT<Eigen::Matrix3d>(as_matrix(m)).solve(Eigen::Vector3d(1, 2, 3)));
  });
}

TEST_F(compiled_eigen, finds_eigenvalues) {
  expect_close([](const matrix& m) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(as_matrix(m));
    return as_vector(solver.eigenvalues());
  });
}

TEST_F(compiled_eigen, inverts) {
  expect_close([](const matrix& m) {
    const Eigen::Matrix3d inverse = as_matrix(m).inverse();
    Eigen::Matrix4d larger = Eigen::Matrix4d::Identity();
    larger.topLeftCorner<3, 3>() = as_matrix(m);
    larger(3, 0) = 0.5;
    const Eigen::Matrix4d of_larger = larger.inverse();
    return std::array<double, 4>{inverse(0, 0), inverse(1, 2), of_larger(3, 1),
                                 larger.determinant()};
  });
}

}  // namespace
}  // namespace pappus
#endif
