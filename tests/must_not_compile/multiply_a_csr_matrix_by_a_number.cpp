// expect: a sparse matrix is multiplied by matmul(a, b); by numbers, and element by element, as a tensor
// at most 15 lines

#include <purview/purview.hpp>
#include <purview/sparse/add.hpp>
#include <purview/sparse/tensor_forms.hpp>

int main() {
    const auto matrix = purview::csr(purview::tensor({{1., 0.}, {0., 2.}}) | purview::to_sparse);
    const auto good = matrix + matrix;
#ifdef MUST_NOT_COMPILE
    const auto bad = matrix * 2.0;
#endif
}
