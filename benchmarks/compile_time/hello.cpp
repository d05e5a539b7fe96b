#include <purview/core.hpp>

#include <iostream>

namespace pv = purview;

int main() {
    const auto t = pv::tensor({{1., 2.}, {3., 4.}});
    std::cout << t << '\n';
}
