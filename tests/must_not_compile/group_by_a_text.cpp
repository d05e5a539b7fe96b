// expect: an argument is text, where a tensor or an array is taken
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto keys = purview::tensor({1, 2, 1});
    const auto good = purview::group_by_reduce(keys, keys, purview::sum);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::group_by_reduce(keys, keys, "sum");
#endif
}
