// expect: write auto v = to_vector(t)
// at most 15 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    const auto x = purview::tensor({1., 2.});
    const std::vector<double> good = purview::to_vector(x);
#ifdef MUST_NOT_COMPILE
    const std::vector<double> bad = x;
#endif
}
