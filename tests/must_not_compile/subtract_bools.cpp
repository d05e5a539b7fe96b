// expect: these element types do not have this operation
// at most 15 lines

#include <purview/core.hpp>

int main() {
    const auto a = purview::tensor({true, false});
    const auto good = a + a;
#ifdef MUST_NOT_COMPILE
    const auto bad = a - a;
#endif
}
