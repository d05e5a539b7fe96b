// expect: text is no array
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto t = purview::zeros({2, 3});
    const auto [i, j] = purview::dims("i", "j");
    const auto good = t(i, j) | purview::sum(j);
#ifdef MUST_NOT_COMPILE
    const auto bad = t(i, j) | purview::sum("j");
#endif
}
