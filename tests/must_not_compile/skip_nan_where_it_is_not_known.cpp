// expect: skip_nan: this reduction does not know it

#include <purview/functional/descriptive.hpp>
#include <purview/functional/skip_nan.hpp>
#include <purview/tensor/literal.hpp>

int main() {
    const auto x = purview::tensor({1.0, 2.0, 4.0});
    const auto good = purview::mean(x, purview::skip_nan) + purview::skewness(x);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::skewness(x, purview::skip_nan);
#endif
    return good > 0 ? 0 : 1;
}
