// expect: the shape of values is a list: tensor({1, 2, 3, 4}, {2, 2})
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::tensor({1, 2, 3, 4}, {2, 2});
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::tensor({1, 2, 3, 4}, 2, 2);
#endif
}
