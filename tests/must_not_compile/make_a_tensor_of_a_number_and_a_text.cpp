// expect: the elements of a tensor are of one type, or all numbers
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::tensor({1, 2.5});
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::tensor({1, "a"});
#endif
}
