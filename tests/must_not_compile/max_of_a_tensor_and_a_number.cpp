// expect: pv::maximum(x, y)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto good = purview::maximum(x, 3.0);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::max(x, 3.0);
#endif
}
