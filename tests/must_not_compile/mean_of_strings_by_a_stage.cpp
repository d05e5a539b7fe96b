// expect: tensor | stage is of stages that take this tensor
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto names = purview::tensor({"a", "b"});
    const auto good = names | purview::max(0);
#ifdef MUST_NOT_COMPILE
    const auto bad = names | purview::mean(0);
#endif
}
