// expect: indexes are integers
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto t = purview::zeros({2, 3});
    const auto ids = purview::zeros({4});
    const auto [i, j] = purview::dims("i", "j");
    t(purview::cast<int>(ids)(i), j);
#ifdef MUST_NOT_COMPILE
    t(ids(i), j);
#endif
}
