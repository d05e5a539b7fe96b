// expect: concat, stack, cat: these element types have no common type: cast one of them
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto names = purview::tensor({"a", "b"});
    const auto good = purview::concat(x, x);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::concat(x, names);
#endif
}
