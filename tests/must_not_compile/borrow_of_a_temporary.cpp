// expect: borrow_reader: the container is a temporary
// at most 15 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    std::vector<double> values{1, 2, 3};
    const auto borrowed = purview::borrow_reader(values);
#ifdef MUST_NOT_COMPILE
    const auto reader = purview::borrow_reader(std::vector<double>{1, 2, 3});
#endif
}
