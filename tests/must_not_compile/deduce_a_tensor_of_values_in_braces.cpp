// expect: values make a tensor by tensor({1., 2.}), a shape by zeros({2, 3})
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::tensor({1., 2.});
#ifdef MUST_NOT_COMPILE
    const purview::Tensor bad = {1., 2.};
#endif
}
