// expect: the axis stands behind the tensor
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    static_cast<void>(pv::forward_fill(x, {.axis = 0}));
#else
    static_cast<void>(pv::forward_fill(x, 0));
#endif
}
