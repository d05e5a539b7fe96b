// expect: concat takes tensors, then an axis: concat(x, y, 0); of one type, also concat({x, y}, i)
// at most 15 lines

#include <purview/purview.hpp>

#include <iostream>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto n = purview::tensor({3, 4});
    std::cout << purview::concat(x, n);
#ifdef MUST_NOT_COMPILE
    std::cout << purview::concat({x, n});
#endif
}
