// expect: sums of groups are group_by_reduce(keys, values, sum)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto keys = purview::tensor({1, 2, 1});
    const auto good = purview::group_by(keys);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::group_by(keys, purview::sum);
#endif
}
