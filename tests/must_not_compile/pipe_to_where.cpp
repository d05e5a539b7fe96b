// expect: tensor | stage is of stages that take this tensor
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::where(x > 1, x, 0.);
#ifdef MUST_NOT_COMPILE
    const auto bad = x | purview::where;
#endif
}
