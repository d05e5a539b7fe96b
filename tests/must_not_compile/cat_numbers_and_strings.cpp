// expect: concat, stack, cat: these element types have no common type
// at most 15 lines
#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto [i, j, n] = pv::dims("i", "j", "n");
    const auto x = pv::tensor({1, 2})(i);
    const auto good = pv::cat(x, x, {i, i}, n);
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::cat(x, pv::tensor({"a"})(j), {i, j}, n);
#endif
}
