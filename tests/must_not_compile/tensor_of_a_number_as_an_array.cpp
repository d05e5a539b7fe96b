// expect: a number makes a tensor by tensor(number)
// at most 15 lines

#include <purview/purview.hpp>

int main() {
    const auto good = purview::tensor(3.);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::as_tensor(3.);
#endif
}
