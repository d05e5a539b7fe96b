// expect: the axis stands behind the tensor
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    static_cast<void>(pv::ewma(x, {.axis = 0}));
#else
    static_cast<void>(pv::ewma(x, {.span = 3}, 0));
#endif
}
