// expect: symbols have no elements: give it what the computation returns
// at most 20 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::variable(purview::tensor({1., 2.}), "x");
    const auto good = purview::cumsum(x);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::sort(x);
#endif
}
