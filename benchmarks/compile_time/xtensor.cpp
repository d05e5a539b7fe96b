#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <cstdio>

int main() {
    const xt::xtensor<double, 1> x{1, 2, 3};
    const xt::xtensor<double, 1> y{3, 2, 1};
    std::printf("%g\n", xt::sum(xt::square(x - y))());
}
