// expect: a slice 0:2 of an axis is a range: x(range(0, 2))
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto good = x(purview::range(0, 1));
#ifdef MUST_NOT_COMPILE
    const auto bad = x(purview::slice(0, 1));
#endif
}
