// expect: where(x > 0, a, b) chooses for each element
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::variable(purview::tensor({1., 2.}), "x");
    const auto good = purview::where(x > 0. && !(x > 5.), x, 0.);
#ifdef MUST_NOT_COMPILE
    if (x > 0.) return 1;
#endif
}
