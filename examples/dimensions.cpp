/// Dimensions as objects, in twelve examples: docs/dimensions.md shows parts of this file. Each result is compared
/// with that of the loops that it stands for.

#include "check.hpp"

#include <purview/dims.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <iostream>

namespace pv = purview;
using pv::index_t;

Printed printed;

namespace {

pv::MutableTensor<double> counted(pv::AxisValues shape) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    return pv::tensor(pv::to_vector(pv::arange(static_cast<double>(size))), shape);
}

bool equal(const pv::Tensor<double>& x, const pv::Tensor<double>& y) {
    return x.shape() == y.shape() && pv::to_vector(x) == pv::to_vector(y);
}

void matrix_product() {
    auto A = counted({3, 4});
    auto B = counted({4, 5});
    auto loops = pv::zeros({3, 5});
    // [matrix-product-loops]
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 5; ++j)
            for (index_t k = 0; k < 4; ++k) loops(i, j) += A(i, k) * B(k, j);
    // [/matrix-product-loops]
    // [matrix-product]
    auto [i, j, k] = pv::dims("i", "j", "k");
    pv::Tensor<double> C = A(i, k) * B(k, j) | pv::sum(k) | pv::order(i, j);
    // [/matrix-product]
    check(equal(C, loops), "the matrix product");
}

void commas() {
    auto image = counted({6, 4, 3});
    // [commas]
    PURVIEW_DIMS(row, column, channel); // purview/dims.hpp: no name is written twice
    pv::Dim half("half", 2);
    auto pixels = image((row, half), column, channel); // 6 rows: 3 times 2
    auto means = pixels | pv::mean((half, column));    // over two dims
    pv::Tensor<double> rows =
        pixels | pv::order((row, half), (column, channel)); // two axes of four
    // [/commas]
    check(rows.shape() == pv::Shape{6, 12}, "joints by commas");
    check(equal(pv::order(means, row, channel), pv::mean(pv::reshape(image, {3, 8, 3}), 1)),
          "a mean over a joint");
}

void masks() {
    auto A = counted({4, 3});
    std::vector<double> loops;
    // [mask-loops]
    for (index_t i = 0; i < 4; ++i)
        for (index_t j = 0; j < 3; ++j)
            if (i > j) loops.push_back(A(i, j));
    // [/mask-loops]
    // [mask]
    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<double> below = A(i, j, i > j); // one axis, of the elements for which it holds
    // [/mask]
    check(pv::to_vector(below) == loops, "a mask over dims");
}

void stencil() {
    auto u = counted({10, 10});
    auto loops = pv::zeros({8, 8});
    // [stencil-loops]
    for (index_t i = 0; i < 8; ++i)
        for (index_t j = 0; j < 8; ++j)
            loops(i, j) = u(i, j + 1) + u(i + 2, j + 1) + u(i + 1, j) + u(i + 1, j + 2);
    // [/stencil-loops]
    // [stencil]
    pv::Dim i("i", 8), j("j", 8); // smaller than the axes
    auto around = u(i + 0, j + 1) + u(i + 2, j + 1) + u(i + 1, j + 0) + u(i + 1, j + 2);
    pv::Tensor<double> sums = around | pv::order(i, j);
    // [/stencil]
    check(equal(sums, loops), "a stencil over dims");
}

void precedence() {
    auto a = counted({3, 4});
    auto b = counted({4});
    auto [i, k] = pv::dims("i", "k");
    // [precedence]
    auto means = (a(i, k) | pv::mean(i)) + b(k);      // `a | mean(i) + b` does not compile
    auto large = (a(i, k) | pv::sum(k)) > 10.0;       // nor does `a | sum(k) > 10`
    auto both = a(i, k) * b(k) | pv::sum(k);          // arithmetic in front is meant
    auto shifted = a(i, k) - (a(i, k) | pv::mean(k)); // behind it, parentheses
    // [/precedence]
    check(means.rank() == 0 && large.rank() == 0 && both.rank() == 0 && shifted.rank() == 0,
          "precedence");
}

void transposed() {
    auto B = counted({3, 4, 5});
    auto loops = pv::zeros({4, 3, 5});
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 4; ++j) pv::copy(B(i, j, pv::all), loops(j, i, pv::all));
    // [transpose]
    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<double> T = B(i, j) | pv::order(j, i); // a view: the third axis stays where it is
    // [/transpose]
    check(equal(T, loops) && pv::shares_storage(T, B), "the transposed tensor");
}

void bias() {
    auto input = counted({6, 3});
    auto offsets = counted({3});
    auto loops = pv::zeros({6, 3});
    // [batching-loops]
    for (index_t batch = 0; batch < 6; ++batch)
        for (index_t channel = 0; channel < 3; ++channel)
            loops(batch, channel) = input(batch, channel) + offsets(channel);
    // [/batching-loops]
    // [batching]
    auto [batch, channel] = pv::dims("batch", "channel");
    auto result = input(batch, channel) + offsets(channel); // over the union of the dims
    // [/batching]
    check(equal(result | pv::order(batch, channel), loops), "the sum with a bias");
}

void model() {
    auto examples = counted({3, 5});
    auto weights = counted({5});
    // [vmap]
    auto model = [&](const auto& features) {
        return pv::maximum(pv::dot(features, weights), 100.0);
    };
    pv::Dim batch("batch");
    auto predictions = model(examples(batch)); // written for a vector, called with a batch of them
    // [/vmap]
    auto loops = pv::zeros({3});
    // [vmap-loops]
    for (index_t n = 0; n < 3; ++n) loops(n) = model(examples(n, pv::all));
    // [/vmap-loops]
    check(equal(predictions | pv::order(batch), loops), "the batched model");
}

void channel_means() {
    auto images = counted({2, 3, 4, 5});
    auto loops = pv::zeros({2, 3});
    for (index_t b = 0; b < 2; ++b)
        for (index_t c = 0; c < 3; ++c) loops(b, c) = pv::mean(images(b, c, pv::ellipsis));
    // [mean]
    auto [batch, channel, width, height] = pv::dims("batch", "channel", "width", "height");
    auto colour = images(batch, channel, width, height) | pv::mean(width, height);
    // [/mean]
    check(equal(colour | pv::order(batch, channel), loops), "the mean colour");
}

void pixel_shuffle() {
    auto image = counted({2, 12, 3, 5});
    auto loops = pv::zeros({2, 3, 6, 10});
    // [pixel-shuffle-loops]
    for (index_t b = 0; b < 2; ++b)
        for (index_t c = 0; c < 3; ++c)
            for (index_t y = 0; y < 6; ++y)
                for (index_t x = 0; x < 10; ++x)
                    loops(b, c, y, x) = image(b, (c * 2 + y % 2) * 2 + x % 2, y / 2, x / 2);
    // [/pixel-shuffle-loops]
    // [pixel-shuffle]
    auto [b, c, h, w] = pv::dims("b", "c", "h", "w");
    pv::Dim h2("h2", 2), w2("w2", 2);
    pv::Tensor<double> shuffled =
        image(b, pv::joint(c, h2, w2), h, w) | pv::order(b, c, pv::joint(h, h2), pv::joint(w, w2));
    // [/pixel-shuffle]
    check(equal(shuffled, loops), "the shuffled pixels");
}

void upper_triangle() {
    auto A = counted({4, 4});
    auto loops = pv::zeros({4, 4});
    // [triu-loops]
    for (index_t i = 0; i < 4; ++i)
        for (index_t j = 0; j < 4; ++j) loops(i, j) = i <= j ? double(A(i, j)) : 0.0;
    // [/triu-loops]
    // [triu]
    auto [i, j] = pv::dims("i", "j");
    pv::Tensor<double> upper = pv::where(i <= j, A(i, j), 0.0) | pv::order(i, j);
    // [/triu]
    check(equal(upper, loops), "the upper triangle");
    // [print]
    std::cout << (i <= j) << '\n';
    // [/print]
    printed.equals(R"(
#purview.tensor<bool>[4 4]
[[ true  true  true true]
 [false  true  true true]
 [false false  true true]
 [false false false true]]
with dims=(i, j) sizes=(4, 4)
)");
}

void differences() {
    auto a = pv::tensor({1., 4., 9., 16.});
    auto loops = pv::zeros({4});
    // [diff-loops]
    for (index_t i = 0; i < 4; ++i) loops(i) = i - 1 >= 0 ? a(i) - a(i - 1) : double(a(i));
    // [/diff-loops]
    // [diff]
    pv::Dim i("i");
    auto d = a(i) - a(i - 1); // at i = 0 this reads a(-1), the last element
    pv::Tensor<double> differences = pv::where(i - 1 >= 0, d, a(i)) | pv::order(i);
    // [/diff]
    check(equal(differences, loops), "the differences");
}

void convolution() {
    auto signal = counted({8});
    auto kernel = pv::tensor({1., -2., 1.});
    auto loops = pv::zeros({6});
    // [convolution-loops]
    for (index_t i = 0; i < 6; ++i)
        for (index_t k = 0; k < 3; ++k) loops(i) += signal(i + k) * kernel(k);
    // [/convolution-loops]
    // [convolution]
    auto [i, k] = pv::dims("i", "k");
    i.set_size(6);
    auto filtered = signal(i + k) * kernel(k) | pv::sum(k) | pv::order(i); // a sliding window
    // [/convolution]
    check(equal(filtered, loops), "the convolution");
}

void diagonal() {
    auto A = counted({4, 4});
    // [trace]
    pv::Dim i("i");
    pv::Tensor<double> diagonal = A(i, i) | pv::order(i);
    double trace = A(i, i) | pv::sum(i);
    // [/trace]
    double loops = 0;
    for (index_t n = 0; n < 4; ++n) loops += A(n, n);
    check(trace == loops && pv::sum(diagonal) == loops, "the trace");
}

void embedding_bag() {
    auto table = counted({6, 3});
    auto ids = pv::tensor({{1, 0, 5}, {-1, 2, 2}});
    auto loops = pv::zeros({2, 3});
    // [embedding-bag-loops]
    for (index_t batch = 0; batch < 2; ++batch)
        for (index_t sequence = 0; sequence < 3; ++sequence)
            for (index_t features = 0; features < 3; ++features) {
                const index_t id = ids(batch, sequence);
                loops(batch, features) += table(id, features);
            }
    // [/embedding-bag-loops]
    // [embedding-bag]
    auto [batch, sequence, features] = pv::dims("batch", "sequence", "features");
    auto bags = table(ids(batch, sequence), features) | pv::sum(sequence) |
                pv::order(batch, features); // rows are added as they are read
    // [/embedding-bag]
    check(equal(bags, loops), "the embedding bag");
}

void linked_indexes() {
    auto image = counted({4, 5});
    auto rows = pv::tensor({3, 0, -2});
    auto columns = pv::tensor({1, 1, 4});
    // [linked]
    auto [n, m, i] = pv::dims("n", "m", "i");
    pv::Tensor<double> points = image(rows(n), columns(n)) | pv::order(n);     // [3], linked
    pv::Tensor<double> grid = image(rows(n), columns(m)) | pv::order(n, m);    // [3 3]
    pv::Tensor<double> lines = pv::index(image(i), i, rows(n)) | pv::order(n); // [3 5]
    // [/linked]
    bool same = lines.shape() == pv::Shape{3, 5};
    for (index_t a = 0; a < 3; ++a)
        for (index_t b = 0; b < 3; ++b) {
            const double element = image(index_t(rows(a)), index_t(columns(b)));
            same = same && grid(a, b) == element && (a != b || points(a) == element);
        }
    check(same, "linked indexes");
}

void scattered() {
    auto table = pv::zeros({6, 3});
    auto ids = pv::tensor({4, 1, 4, -6});
    auto gradient = counted({4, 3});
    auto loops = pv::zeros({6, 3});
    // [scatter-loops]
    for (index_t i = 0; i < 4; ++i)
        for (index_t f = 0; f < 3; ++f) {
            const index_t id = ids(i);
            loops(id, f) += gradient(i, f);
        }
    // [/scatter-loops]
    // [scatter]
    auto [i, f] = pv::dims("i", "f");
    pv::add_to(table(ids(i), f), gradient(i, f)); // row 4 gets two of them
    // [/scatter]
    check(equal(table, loops), "a scatter");
    pv::assign(table(ids(i), f), gradient(i, f));
    check(table(4, 0) == gradient(2, 0), "the last value stays");
}

} // namespace

int main() {
    matrix_product();
    commas();
    masks();
    stencil();
    precedence();
    transposed();
    bias();
    model();
    channel_means();
    pixel_shuffle();
    upper_triangle();
    differences();
    convolution();
    diagonal();
    embedding_bag();
    linked_indexes();
    scattered();
    return exit_status();
}
