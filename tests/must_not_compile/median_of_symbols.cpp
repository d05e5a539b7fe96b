// expect: do not have this reduction, or symbols do not
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good =
        purview::computation([](auto x) { return purview::mean(x); }, purview::spec<double>({2}));
#ifdef MUST_NOT_COMPILE
    const auto bad =
        purview::computation([](auto x) { return purview::median(x); }, purview::spec<double>({2}));
#endif
}
