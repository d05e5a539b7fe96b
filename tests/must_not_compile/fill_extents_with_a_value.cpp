// expect: the shape is a list, and the value stands behind it: full({2, 3}, value)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::full({2, 3}, 1.5);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::full(2, 3, 1.5);
#endif
}
