// expect: values make a tensor by tensor({1., 2.})
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const purview::MutableTensor<double> good = purview::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    const purview::MutableTensor<double> bad = {{1., 2.}, {3., 4.}};
#endif
}
