// expect: one number for each axis is a list
// at most 15 lines

#include <purview/purview.hpp>

#include <tuple>

namespace pv = purview;

int main() {
#ifdef MUST_NOT_COMPILE
    const auto x = pv::zeros(std::tuple{2, 3});
#else
    const auto x = pv::zeros({2, 3});
#endif
}
