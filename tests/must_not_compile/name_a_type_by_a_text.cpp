// expect: the element type stands in angle brackets
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
#ifdef MUST_NOT_COMPILE
    const auto x = pv::zeros({2, 3}, "float32");
#else
    const auto x = pv::zeros<float>({2, 3});
#endif
}
