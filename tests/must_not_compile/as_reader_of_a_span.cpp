// expect: as_reader: the view does not own its elements
// at most 15 lines

#include <purview/purview.hpp>

#include <span>
#include <vector>

int main() {
    std::vector<double> values{1, 2, 3};
    const auto borrowed = purview::borrow_reader(std::span<double>(values));
#ifdef MUST_NOT_COMPILE
    const auto reader = purview::as_reader(std::span<double>(values));
#endif
}
