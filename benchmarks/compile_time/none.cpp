#include <cstddef>
#include <cstdio>
#include <vector>

int main() {
    const std::vector<double> x{1, 2, 3};
    const std::vector<double> y{3, 2, 1};
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    std::printf("%g\n", sum);
}
