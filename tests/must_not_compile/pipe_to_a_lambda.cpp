// expect: tensor | stage is of stages that take this tensor
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto x = purview::tensor({1., 2.});
    const auto good = x | purview::emap([](double v) { return v + 1; });
#ifdef MUST_NOT_COMPILE
    const auto bad = x | [](auto v) { return v + 1; };
#endif
}
