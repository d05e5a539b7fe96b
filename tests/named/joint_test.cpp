#include "named_support.hpp"

#include <purview/dims.hpp>

#include <array>
#include <span>
#include <vector>

namespace joint_test {

using pv::index_t;

TEST_CASE("a comma makes a joint") {
    const auto A = counted({6, 4});
    const auto [i, k] = pv::dims("i", "k");
    const pv::Dim j("j", 2);
    const auto a = A((i, j), k);
    CHECK(i.size() == 3);
    CHECK(k.size() == 4);
    CHECK(equal<double>(a | pv::order((i, j), k), A));
    const pv::Tensor<double> joined = a | pv::order(i, (j, k));
    CHECK(joined.shape() == pv::Shape{3, 8});
    CHECK(equal<double>(joined, pv::reshape(A, {3, 8})));
    CHECK(equal<double>(a | pv::order((k, i, j)), pv::reshape(pv::transpose(A), {24})));

#ifdef __cpp_multidimensional_subscript
    const auto [m, n] = pv::dims("m", "n");
    const pv::Dim two("two", 2);
    const auto b = A[(m, two), n];
    CHECK(m.size() == 3);
    CHECK(equal<double>(b | pv::order((m, two), n), A));
#endif
}

TEST_CASE("a joint of dims is several axes of a reduction") {
    const auto A = counted({2, 3, 4});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto a = A(i, j, k);
    const pv::Tensor<double> sums = pv::sum(A, {0, 1});
    CHECK(equal<double>(pv::sum(a, (i, j)) | pv::order(k), sums));
    CHECK(equal<double>(a | pv::sum((i, j)) | pv::order(k), sums));
    CHECK(equal<double>(a | pv::sum((i, j), k), pv::const_tensor(276., {})));
    CHECK(equal<double>(pv::sum(A(i), (i, 0)), pv::Tensor<double>(sums)));
    CHECK(equal<double>(pv::sum(A(i), (0, i)), pv::Tensor<double>(sums)));
    CHECK(equal<double>(pv::softmax(a, (i, j)) | pv::order(i, j, k), pv::softmax(A, {0, 1})));
    CHECK(equal<double>(pv::mean(a, std::vector{i, j}) | pv::order(k), pv::mean(A, {0, 1})));
    CHECK(equal<double>(pv::mean(a, std::vector{i, j}, k), pv::const_tensor(11.5, {})));
    CHECK(equal<double>(pv::median(a, (i, j)) | pv::order(k), pv::median(A, {0, 1})));
}

TEST_CASE("positional axes and lists may be joined") {
    const auto A = counted({2, 3, 4});
    const pv::Dim i("i");
    const auto a = A(i);
    CHECK(equal<double>(a | pv::order((i, 0)), pv::reshape(A, {6, 4})));
    CHECK(equal<double>(a | pv::order((1, i)), pv::reshape(pv::transpose(A, {2, 0, 1}), {8, 3})));
    CHECK(equal<double>(a | pv::order(0, pv::joint(i, -1)),
                        pv::reshape(pv::transpose(A, {1, 0, 2}), {3, 8})));
    CHECK(equal<double>(pv::order(A, pv::joint(0, 1), 2), pv::reshape(A, {6, 4})));
    CHECK(equal<double>(a | pv::order(i, pv::joint(0, 1)), pv::reshape(A, {2, 12})));

    const pv::DimList rest("rest");
    const auto b = A(rest);
    CHECK(equal<double>(b | pv::order(pv::joint(rest)), pv::reshape(A, {24})));
    const auto [x, y] = pv::dims("x", "y");
    CHECK(equal<double>(A(x, y) | pv::order(pv::joint(std::vector{y, x})),
                        pv::reshape(pv::transpose(A, {1, 0, 2}), {6, 4})));

    CHECK(message_of<pv::DimError>([&] { static_cast<void>(A((i, 0))); }) ==
          "joint: an axis is split into dims, and 0 is none");
    CHECK(message_of<pv::IndexError>([&] { static_cast<void>(a | pv::order((i, 2))); }) ==
          "order: axis 2 is out of range for rank 2");
    CHECK(message_of<pv::IndexError>([&] { static_cast<void>(a | pv::order((i, 0), 0)); }) ==
          "order: axis 0 is given twice");
}

TEST_CASE("dims may be listed by any range") {
    const auto A = counted({2, 3, 4});
    const auto [i, j] = pv::dims("i", "j");
    const std::vector list{i, j};
    const auto a = A(list);
    CHECK(same(pv::dims(a)[1], j));
    const pv::Tensor<double> turned = pv::transpose(A, {1, 0, 2});
    CHECK(equal<double>(a | pv::order({j, i}), turned));
    CHECK(equal<double>(pv::order(a, {j, i}), turned));
    CHECK(equal<double>(pv::order(a, {0, j, i}), pv::transpose(A, {2, 1, 0})));
    CHECK(equal<double>(a | pv::order(std::array{j, i}), turned));
    CHECK(equal<double>(a | pv::order(std::span<const pv::Dim>(list)), A));
    CHECK(equal<double>(a | pv::order(pv::dims(a)), A));
    CHECK(equal<double>(a | pv::order(pv::DimList(list), 0), A));
    CHECK(equal<double>(pv::expand(A(pv::all, 0, 0), list) | pv::order(list),
                        pv::expand(A(pv::all, 0, 0), i, j) | pv::order(i, j)));
    CHECK(equal<double>(pv::sum(a, list), pv::sum(A, {0, 1})));
    CHECK(equal<double>(pv::index(a, list, 5), A(1, 2, pv::all)));
}

TEST_CASE("dims are named once") {
    PURVIEW_DIMS(i, j, some_dim);
    CHECK(i.name() == "i");
    CHECK(j.name() == "j");
    CHECK(some_dim.name() == "some_dim");
    PURVIEW_DIMS(alone);
    CHECK(alone.name() == "alone");
    CHECK_FALSE(alone.has_size());
    const auto A = counted({2, 3});
    CHECK(equal<double>(A(i, j) | pv::order(j, i), pv::transpose(A)));
}

} // namespace joint_test
