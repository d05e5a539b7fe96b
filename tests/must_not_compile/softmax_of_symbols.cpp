// expect: these are not the arguments of this function
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good =
        purview::computation([](auto x) { return purview::exp(x); }, purview::spec<double>({2}));
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::computation([](auto x) { return purview::softmax(x, 0); },
                                          purview::spec<double>({2}));
#endif
}
