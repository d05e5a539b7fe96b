/// Linear systems by Eigen, whose solvers read and write tensors where they lie, as `Eigen::Map`s; those of Purview are
/// `purview::linalg` (linear_algebra.cpp).

#include "check.hpp"

#include <purview/purview.hpp>

#include <Eigen/Dense>

namespace pv = purview;

// [solve]
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The x of `A x = b` for each of a batch: [b, n, n] and [b, n] → [b, n].
pv::MutableTensor<double> solve(const pv::Tensor<double>& A, const pv::Tensor<double>& b) {
    const auto matrices = pv::contiguous(A); // A itself, or a copy where it is a view or computed
    const auto sides = pv::contiguous(b);
    const pv::index_t n = b.extent(1);
    const auto x = pv::empty<double>(b.shape());
    for (pv::index_t i = 0; i < b.extent(0); ++i) {
        const Eigen::Map<const Matrix> matrix(matrices.data() + i * n * n, n, n);
        const Eigen::Map<const Eigen::VectorXd> side(sides.data() + i * n, n);
        Eigen::Map<Eigen::VectorXd>(x.data() + i * n, n) = matrix.partialPivLu().solve(side);
    }
    return x;
}
// [/solve]

int main() {
    const auto A = pv::clone(pv::random_normal<double>({10, 4, 4}, 1));
    const auto b = pv::clone(pv::random_normal<double>({10, 4}, 2));
    const auto holds = [&](const pv::Tensor<double>& matrices) {
        const auto x = solve(matrices, b);
        const auto products = pv::sum(matrices * x(pv::all, pv::new_axis, pv::all), 2);
        return pv::max(pv::abs(products - b)) < 1e-9;
    };
    check(pv::shares_storage(pv::contiguous(A), A), "what is contiguous is not copied");
    check(holds(A), "A x is b");
    check(holds(pv::transpose(A, 0, 2, 1)), "of a view, too");
    check(holds(A * 2.), "and of what is computed");
    return exit_status();
}
