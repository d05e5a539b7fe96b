// expect: deleted

#include <purview/purview.hpp>

int main() {
    const auto t = purview::zeros({2, 3});
    const auto [i, j] = purview::dims("i", "j");
    auto bound = t(i, j);
    bound = t(i, j);
#ifdef MUST_NOT_COMPILE
    t(i, j) = bound;
#endif
}
