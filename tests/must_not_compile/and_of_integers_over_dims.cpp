// expect: of numbers write x != 0
// at most 15 lines
#include <purview/purview.hpp>

int main() {
    const auto A = purview::tensor({1, 2, 3});
    const purview::Dim i("i");
#ifdef MUST_NOT_COMPILE
    static_cast<void>(A(i) && A(i)); // integers: not silently those that the handles convert to
#else
    static_cast<void>(A(i) != 0 && A(i) != 0);
#endif
}
