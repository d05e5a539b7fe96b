// expect: wrap: this owns nothing
// at most 15 lines
#include <purview/purview.hpp>

#include <memory>

int main() {
    const std::shared_ptr<double[]> memory(new double[3]{1, 2, 3});
    const auto good = purview::wrap(memory.get(), {3}, memory);
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::wrap(memory.get(), {3});
#endif
}
