// expect: &, |, ^, << and >> are of the bits of integers
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = x * 2;
#ifdef MUST_NOT_COMPILE
    const auto bad = x << 1;
#endif
}
