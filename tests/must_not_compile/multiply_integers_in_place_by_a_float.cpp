// expect: the result is a float, and x holds integers
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    auto n = pv::tensor({1, 2});
    n *= 2;
#ifdef MUST_NOT_COMPILE
    n *= 0.5;
#endif
}
