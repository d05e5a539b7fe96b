// expect: sum(x, 0, keep_dims)
// at most 15 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    const std::vector<double> x{1., 2.};
    const auto good = purview::sum(x, {0}, purview::keep_dims);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::sum(x, {0}, true);
#endif
}
