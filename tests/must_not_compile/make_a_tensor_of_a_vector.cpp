// expect: write auto t = tensor(values)
// at most 15 lines

#include <purview/purview.hpp>

#include <vector>

int main() {
    const std::vector<double> values{1., 2.};
    const auto good = purview::tensor(values);
#ifdef MUST_NOT_COMPILE
    const purview::Tensor<double> bad(values);
#endif
}
