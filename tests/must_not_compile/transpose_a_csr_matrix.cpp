// expect: a tensor comes first, then integers or one list of them
// at most 15 lines

#include <purview/purview.hpp>
#include <purview/sparse/tensor_forms.hpp>

int main() {
    const auto matrix = purview::csr(purview::tensor({{1., 0.}, {0., 2.}}) | purview::to_sparse);
    const auto good = purview::transpose(purview::to_tensor(matrix));
#ifdef MUST_NOT_COMPILE
    const auto bad = purview::transpose(matrix);
#endif
}
