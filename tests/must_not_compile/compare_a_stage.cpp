// expect: write (x | f) + y
// at most 15 lines
#include <purview/purview.hpp>

int main() {
    const auto A = purview::tensor({1, 2, 3});
#ifdef MUST_NOT_COMPILE
    static_cast<void>(A | purview::cumsum(0) < 3); // A | (cumsum(0) < 3)
#else
    static_cast<void>((A | purview::cumsum(0)) < 3);
#endif
}
