// expect: as_reader: the range is an lvalue, and would have to outlive its readers
// at most 15 lines

#include <purview/purview.hpp>

#include <utility>
#include <vector>

int main() {
    std::vector<double> values{1, 2, 3};
    const auto borrowed = purview::borrow_reader(values);
#ifdef MUST_NOT_COMPILE
    const auto reader = purview::as_reader(values);
#endif
    const auto owned = purview::as_reader(std::move(values));
}
