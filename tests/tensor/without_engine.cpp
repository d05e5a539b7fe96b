// Makes and prints tensors in memory. Nothing is computed: the linker takes neither the engine nor kernels.

#include <purview/core.hpp>

#include <iostream>

namespace pv = purview;

int main() {
    const auto t = pv::tensor({{1., 2.}, {3., 4.}});
    std::cout << t << pv::transpose(t) << t(1, pv::all) << '\n';
    std::cout << pv::arange(2000) << pv::linspace(0., 1., 3) << '\n';
}
