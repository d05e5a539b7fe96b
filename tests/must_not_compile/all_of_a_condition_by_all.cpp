// expect: pv::all_of(x)
// at most 15 lines

#include <purview/core.hpp>

int main() {
    const auto x = purview::tensor({1, 2, 3});
    const bool good = purview::all_of(x > 0);
#ifdef MUST_NOT_COMPILE
    const bool bad = purview::all(x > 0);
#endif
    return good ? 0 : 1;
}
