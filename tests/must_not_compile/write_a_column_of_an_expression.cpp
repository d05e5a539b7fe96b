// expect: which only reads
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    pv::fill(pv::columns(x)[0], 5);
#ifdef MUST_NOT_COMPILE
    pv::fill(pv::columns(x + 1)[0], 5);
#endif
}
