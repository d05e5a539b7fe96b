/// The 21 Tensor Puzzles of Sasha Rush (github.com/srush/Tensor-Puzzles), each in one line over dims: nearly its
/// specification, which stands above it as loops. Where a line is a sum over a mask (7, 12, 13, 15, 16) it takes
/// n·m steps, as it reads.

#include "check.hpp"

#include <purview/purview.hpp>

#include <algorithm>

namespace pv = purview;
using pv::index_t;

namespace {

template <typename T>
bool equal(const pv::Tensor<T>& x, const pv::Tensor<T>& y) {
    return x.shape() == y.shape() && pv::to_vector(x) == pv::to_vector(y);
}

const auto a = pv::tensor({3., 1., 4., 1., 5.});
const auto b = pv::tensor({2., 7., 1., 8., 2.});
const auto M = pv::tensor({{1., 2., 3.}, {4., 5., 6.}, {7., 8., 9.}});

void ones() {
    auto loops = pv::zeros<index_t>({5});
    for (index_t i = 0; i < 5; ++i) loops(i) = 1;

    pv::Dim i("i", 5);
    pv::Tensor<index_t> out = (0 * i + 1) | pv::order(i);
    check(equal(out, loops), "1, ones");
}

void sum() {
    double loops = 0;
    for (index_t i = 0; i < 5; ++i) loops += a(i);

    pv::Dim i("i");
    double out = a(i) | pv::sum(i);
    check(out == loops, "2, sum");
}

void outer() {
    auto loops = pv::zeros({5, 5});
    for (index_t i = 0; i < 5; ++i)
        for (index_t j = 0; j < 5; ++j) loops(i, j) = a(i) * b(j);

    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<double> out = a(i) * b(j) | pv::order(i, j);
    check(equal(out, loops), "3, outer");
}

void diag() {
    auto loops = pv::zeros({3});
    for (index_t i = 0; i < 3; ++i) loops(i) = M(i, i);

    pv::Dim i("i");
    pv::Tensor<double> out = M(i, i) | pv::order(i);
    check(equal(out, loops), "4, diag");
}

void eye() {
    auto loops = pv::zeros<int>({4, 4});
    for (index_t i = 0; i < 4; ++i) loops(i, i) = 1;

    pv::Dim i("i", 4), j("j", 4);
    pv::Tensor<int> out = pv::where(i == j, 1, 0) | pv::order(i, j);
    check(equal(out, loops), "5, eye");
}

void triu() {
    auto loops = pv::zeros<int>({4, 4});
    for (index_t i = 0; i < 4; ++i)
        for (index_t j = 0; j < 4; ++j) loops(i, j) = i <= j ? 1 : 0;

    pv::Dim i("i", 4), j("j", 4);
    pv::Tensor<int> out = pv::where(i <= j, 1, 0) | pv::order(i, j);
    check(equal(out, loops), "6, triu");
}

void cumsum() {
    auto loops = pv::zeros({5});
    double total = 0;
    for (index_t i = 0; i < 5; ++i) loops(i) = total += a(i);

    pv::Dim i("i", 5), k("k");
    pv::Tensor<double> out = pv::where(k <= i, a(k), 0.0) | pv::sum(k) | pv::order(i);
    check(equal(out, loops), "7, cumsum");
}

void diff() {
    auto loops = pv::zeros({5});
    loops(0) = a(0);
    for (index_t i = 1; i < 5; ++i) loops(i) = a(i) - a(i - 1);

    pv::Dim i("i");
    pv::Tensor<double> out = pv::where(i >= 1, a(i) - a(i - 1), a(i)) | pv::order(i);
    check(equal(out, loops), "8, diff");
}

void vstack() {
    auto loops = pv::zeros({2, 5});
    for (index_t i = 0; i < 5; ++i) {
        loops(0, i) = a(i);
        loops(1, i) = b(i);
    }

    pv::Dim v("v", 2), i("i");
    pv::Tensor<double> out = pv::where(v == 0, a(i), b(i)) | pv::order(v, i);
    check(equal(out, loops), "9, vstack");
    check(equal<double>(pv::stack({a(i), b(i)}, v) | pv::order(v, i), loops), "9, vstack by stack");
}

void roll() {
    auto loops = pv::zeros({5});
    for (index_t i = 0; i < 5; ++i) loops(i) = a(i + 1 < 5 ? i + 1 : i + 1 - 5);

    pv::Dim i("i", 5);
    pv::Tensor<double> out = a(i + 1 - i.size()) | pv::order(i); // a rotation: a view
    check(equal(out, loops) && pv::shares_storage(out, a), "10, roll");
}

void flip() {
    auto loops = pv::zeros({5});
    for (index_t i = 0; i < 5; ++i) loops(i) = a(5 - i - 1);

    pv::Dim i("i", 5);
    pv::Tensor<double> out = a(i.size() - i - 1) | pv::order(i);
    check(equal(out, loops) && pv::shares_storage(out, a), "11, flip");
}

void compress() {
    const auto g = pv::tensor({true, false, true, true, false});
    auto loops = pv::zeros({5});
    index_t next = 0;
    for (index_t i = 0; i < 5; ++i)
        if (g(i)) loops(next++) = a(i);

    pv::Dim i("i", 5), j("j", 5), k("k", 5);
    auto rank = pv::count_true(g(k) && k <= i, k); // how many are chosen up to i
    pv::Tensor<double> out =
        pv::where(g(i) && rank == j + 1, a(i), 0.0) | pv::sum(i) | pv::order(j);
    check(equal(out, loops), "12, compress");
}

void pad_to() {
    for (const index_t length : {3, 5, 8}) {
        auto loops = pv::zeros({length});
        for (index_t i = 0; i < std::min<index_t>(5, length); ++i) loops(i) = a(i);

        pv::Dim i("i"), j("j", length);
        pv::Tensor<double> out = pv::where(i == j, a(i), 0.0) | pv::sum(i) | pv::order(j);
        check(equal(out, loops), "13, pad_to");
    }
}

void sequence_mask() {
    const auto length = pv::tensor({1, 3, 0});
    auto loops = pv::zeros({3, 3});
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 3; ++j) loops(i, j) = j < length(i) ? double(M(i, j)) : 0.0;

    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<double> out = pv::where(j < length(i), M(i, j), 0.0) | pv::order(i, j);
    check(equal(out, loops), "14, sequence_mask");
}

void bincount() {
    const auto values = pv::tensor({2, 0, 3, 2, 2, 3});
    auto loops = pv::zeros<index_t>({5});
    for (index_t i = 0; i < 6; ++i) loops(index_t(values(i))) += 1;

    pv::Dim i("i"), j("j", 5);
    pv::Tensor<index_t> out = (values(i) == j) | pv::count_true(i) | pv::order(j);
    check(equal(out, loops), "15, bincount");
}

void scatter_add() {
    const auto link = pv::tensor({1, 0, 1, 2, 1});
    auto loops = pv::zeros({3});
    for (index_t j = 0; j < 5; ++j) loops(index_t(link(j))) += a(j);

    pv::Dim i("i", 3), j("j");
    pv::Tensor<double> out = pv::where(link(j) == i, a(j), 0.0) | pv::sum(j) | pv::order(i);
    check(equal(out, loops), "16, scatter_add");
}

void flatten() {
    auto loops = pv::zeros({9});
    index_t next = 0;
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 3; ++j) loops(next++) = M(i, j);

    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<double> out = M(i, j) | pv::order(pv::joint(i, j));
    check(equal(out, loops) && pv::shares_storage(out, M), "17, flatten");
}

void linspace() {
    const double first = -1;
    const double last = 3;
    auto loops = pv::zeros({9});
    for (index_t k = 0; k < 9; ++k) loops(k) = first + (last - first) * static_cast<double>(k) / 8;

    pv::Dim k("k", 9);
    pv::Tensor<double> out = (first + (last - first) * k / 8) | pv::order(k);
    check(equal(out, loops), "18, linspace");
}

void heaviside() {
    const auto x = pv::tensor({-2., 0., 3., 0., -1.});
    auto loops = pv::zeros({5});
    for (index_t i = 0; i < 5; ++i) loops(i) = x(i) == 0 ? double(b(i)) : x(i) > 0 ? 1.0 : 0.0;

    pv::Dim i("i");
    pv::Tensor<double> out =
        pv::where(x(i) == 0, b(i), pv::where(x(i) > 0, 1.0, 0.0)) | pv::order(i);
    check(equal(out, loops), "19, heaviside");
}

void repeat() {
    auto loops = pv::zeros({4, 5});
    for (index_t i = 0; i < 4; ++i)
        for (index_t k = 0; k < 5; ++k) loops(i, k) = a(k);

    pv::Dim i("i", 4), k("k");
    pv::Tensor<double> out = a(k) | pv::expand(i) | pv::order(i, k);
    check(equal(out, loops) && pv::shares_storage(out, a), "20, repeat");
}

void bucketize() {
    const auto boundaries = pv::tensor({1., 2., 4.});
    auto loops = pv::zeros<index_t>({5});
    for (index_t i = 0; i < 5; ++i)
        for (index_t j = 0; j < 3; ++j)
            if (a(i) >= boundaries(j)) loops(i) = j + 1;

    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<index_t> out = (a(i) >= boundaries(j)) | pv::count_true(j) | pv::order(i);
    check(equal(out, loops), "21, bucketize");
}

} // namespace

int main() {
    ones();
    sum();
    outer();
    diag();
    eye();
    triu();
    cumsum();
    diff();
    vstack();
    roll();
    flip();
    compress();
    pad_to();
    sequence_mask();
    bincount();
    scatter_add();
    flatten();
    linspace();
    heaviside();
    repeat();
    bucketize();
    return exit_status();
}
