// expect: say over which axis
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({{1., 2.}, {3., 4.}});
    const auto good = purview::softmax(x, -1);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::softmax(x);
#endif
}
