// expect: choice(x, count, seed, {.replace = false, .weights = w})
// at most 15 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    const std::vector<double> x{1., 2.};
    const auto good = purview::choice(x, 1, 42);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::choice(x, 1);
#endif
}
