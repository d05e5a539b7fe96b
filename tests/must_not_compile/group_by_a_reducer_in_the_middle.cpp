// expect: keys come first, then the values, then what reduces them: group_by_reduce(keys, values, sum, group_size)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto keys = purview::tensor({1, 2, 1});
    const auto sales = purview::tensor({1., 2., 3.});
    const auto good = purview::group_by_reduce(keys, sales, purview::sum);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::group_by_reduce(keys, purview::sum, sales);
#endif
}
