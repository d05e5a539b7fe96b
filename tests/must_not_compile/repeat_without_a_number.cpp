// expect: arguments or elements that this function does not take
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    static_cast<void>(pv::repeat(x));
#else
    static_cast<void>(pv::repeat(x, 2));
#endif
}
