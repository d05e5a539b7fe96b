// expect: softmax: the elements are numbers
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto names = purview::tensor({"a", "b"});
    const auto good = purview::softmax(purview::tensor({1., 2.}), 0);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::softmax(names, 0);
#endif
}
