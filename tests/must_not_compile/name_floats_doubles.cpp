// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1.f, 2.f});
#ifdef MUST_NOT_COMPILE
    const pv::Tensor<double> d = x;
#else
    const pv::Tensor<double> d = pv::cast<double>(x);
#endif
}
