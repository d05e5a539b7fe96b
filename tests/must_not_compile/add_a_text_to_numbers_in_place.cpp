// expect: these element types do not have this operation
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    auto x = purview::tensor({1., 2.});
    x += 1;
#ifdef MUST_NOT_COMPILE
    x += "a";
#endif
}
