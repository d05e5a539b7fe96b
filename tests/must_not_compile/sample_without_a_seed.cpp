// expect: the tensor comes first, then how many places, then the seed that decides which: sample(x, count, seed)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = purview::sample(x, 1, 42);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::sample(x, 1);
#endif
}
