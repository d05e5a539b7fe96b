// expect: the elements of x are numbers
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
#ifdef MUST_NOT_COMPILE
    x(0, 1) = "five";
#else
    x(0, 1) = 5;
#endif
}
