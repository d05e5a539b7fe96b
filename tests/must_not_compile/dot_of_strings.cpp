// expect: arguments or elements that this function does not take
// at most 15 lines
#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({"a", "b"});
    const auto good = pv::dot(pv::tensor({1, 2}), pv::tensor({3, 4}));
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::dot(x, x);
#endif
}
