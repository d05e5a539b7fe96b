// expect: MutableTensor

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    const auto [i, j] = pv::dims("i", "j");
    const pv::MutableTensor<double> writes = x(i, j) | pv::order(j, i);
    pv::fill(writes, 0);
#ifdef MUST_NOT_COMPILE
    const pv::MutableTensor<double> never = r(i, j) | pv::order(j, i);
#endif
}
