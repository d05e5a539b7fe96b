// at most 15 lines
#include <purview/core.hpp>

int main() {
    const auto writable = purview::tensor({1.0, 2.0});
    writable(0) = 3.0;
    const purview::Tensor<double> readable = writable;
#ifdef MUST_NOT_COMPILE
    readable(0) = 3.0;
#endif
}
