// expect: assign(destination, values): the destination is a Tensor, which only reads
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    const auto ids = pv::tensor({0, 1});
    pv::assign(pv::take(x, ids, 0), 5.);
#ifdef MUST_NOT_COMPILE
    pv::assign(pv::take(r, ids, 0), 5.);
#endif
}
