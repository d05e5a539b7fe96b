// expect: concat takes tensors, then an axis: concat(x, y, 0); of one type, also concat({x, y}, i)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto [i, j] = purview::dims("i", "j");
    const auto good = purview::concat({x(i, j), x(i, j)}, i);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::concat({x(i, j), i});
#endif
}
