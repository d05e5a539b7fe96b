// expect: wrap(pointer, shape, strides, owner)
// at most 15 lines
#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1., 2.});
    const auto good = pv::borrow(x.data(), {2}, {1});
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::tensor(x.data(), {2}, {1});
#endif
}
