// expect: tensors and arrays in braces are joined: stack({x, y}), concat({x, y})
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::stack({x, x});
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::tensor({x, x});
#endif
}
