// expect: pv::maximum(x, y)
// at most 15 lines

#include <purview/core.hpp>

int main() {
    const auto x = purview::tensor({1, 2, 3});
    const auto y = purview::tensor({3, 2, 1});
    const auto good = purview::maximum(x, y);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::max(x, y);
#endif
}
