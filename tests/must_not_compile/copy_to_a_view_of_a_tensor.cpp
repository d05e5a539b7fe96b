// expect: copy(source, destination): the destination is a Tensor, which only reads
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    pv::copy(r(1, pv::all), x(0, pv::all));
#ifdef MUST_NOT_COMPILE
    pv::copy(x(1, pv::all), r(0, pv::all));
#endif
}
