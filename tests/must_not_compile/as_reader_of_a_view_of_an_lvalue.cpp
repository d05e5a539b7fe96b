// expect: as_reader: the view does not own its elements
// at most 15 lines

#include <purview/purview.hpp>

#include <ranges>
#include <utility>
#include <vector>

int main() {
    std::vector<double> values{1, 2, 3};
    const auto twice = std::views::transform([](double x) { return 2 * x; });
    const auto kept = purview::as_reader(std::vector<double>(values) | twice);
#ifdef MUST_NOT_COMPILE
    const auto reader = purview::as_reader(values | twice);
#endif
}
