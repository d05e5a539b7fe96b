#include "inputs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <type_traits>
#include <vector>

namespace {

using namespace bench;

/// Matrices of a size that the compiler knows, one after the other.
template <typename T, int n>
void add_batches(Eigen::Index count) {
    using Small = Eigen::Matrix<T, n, n, Eigen::RowMajor>;
    using Vector = Eigen::Matrix<T, n, 1>;
    using Batch = Rows<T>;
    constexpr Eigen::Index kElements = n * n;
    const auto name = [=](const std::string& function) {
        const std::string side = "x" + std::to_string(n);
        return case_name("batch_" + function, std::to_string(count) + side + side,
                         std::is_same_v<T, float> ? "float32" : "float64");
    };
    const auto regular = [=] {
        auto a = random_array<Batch>(count, kElements, 1);
        for (Eigen::Index i = 0; i < n; ++i) a->col(i * (n + 1)) += T(1);
        return a;
    };
    const auto positive = [=] {
        auto a = regular();
        for (Eigen::Index i = 0; i < count; ++i) {
            Eigen::Map<Small> own(&(*a)(i, 0));
            const Small square = own * own.transpose() + Small::Identity();
            own = square;
        }
        return a;
    };
    const auto at = [](const auto& a, Eigen::Index i) {
        return Eigen::Map<const Small>(a.data() + i * kElements);
    };
    add(name("solve"), [=] {
        const auto a = regular();
        const auto b = random_array<Batch>(count, n, 2);
        return into<Batch>(count, n, [=](auto& out) {
            for (Eigen::Index i = 0; i < count; ++i)
                Eigen::Map<Vector>(&out(i, 0)) =
                    at(*a, i).partialPivLu().solve(Eigen::Map<const Vector>(&(*b)(i, 0)));
        });
    });
    add(name("inv"), [=] {
        const auto a = regular();
        return into<Batch>(count, kElements, [=](auto& out) {
            for (Eigen::Index i = 0; i < count; ++i)
                Eigen::Map<Small>(&out(i, 0)) = at(*a, i).inverse();
        });
    });
    add(name("det"), [=] {
        const auto a = regular();
        return into<Batch>(count, 1, [=](auto& out) {
            for (Eigen::Index i = 0; i < count; ++i) out(i, 0) = at(*a, i).determinant();
        });
    });
    add(name("cholesky"), [=] {
        const auto a = positive();
        return into<Batch>(count, kElements, [=](auto& out) {
            for (Eigen::Index i = 0; i < count; ++i)
                Eigen::Map<Small>(&out(i, 0)) = at(*a, i).llt().matrixL();
        });
    });
    add(name("eigh"), [=] {
        const auto a = positive();
        const auto vectors = std::make_shared<Batch>(count, kElements);
        return into<Batch>(count, n, [=](auto& out) {
            for (Eigen::Index i = 0; i < count; ++i) {
                const Eigen::SelfAdjointEigenSolver<Small> solver(at(*a, i));
                Eigen::Map<Vector>(&out(i, 0)) = solver.eigenvalues();
                Eigen::Map<Small>(&(*vectors)(i, 0)) = solver.eigenvectors();
            }
        });
    });
}

template <typename T>
void add_all() {
    add_batches<T, 3>(100'000);
    add_batches<T, 8>(100'000);
    add_batches<T, 32>(10'000);
}
const Cases linear_algebra([] {
    add_all<double>();
    add_all<float>();
});

} // namespace
