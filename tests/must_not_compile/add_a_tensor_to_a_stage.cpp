// expect: write (x | f) + y
// at most 15 lines
#include <purview/core.hpp>

int main() {
    const auto x = purview::tensor({{1.0, 2.0}, {3.0, 4.0}});
    const auto b = purview::tensor({5.0, 6.0});
    const auto good = (x | purview::sum(0)) + b;
#ifdef MUST_NOT_COMPILE
    const auto bad = x | purview::sum(0) + b;
#endif
}
