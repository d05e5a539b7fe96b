#include <torch/torch.h>

#include <cstdio>

int main() {
    const torch::Tensor x = torch::tensor({1., 2., 3.});
    const torch::Tensor y = torch::tensor({3., 2., 1.});
    std::printf("%g\n", (x - y).square().sum().item<double>());
}
