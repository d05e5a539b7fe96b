// expect: reduce takes a tensor, its axes, then reducers
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::ones({2, 3});
    const auto good = purview::reduce(x, 0, purview::sum);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::reduce(x, 0);
#endif
}
