// expect: sum(x, 0, keep_dims)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto good = purview::mean(x, {0}, purview::keep_dims);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::mean(x, {0}, {.keep_dims = true});
#endif
}
