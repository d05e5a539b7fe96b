// expect: takes a width and a reduction
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2., 4.});
    const auto good = x | purview::fixed_rolling_window(3, purview::mean);
#ifdef MUST_NOT_COMPILE
    const auto bad = x | purview::fixed_rolling_window(purview::mean);
#endif
}
