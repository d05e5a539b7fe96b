// expect: a number is joined as a tensor of it: concat(x, tensor({1.0}))
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::concat(x, purview::tensor({1.0}));
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::concat(x, 1.0);
#endif
}
