/// Batches of small matrices, and one large one, solved, inverted and decomposed.

#include "inputs.hpp"

#include <purview/linalg.hpp>

namespace {

using namespace bench;
namespace la = pv::linalg;

template <typename T>
void add_batches(pv::index_t count, pv::index_t n) {
    const auto name = [=](const std::string& function) {
        const std::string side = "x" + std::to_string(n);
        return case_name("batch_" + function, std::to_string(count) + side + side, dtype_name<T>());
    };
    const auto regular = [=] {
        return pv::clone(random_tensor<T>({count, n, n}, 1) + pv::eye<T>(n));
    };
    const auto positive = [=] {
        const auto a = regular();
        return pv::clone(pv::matmul(a, pv::swap_axes(a, 1, 2)) + pv::eye<T>(n));
    };
    add(name("solve"), [=] {
        const auto a = regular();
        const auto b = random_tensor<T>({count, n, 1}, 2);
        return made([=] { return la::solve(a, b); });
    });
    add(name("inv"), [=] {
        const auto a = regular();
        return made([=] { return la::inv(a); });
    });
    add(name("det"), [=] {
        const auto a = regular();
        return made([=] { return la::det(a); });
    });
    add(name("cholesky"), [=] {
        const auto a = positive();
        return made([=] { return la::cholesky(a); });
    });
    add(name("eigh"), [=] {
        const auto a = positive();
        const auto run = [=] { return la::eigh(a); };
        return Task{run, [=] { return summary_of(run().eigenvalues); }};
    });
}

/// Functions of one large matrix.
void add_large(pv::index_t n) {
    const auto name = [=](const char* function) {
        return case_name(function, std::to_string(n) + "x" + std::to_string(n), "float64");
    };
    const auto regular = [=] { return pv::clone(random_tensor({n, n}, 1) + pv::eye<double>(n)); };
    const auto positive = [=] {
        const auto a = random_tensor({n, n}, 1);
        return pv::clone(pv::matmul(a, pv::transpose(a)) / static_cast<double>(n) +
                         pv::eye<double>(n));
    };
    add(name("matrix_solve"), [=] {
        const auto a = regular();
        const auto b = random_tensor({n}, 2);
        return made([=] { return la::solve(a, b); });
    });
    add(name("matrix_cholesky"), [=] {
        const auto a = positive();
        return made([=] { return la::cholesky(a); });
    });
    add(name("matrix_qr"), [=] { // signs are compared by none
        const auto a = regular();
        const auto run = [=] { return la::qr(a); };
        return Task{run, [=] { return summary_of<double>(pv::abs(run().R)); }};
    });
    add(name("matrix_svd"), [=] {
        const auto a = regular();
        const auto run = [=] { return la::svd(a); };
        return Task{run, [=] { return summary_of(run().S); }};
    });
    add(name("matrix_eigh"), [=] {
        const auto a = positive();
        const auto run = [=] { return la::eigh(a); };
        return Task{run, [=] { return summary_of(run().eigenvalues); }};
    });
}

const Cases linear_algebra([] {
    add_large(1000);
    for (const auto& [count, n] :
         {std::pair{100'000, 3}, std::pair{100'000, 8}, std::pair{10'000, 32}}) {
        add_batches<double>(count, n);
        add_batches<float>(count, n);
    }
});

} // namespace
