// expect: do not have this reduction, or symbols do not
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto symbol = purview::variable(purview::tensor({1., 2.}), "x");
    const auto good = purview::mean(symbol);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::median(symbol);
#endif
}
