/// Looking rows up in a table is a product with a sparse matrix of ones, and so are its sums and its gradient.

#include "check.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>

namespace pv = purview;
using pv::index_t;

int main() {
    const auto table = pv::reshape(pv::arange(15.), {5, 3}); // 5 words, 3 features of each
    const auto words = pv::tensor<index_t>({3, 0, 3, 4});

    // [one_hot]
    // Row n has a single one, in the column of word n.
    const pv::CsrMatrix<double> one_hot(4, 5, pv::arange(index_t{5}), words, pv::ones({4}));
    const auto looked_up = pv::matmul(one_hot, table); // [4, 3]: nothing of 4 · 5 is made

    // Words 3, 0 and 3 are the first text, word 4 is the second: their rows are added up.
    const pv::CooMatrix<double> texts(2, 5, pv::tensor<index_t>({0, 0, 0, 1}), words,
                                      pv::ones({4}));
    const auto bags = pv::matmul(pv::to_csr(texts), table); // [2, 3]

    // What training adds to the table: what came back for each word, added up at its row.
    const auto upstream = looked_up * 0.1 | pv::clone;
    const auto gradient = pv::matmul(pv::transposed(one_hot), upstream); // [5, 3]
    // [/one_hot]

    check(pv::equals(looked_up, pv::take(table, words, 0)), "a product looks rows up");
    const auto first = table(3, pv::all) * 2 + table(0, pv::all);
    check(pv::equals(bags(0, pv::all), first), "a text adds up its words");
    check(pv::equals(bags(1, pv::all), table(4, pv::all)), "one word is its row");
    const auto expected = pv::zeros({5, 3});
    pv::add_to(pv::take(expected, words, 0), upstream);
    check(pv::equals(gradient, expected, 1e-12), "the gradient is a scatter");

    // The same by sparse tensors: the pairs of a one-hot tensor are where words say.
    const auto tensor = pv::sparse_tensor(one_hot);
    check(pv::equals(pv::to_dense(tensor), words(pv::all, pv::new_axis) == pv::arange(index_t{5})),
          "one-hot is a comparison");
    return exit_status();
}
