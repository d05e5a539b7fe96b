// expect: assign(destination, values): the destination is a Tensor, which only reads
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    pv::assign(x, r);
#ifdef MUST_NOT_COMPILE
    pv::assign(r, x);
#endif
}
