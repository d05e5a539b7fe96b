// expect: keys come first, then the values, then what reduces them
// at most 15 lines
#include <purview/purview.hpp>
#include <tuple>

namespace pv = purview;

int main() {
    const auto k = pv::tensor({1, 2});
    const auto good = pv::group_by_reduce(k, k, pv::sum);
#ifdef MUST_NOT_COMPILE
    const auto bad = pv::group_by_reduce(k, std::tuple(k, k), pv::sum);
#endif
}
