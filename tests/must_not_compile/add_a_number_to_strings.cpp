// expect: these element types do not have this operation
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto names = purview::tensor({"a", "b"});
    const auto good = names + "c";
#ifdef MUST_NOT_COMPILE
    const auto bad = names + 1;
#endif
}
