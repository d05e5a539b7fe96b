/// What users of Eigen and xtensor write, and what that is here: every row of docs/coming_from_eigen.md is compiled and
/// its result compared. A comment is the other library's line; the statement behind it has Purview's.

#include "same.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace pv = purview;

void eigen() {
    auto A = pv::tensor({{1., 2.}, {3., 4.}});
    auto v = pv::tensor({1., 2.});
    std::vector<double> data{1, 2, 3, 4};
    // MatrixXd::Zero(2, 3)
    same(pv::zeros({2, 3}).shape(), pv::Shape{2, 3});
    // MatrixXd::Identity(2, 2)
    same(pv::eye(2), pv::tensor({{1., 0.}, {0., 1.}}));
    // Map<Matrix<double, 2, 2, RowMajor>>(data.data())
    same(pv::borrow(data, {2, 2}), A);
    // Map<Matrix2d>(data.data())
    same(pv::borrow(data, {2, 2}, {1, 2}), pv::transpose(A));
    // A(1, 0)
    same(double(A(1, 0)), 3.);
    // A.data()[2]
    same(A.data()[2], 3.);
    // A.row(0)
    same(A(0, pv::all), pv::tensor({1., 2.}));
    // A.col(1)
    same(A(pv::all, 1), pv::tensor({2., 4.}));
    // A.block(0, 1, 2, 1)
    same(A(pv::range(0, 2), pv::range(1, 2)), pv::tensor({{2.}, {4.}}));
    // A.transpose()
    same(pv::transpose(A), pv::tensor({{1., 3.}, {2., 4.}}));
    // A.diagonal()
    same(pv::diagonal(A), pv::tensor({1., 4.}));
    // A.reverse()
    same(pv::flip(A), pv::tensor({{4., 3.}, {2., 1.}}));
    // A.reshaped<RowMajor>(4, 1)
    same(pv::reshape(A, {4, 1}).shape(), pv::Shape{4, 1});
    // A.replicate(1, 2)
    same(pv::tile(A, {1, 2}).shape(), pv::Shape{2, 4});
    // A.cwiseProduct(A)
    same(A * A, pv::tensor({{1., 4.}, {9., 16.}}));
    // A * A
    same(pv::matmul(A, A), pv::tensor({{7., 10.}, {15., 22.}}));
    // A * v
    same(pv::matmul(A, v), pv::tensor({5., 11.}));
    // v.dot(v)
    same(pv::dot(v, v), 5.);
    // v.norm()
    same(pv::magnitude(v), std::sqrt(5.));
    // A.array() + 1
    same(A + 1, pv::tensor({{2., 3.}, {4., 5.}}));
    // A.rowwise() + v.transpose()
    same(A + v, pv::tensor({{2., 4.}, {4., 6.}}));
    // A.colwise() + v
    same(A + v(pv::all, pv::new_axis), pv::tensor({{2., 3.}, {5., 6.}}));
    // A.cwiseMax(2)
    same(pv::maximum(A, 2), pv::tensor({{2., 2.}, {3., 4.}}));
    // (A.array() > 2).select(A, 0)
    same(pv::where(A > 2, A, 0), pv::tensor({{0., 0.}, {3., 4.}}));
    // A.unaryExpr(f)
    auto f = [](double value) { return value + 0.5; };
    same(pv::emap(f, A), A + 0.5);
    // A.cast<int>()
    same(A | pv::cast<int>, pv::tensor({{1, 2}, {3, 4}}));
    // A.sum(), A.maxCoeff()
    same(pv::sum(A), 10.), same(pv::max(A), 4.);
    // A.colwise().sum()
    same(pv::sum(A, 0), pv::tensor({4., 6.}));
    // A.rowwise().mean()
    same(pv::mean(A, 1), pv::tensor({1.5, 3.5}));
    // A.eval()
    same(pv::clone(A * 2), pv::tensor({{2., 4.}, {6., 8.}}));
    // A.setZero()
    pv::fill(A, 0);
    same(A, pv::zeros({2, 2}));
}

void xtensor() {
    auto a = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    std::vector<double> data{1, 2, 3};
    // xt::adapt(data, {3})
    same(pv::borrow(data, {3}), pv::tensor({1., 2., 3.}));
    // xt::view(a, 1, xt::all())
    same(a(1, pv::all), pv::tensor({4., 5., 6.}));
    // xt::view(a, xt::all(), xt::range(0, 2))
    same(a(pv::all, pv::range(0, 2)).shape(), pv::Shape{2, 2});
    // xt::view(a, xt::newaxis(), xt::ellipsis())
    same(a(pv::new_axis, pv::ellipsis).shape(), pv::Shape{1, 2, 3});
    // xt::view(a, xt::all(), xt::keep(2, 0))
    same(a(pv::all, pv::indexes({2, 0})), pv::tensor({{3., 1.}, {6., 4.}}));
    // xt::filter(a, a > 4)
    same(a(a > 4), pv::tensor({5., 6.}));
    // xt::index_view(a, {{0, 0}, {1, 2}})
    same(pv::take(a, {0, 1}, pv::tensor({0, 1}), pv::tensor({0, 2})), pv::tensor({1., 6.}));
    // xt::eval(a + 1)
    same(pv::clone(a + 1).shape(), pv::Shape{2, 3});
    // xt::sum(a, {0})()
    same(pv::sum(a, 0), pv::tensor({5., 7., 9.}));
    // xt::concatenate(xt::xtuple(a, a), 0)
    same(pv::concat(a, a, 0).shape(), pv::Shape{4, 3});
    // xt::stack(xt::xtuple(a, a))
    same(pv::stack({a, a}).shape(), pv::Shape{2, 2, 3});
    // xt::where(a > 2, a, 0)
    same(pv::where(a > 2, a, 0)(0, 0), 0.);
    // xt::vectorize(f)(a)
    auto f = [](double value) { return value + 0.5; };
    same(pv::emap(f, a), a + 0.5);
    // xt::broadcast(data, {2, 3})
    same(pv::broadcast(pv::borrow(data), {2, 3}).shape(), pv::Shape{2, 3});
    // xt::argsort(a, 1)
    same(pv::argsort(a, 1)(0, 0), 0);
    // xt::load_npy<double>(path)
    const std::string path = "coming_from_eigen.npy";
    pv::save_npy(path, a);
    same(pv::load_npy<double>(path), a);
}

int main() {
    eigen();
    xtensor();
    return exit_status();
}
