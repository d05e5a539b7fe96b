// expect: maximum(x, y), minimum(x, y) and clamp compare
// at most 40 lines

#include <purview/purview.hpp>

#include <algorithm>

int main() {
    const auto x = purview::variable(purview::tensor({1., 2.}), "x");
    const auto y = purview::variable(purview::tensor({2., 1.}), "y");
    const auto good = purview::maximum(x, y);
#ifdef MUST_NOT_COMPILE
    const auto bad = std::max(x, y);
#endif
}
