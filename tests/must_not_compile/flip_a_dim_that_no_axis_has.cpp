// expect: flip(x(i), i)
// at most 15 lines

#include <purview/core.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    const pv::Dim i("i");
#ifdef MUST_NOT_COMPILE
    static_cast<void>(pv::flip(x, i));
#else
    static_cast<void>(pv::flip(x(i), 0));
#endif
}
