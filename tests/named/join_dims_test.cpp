// concat and stack with a Dim as the axis; tensors of mixed handles and types; split by sizes, and chunk.
#include "named_support.hpp"

#include <vector>

namespace join_dims_test {

using pv::index_t;

TEST_CASE("concat along a Dim") {
    const auto A = counted({3, 2});
    const auto B = counted<float>({3, 2}) * 10.f;
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> expected = pv::concat(A, B, 0);
    CHECK(equal<double>(pv::concat(A(i), B(i), i), expected));
    CHECK(equal<double>(pv::concat(A(i, j), B(i, j), i) | pv::order(j), pv::transpose(expected)));
    CHECK(equal<double>(pv::concat({A(i), A(i)}, i), pv::concat(A, A)));
    CHECK(equal<double>(pv::concat(std::vector{A(i), A(i), A(i)}, i), pv::concat(A, A, A)));
    // Any number, and what does not have the Dim repeats over it.
    CHECK(equal<double>(pv::concat(A(i), A(i), A(i), A(i), A(i), i), pv::concat({A, A, A, A, A})));
    CHECK(equal<double>(pv::concat(A(i), A(0, pv::all), i),
                        pv::concat(A, pv::broadcast(A(0, pv::all), {3, 2}))));
    CHECK(equal<double>(pv::concat(A, A, A, A, -1), pv::concat({A, A, A, A}, 1)));
    CHECK(message_of<pv::ShapeError>([&] { static_cast<void>(pv::concat(A(i), A, 0)); }) ==
          "concat: tensors have 1 and 2 positional axes");
}

TEST_CASE("stack along a Dim") {
    const auto a = pv::tensor({1., 2., 3.});
    const auto b = pv::tensor({4, 5, 6});
    const auto [j, n, m] = pv::dims("j", "n", "m");
    const auto stacked = pv::stack(a(j), b(j), n);
    static_assert(std::same_as<decltype(stacked)::value_type, double>);
    CHECK(n.size() == 2);
    const auto expected = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    CHECK(equal<double>(stacked | pv::order(n, j), expected));
    CHECK(equal<double>(pv::stack(a, b, m) | pv::order(m), expected));
    // Mixed handles: a tensor, one that can be written, one with dims, an expression.
    const pv::Dim four("four");
    const pv::Tensor<double> plain = a;
    const auto mixed = pv::stack(plain, a, a(j) | pv::order(j), a * 1., four);
    CHECK(equal<double>(mixed | pv::order(four), pv::stack({plain, plain, plain, plain})));
    CHECK(equal<double>(pv::stack(plain, a, a(j) | pv::order(j), a * 1., -1),
                        pv::stack({plain, plain, plain, plain}, 1)));
    CHECK(message_of<pv::DimError>([&] {
              static_cast<void>(pv::stack(a(j), a(j), j));
          }).find("stack: Dim 'j'") == 0);
}

TEST_CASE("cat of mixed handles and types") {
    const auto A = counted({3, 2});
    const auto B = counted<int>({4, 2});
    const auto [i, j, k, n, m, l] = pv::dims("i", "j", "k", "n", "m", "l");
    const pv::Tensor<double> expected = pv::concat(A, B);
    CHECK(equal<double>(pv::cat(A(i), B(j), {i, j}, n) | pv::order(n), expected));
    CHECK(n.size() == 7);
    CHECK(equal<double>(pv::cat(A, B, 0, m) | pv::order(m), expected));
    CHECK(equal<double>(pv::cat(A(k), A(k) * 2.f, pv::cast<int>(A(k)), k, l) | pv::order(l),
                        pv::concat(A, A * 2., A)));
}

TEST_CASE("split by sizes known when it runs") {
    const auto A = counted({5, 2});
    const auto [i, j] = pv::dims("i", "j");
    const std::vector<pv::Dim> parts{pv::Dim("x", 2), pv::Dim("y"), pv::Dim("z", 1)};
    const auto over = pv::split(A(i), i, parts);
    REQUIRE(over.size() == 3);
    CHECK(parts[1].size() == 2);
    CHECK(equal<double>(over[1] | pv::order(parts[1]), A(pv::range(2, 4))));

    const std::vector<index_t> sizes{1, 0, 4};
    const auto plain = pv::split(A, 0, sizes);
    static_assert(std::same_as<decltype(plain)::value_type, pv::MutableTensor<double>>);
    REQUIRE(plain.size() == 3);
    CHECK(equal<double>(plain[0], A(pv::range(0, 1))));
    CHECK(plain[1].shape() == pv::Shape{0, 2});
    CHECK(equal<double>(plain[2], A(pv::range(1, 5))));
    CHECK(equal<double>(pv::split(A, -1, {1, 1})[1], A(pv::all, pv::range(1, 2))));
    const auto along = pv::split(A(i, j), i, {2, 3});
    CHECK(equal<double>(along[1] | pv::order(j), pv::transpose(A(pv::range(2, 5)))));
    const auto positional = pv::split(A(pv::all, j), 0, {2, 3});
    CHECK(equal<double>(positional[1] | pv::order(j), pv::transpose(A(pv::range(2, 5)))));
    CHECK(pv::split(pv::AnyTensor(A), 0, {4, 1})[1].shape() == pv::Shape{1, 2});
}

TEST_CASE("chunk is PyTorch's") {
    const auto A = counted({7, 2});
    const auto sizes_of = [&](index_t count) {
        std::vector<index_t> sizes;
        index_t begin = 0;
        for (const auto& part : pv::chunk(A, count)) {
            CHECK(equal<double>(part, A(pv::range(begin, begin + part.extent(0)))));
            sizes.push_back(part.extent(0));
            begin += part.extent(0);
        }
        return sizes;
    };
    CHECK(sizes_of(1) == std::vector<index_t>{7});
    CHECK(sizes_of(2) == std::vector<index_t>{4, 3});
    CHECK(sizes_of(3) == std::vector<index_t>{3, 3, 1});
    CHECK(sizes_of(4) == std::vector<index_t>{2, 2, 2, 1});
    CHECK(sizes_of(5) == std::vector<index_t>{2, 2, 2, 1}); // fewer, as there
    CHECK(sizes_of(9).size() == 7);
    CHECK(pv::chunk(counted({0, 2}), 3).size() == 1);
    const auto [i, j] = pv::dims("i", "j");
    const auto over = A(i, j) | pv::chunk(2, i);
    CHECK(equal<double>(over[1] | pv::order(j), pv::transpose(A(pv::range(4, 7)))));
    CHECK(pv::chunk(A(i), 2, 0)[1].shape() == pv::Shape{1});
}

} // namespace join_dims_test
