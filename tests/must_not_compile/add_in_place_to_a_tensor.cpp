// expect: x op= values: x is a Tensor, which only reads; write x = x op values
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    auto lazy = r;
    lazy = lazy + 1;
#ifdef MUST_NOT_COMPILE
    lazy += 1;
#endif
}
