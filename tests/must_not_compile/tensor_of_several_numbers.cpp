// expect: values make a tensor by tensor({1, 2})
// at most 15 lines

#include <purview/purview.hpp>

namespace pv = purview;

int main() {
#ifdef MUST_NOT_COMPILE
    const auto x = pv::tensor(1, 2, 3);
#else
    const auto x = pv::tensor({1, 2, 3});
#endif
}
