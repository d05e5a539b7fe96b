#include <Eigen/Core>

#include <cstdio>

int main() {
    const Eigen::ArrayXd x{{1, 2, 3}};
    const Eigen::ArrayXd y{{3, 2, 1}};
    std::printf("%g\n", (x - y).square().sum());
}
