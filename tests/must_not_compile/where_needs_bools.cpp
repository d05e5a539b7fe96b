// expect: the condition is a tensor of bool
// at most 15 lines

#include <purview/core.hpp>

int main() {
    const auto condition = purview::tensor({true, false});
    const auto numbers = purview::tensor({1, 0});
    const auto good = purview::where(condition, 1, 2);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::where(numbers, 1, 2);
#endif
}
