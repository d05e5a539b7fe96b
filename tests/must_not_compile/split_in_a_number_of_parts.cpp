// expect: for a number of equal parts write chunk(x, n)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1, 2, 3, 4});
    const auto good = purview::chunk(x, 2);
#ifdef MUST_NOT_COMPILE
    purview::split(x, 2);
#endif
}
