// expect: a reduction takes one tensor
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1.0, 2.0, 4.0});
    const auto symbol = purview::variable(x, "x");
    const auto good = purview::mean(symbol);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::mean(symbol, purview::skip_nan);
#endif
    return purview::mean(x, purview::skip_nan) > 0 ? 0 : 1;
}
