// expect: fill(x, value)
// expect: x(pv::all) = value
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    auto row = x(0, pv::all);
    row(pv::all) = 5;
#ifdef MUST_NOT_COMPILE
    row = 5;
#endif
}
