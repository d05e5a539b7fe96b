// expect: borrow(range): the range is a temporary
// at most 15 lines
#include <purview/core.hpp>

#include <vector>

int main() {
    std::vector<double> values{1, 2, 3};
    const auto borrowed = purview::borrow(values, {3});
#ifdef MUST_NOT_COMPILE
    const auto gone = purview::borrow(std::vector<double>{1, 2, 3}, {3});
#endif
    return borrowed(0) == 1 ? 0 : 1;
}
