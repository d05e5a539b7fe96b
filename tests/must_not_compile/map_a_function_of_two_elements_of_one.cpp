// expect: emap: the function is called with one element of each operand
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1., 2.});
    const auto sum = [](double a, double b) { return a + b; };
#ifdef MUST_NOT_COMPILE
    static_cast<void>(pv::emap(sum, x));
#else
    static_cast<void>(pv::emap(sum, x, x));
#endif
}
