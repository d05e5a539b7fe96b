// expect: a reduction takes one tensor
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({"1", "2"});
#ifdef MUST_NOT_COMPILE
    static_cast<void>(pv::variance(x, pv::skip_nan));
#else
    static_cast<void>(pv::variance(x | pv::parse<double>, pv::skip_nan));
#endif
}
