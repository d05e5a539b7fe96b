// expect: these element types do not have this operation
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    auto n = purview::clone(purview::tensor({1, 2}));
    n |= 2;
    auto x = purview::zeros({2});
#ifdef MUST_NOT_COMPILE
    x |= 2;
#endif
}
