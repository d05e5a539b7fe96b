// expect: text is one element: tensor({
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::tensor({"abc"});
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::tensor("abc");
#endif
}
