// expect: of another array write t(…) = tensor(values)
// at most 15 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    const std::vector<double> values{1., 2.};
    const auto x = purview::zeros({2, 2});
    x(0, purview::all) = purview::tensor(values);
#ifdef MUST_NOT_COMPILE
    x(0, purview::all) = values;
#endif
}
