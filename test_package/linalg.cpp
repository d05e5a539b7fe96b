// A program that links purview::linalg from outside: a solution.
#include <purview/linalg.hpp>
#include <purview/purview.hpp>

#include <iostream>

int main() {
    namespace pv = purview;
    const auto a = pv::tensor({{4., 1.}, {1., 3.}});
    const auto x = pv::linalg::solve(a, pv::tensor({1., 2.}));
    std::cout << x << '\n';
    return pv::max(pv::abs(pv::matmul(a, x(pv::all, pv::new_axis)) - pv::tensor({{1.}, {2.}}))) <
                   1e-12
               ? 0
               : 1;
}
