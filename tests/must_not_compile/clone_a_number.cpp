// expect: clone(x): x is a tensor, or an array
// at most 15 lines
#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto good = pv::clone(pv::tensor(3.0));
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::clone(3.0);
#endif
}
