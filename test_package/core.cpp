// The smallest program that uses Purview from outside: it builds a tensor, looks at it through lazy
// views and arithmetic, and checks what it sees.
#include <purview/purview.hpp>

#include <iostream>

namespace pv = purview;

int main() {
    const auto t = pv::tensor({{0., 1., 2.}, {3., 4., 5.}, {6., 7., 8.}});
    const auto doubled = (t | pv::transpose({1, 0})) * 2;
    std::cout << doubled << '\n';

    bool refused = false;
    try {
        (void)(t | pv::broadcast({4, 3}));
    } catch (const pv::Error& error) {
        refused = true;
        std::cout << "refused, as it should be: " << error.what() << '\n';
    }
    const auto product = pv::matmul(t, doubled);
    return refused && doubled(0, 1) == 6.0 && pv::sum(doubled) == 72.0 && product(2, 2) == 298.0
               ? 0
               : 1;
}
