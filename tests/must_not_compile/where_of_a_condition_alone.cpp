// expect: pv::argfilter(condition)
// at most 15 lines

#include <purview/core.hpp>

int main() {
    const auto x = purview::tensor({1, 2, 3});
    const auto good = purview::where(x > 1, x, 0);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::where(x > 1);
#endif
}
