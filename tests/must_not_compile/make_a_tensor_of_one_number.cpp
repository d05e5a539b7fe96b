// expect: write zeros(n), tensor({value})
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::zeros(5);
#ifdef MUST_NOT_COMPILE
    const purview::Tensor<double> bad(5);
#endif
}
