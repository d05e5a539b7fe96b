// expect: text is no array
// at most 15 lines

#include <purview/core.hpp>

int main() {
    const auto good = purview::sum(purview::tensor({1, 2}));
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::sum("12");
#endif
}
