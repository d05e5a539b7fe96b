// expect: write auto t = cast<double>(other)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1, 2});
    const purview::Tensor<double> good = purview::cast<double>(x);
#ifdef MUST_NOT_COMPILE
    const purview::Tensor<double> bad(x);
#endif
}
