// expect: which only reads
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    const auto [i, j] = pv::dims("i", "j");
    x(i, j) += r(j, i);
#ifdef MUST_NOT_COMPILE
    r(i, j) += x(j, i);
#endif
}
