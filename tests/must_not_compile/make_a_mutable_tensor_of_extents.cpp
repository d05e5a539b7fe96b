// expect: a shape makes a tensor by zeros({2, 3}), full({2, 3}, value)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::zeros({2, 3});
#ifdef MUST_NOT_COMPILE
    const purview::MutableTensor<double> bad(2, 3);
#endif
}
