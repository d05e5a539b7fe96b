// expect: these element types do not have this operation
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = x + 1;
#ifdef MUST_NOT_COMPILE
    const auto bad = x + "a";
#endif
}
