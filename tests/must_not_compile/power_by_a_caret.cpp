// expect: a power is pow(x, 2)
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    static_cast<void>(x ^ 2);
#else
    static_cast<void>(pv::pow(x, 2));
#endif
}
