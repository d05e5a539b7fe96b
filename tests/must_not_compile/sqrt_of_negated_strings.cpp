// expect: &&, || and ! are of bools: of numbers write x != 0
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto names = purview::tensor({"a", "b"});
    const auto good = !(names == "a");
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::sqrt(!names);
#endif
}
