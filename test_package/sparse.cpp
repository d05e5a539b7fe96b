// A program that links purview::sparse from outside: a product, and a file with compressed arrays.
#include <purview/purview.hpp>
#include <purview/sparse.hpp>

namespace pv = purview;

int main() {
    const pv::CooMatrix<double> coo(2, 3, pv::tensor<pv::index_t>({1, 0}),
                                    pv::tensor<pv::index_t>({2, 0}), pv::tensor({5., 4.}));
    const auto matrix = pv::to_csr(coo);
    pv::save_npz("consumer.npz", matrix);
    const auto product = pv::matmul(matrix, pv::tensor({1., 1., 2.}));
    return product(1) == 10.0 ? 0 : 1;
}
