// expect: x(0, 1) is an element, x({0, 1}, all) are rows 0 and 1
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto good = x({0, 1}, purview::all);
#ifdef MUST_NOT_COMPILE
    const auto bad = x[{0, 1}];
#endif
}
