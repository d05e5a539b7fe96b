// expect: arguments or elements that this function does not take
// at most 15 lines
#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1., 2.});
    const auto good = pv::pad(x, 1, pv::PadMode::constant, 0.5);
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::pad(x, 1, pv::PadMode::constant, "a");
#endif
}
