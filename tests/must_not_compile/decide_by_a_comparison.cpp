// expect: bool
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    if (x == x) return 1;
#else
    if (pv::equals(x, x)) return 1;
#endif
}
