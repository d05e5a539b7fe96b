// expect: arguments or elements that this function does not take
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::variable(purview::tensor({1., 2.}), "x");
    const auto good = purview::exp(x);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::softmax(x, 0);
#endif
}
