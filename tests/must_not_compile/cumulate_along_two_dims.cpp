// expect: this function goes along one
// at most 15 lines
#include <purview/purview.hpp>

int main() {
    const auto A = purview::tensor({{1, 2, 3}, {4, 5, 6}});
    const purview::Dim i("i"), j("j");
#ifdef MUST_NOT_COMPILE
    purview::cumsum(A(i, j), (i, j)); // in which order, and is the result one axis or two?
#else
    purview::cumsum(A(i, j) | purview::order((i, j)), 0);
#endif
}
