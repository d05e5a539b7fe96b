// expect: an index is an integer, pv::all
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto good = x(purview::all, 0);
#ifdef MUST_NOT_COMPILE
    const auto bad = x(":", 0);
#endif
}
