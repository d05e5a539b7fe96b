// expect: x(i) is one element; a row is x(i, pv::all) or x.row(i)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::zeros({3, 3});
    x(1, purview::all) = purview::ones({3});
#ifdef MUST_NOT_COMPILE
    x(1) = purview::ones({3});
#endif
}
