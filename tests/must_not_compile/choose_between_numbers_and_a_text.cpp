// expect: where: these element types have no common type: cast one of them
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::where(x > 1, x, 0);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::where(x > 1, x, "a");
#endif
}
