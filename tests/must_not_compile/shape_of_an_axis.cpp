// expect: write extent(axis), shape()[axis]
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = x.extent(0);
#ifdef MUST_NOT_COMPILE
    const auto bad = x.shape(0);
#endif
}
