// expect: add_to(destination, values): the destination is a Tensor, which only reads
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    pv::add_to(x, 1);
#ifdef MUST_NOT_COMPILE
    pv::add_to(r, 1);
#endif
}
