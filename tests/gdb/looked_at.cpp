// Is run under gdb by printers.py, which prints what is in scope of `stop_here`.

#include <purview/purview.hpp>
#include <purview/reader/sparse_buffer_template.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace pv = purview;

namespace {

void stop_here() {
    static volatile int stopped = 0;
    stopped = stopped + 1;
}

} // namespace

int main() {
    auto matrix = pv::tensor({{1.5, 2.5, 3.5}, {4.5, 5.5, 6.5}});
    pv::Tensor<double> turned = matrix | pv::transpose({1, 0});
    pv::Tensor<std::int32_t> backwards = pv::tensor({1, 2, 3, 4}) | pv::flip(0);
    pv::AnyTensor any = pv::tensor({std::uint8_t{7}, std::uint8_t{255}});
    pv::Tensor<bool> bools = pv::tensor({true, false});
    pv::Tensor<double> scalar = pv::tensor(2.25);
    pv::Tensor<double> none = pv::zeros({0, 3});
    pv::Tensor<std::string> words = pv::tensor({"one", "two"});
    pv::Tensor<double> sum = matrix * 2.0 + matrix;
    pv::Tensor<double> large = pv::zeros({30, 40});
    pv::Tensor<double> rotated = matrix | pv::rotate({0, 1});
    pv::Dimensions dims = matrix.dimensions();
    const std::vector<pv::index_t> shape{4, 5};
    const std::vector<pv::index_t> strides{-5, 1};
    pv::Dimensions strided = pv::Dimensions::strided(shape, strides, 20);
    auto i = pv::Dim("i");
    auto j = pv::Dim("j");
    pv::DimTensor<double> bound = matrix(i, j);
    pv::SparseBuffer<double> sparse(1000, {3, 70}, std::vector<double>{0.5, 1.5});
    std::vector<pv::Tensor<double>> several{matrix, scalar};
    stop_here();
    return 0;
}
