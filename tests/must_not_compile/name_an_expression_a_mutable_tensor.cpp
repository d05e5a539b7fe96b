// expect: auto c = clone(x * 2)
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    pv::MutableTensor<double> c = x * 2.;
#else
    pv::MutableTensor<double> c = pv::clone(x * 2.);
#endif
}
