// expect: a copy in new memory is clone(x)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::clone(x);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::copy(x);
#endif
}
