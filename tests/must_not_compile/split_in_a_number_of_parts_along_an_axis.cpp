// expect: for a number of equal parts write chunk(x, n), chunk(x, n, axis)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::chunk(x, 2, 0);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::split(x, 2, 0);
#endif
}
