// expect: as_mutable<T>()
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const pv::Tensor<double> r = x;
    const pv::AnyTensor any = x;
    auto y = x;
    y = any.as_mutable<double>();
#ifdef MUST_NOT_COMPILE
    y = any;
#endif
}
