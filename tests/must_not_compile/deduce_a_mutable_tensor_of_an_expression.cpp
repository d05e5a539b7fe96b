// expect: a MutableTensor of an expression is a clone of it: auto c = clone(x * 2)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const purview::MutableTensor same = x;
    const purview::Tensor expression = x * 2;
    const purview::MutableTensor good = purview::clone(x * 2);
#ifdef MUST_NOT_COMPILE
    const purview::MutableTensor bad = x * 2;
#endif
}
