#include <purview/core.hpp>

#include <cstdio>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1., 2., 3.});
    const auto y = pv::tensor({3., 2., 1.});
    std::printf("%g\n", pv::sum(pv::sq(x - y)));
}
