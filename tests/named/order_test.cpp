#include "named_support.hpp"

namespace order_test {

TEST_CASE("order makes positional axes of dims, on the left") {
    const auto b = counted({3, 4, 5});
    const auto [i, j] = pv::dims("i", "j");
    CHECK(equal<double>(b(i, j) | pv::order(j, i), b | pv::transpose({1, 0, 2})));
    CHECK(equal<double>(pv::order(b(i, j), j, i), b | pv::transpose({1, 0, 2})));
    CHECK(equal<double>(b(pv::all, j) | pv::order(-1, j), b | pv::transpose({2, 1, 0})));
    CHECK(equal<double>(b(pv::all, j) | pv::order(1, 0, j), b | pv::transpose({2, 0, 1})));
    CHECK(equal<double>(b | pv::order(1, 0), b | pv::transpose({1, 0, 2})));
}

TEST_CASE("order may leave dims bound") {
    const auto b = counted({3, 4, 5});
    const auto [i, j] = pv::dims("i", "j");
    const auto half = b(i, j) | pv::order(j);
    CHECK(to_string(pv::dims(half)) == "(i,)");
    CHECK(half.shape() == pv::Shape{4, 5});
    CHECK(message_of<pv::DimError>([&] { pv::Tensor<double> t = half; }) ==
          "the dims (i,) of this tensor are bound: call order first");
    CHECK(message_of<pv::DimError>([&] { pv::to_vector(half); }) ==
          "the dims (i,) of this tensor are bound: call order first");
    CHECK(equal<double>(half | pv::order(i), b));
}

TEST_CASE("what order gives is a tensor when nothing is bound") {
    const auto a = counted({2, 3});
    const auto [i, j] = pv::dims("i", "j");
    const auto t = a(i, j) * 2 | pv::order(j, i);
    const pv::Tensor<double> tensor = t;
    const double element = t(2, 1);
    CHECK(element == 10);
    CHECK(t(2, 1) == 10);
    CHECK(t.shape() == pv::Shape{3, 2});
    CHECK(pv::to_vector(t) == pv::to_vector(tensor));
    CHECK(printed(t) == printed(tensor));
    const pv::MutableTensor<double> mine = pv::clone(t);
    mine(0, 0) = 7;
    CHECK(mine(0, 0) == 7);
    const auto target = pv::zeros({3, 2});
    pv::copy(t, target);
    CHECK(equal<double>(target, tensor));
    const pv::MutableTensor<double> written = a(i, j) | pv::order(i, j);
    written(1, 1) = -1;
    CHECK(a(1, 1) == -1);
}

TEST_CASE("errors of order name the dim") {
    const auto b = counted({3, 4, 5});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto bound = b(i, j);
    CHECK(message_of<pv::DimError>([&] { bound | pv::order(i, k); }) ==
          "order: the tensor has no Dim 'k', its dims are (i, j)");
    CHECK(message_of<pv::DimError>([&] { bound | pv::order(i, j, i); }) ==
          "order: Dim 'i' is given twice");
    CHECK(message_of<pv::DimError>([&] { bound | pv::order(i, pv::joint(j, i)); }) ==
          "order: Dim 'i' is given twice");
    CHECK(message_of<pv::IndexError>([&] { bound | pv::order(0, -1); }) ==
          "order: axis -1 is given twice");
    CHECK(message_of<pv::IndexError>([&] { bound | pv::order(1); }).find("order") == 0);
}

TEST_CASE("dims print like torchdim's") {
    const pv::Dim i("i", 4);
    const pv::Dim j("j", 4);
    CHECK(printed(i <= j) == "#purview.tensor<bool>[4 4]\n"
                             "[[ true  true  true true]\n"
                             " [false  true  true true]\n"
                             " [false false  true true]\n"
                             " [false false false true]]\n"
                             "with dims=(i, j) sizes=(4, 4)");
    CHECK(printed(pv::Dim("channel", 3) + 1000) == "#purview.tensor<int64>[3]\n"
                                                   "[1000 1001 1002]\n"
                                                   "with dims=(channel,) sizes=(3,)");
    CHECK(printed(i - 2 * j + 1).find("with dims=(i, j) sizes=(4, 4)") != std::string::npos);
}

#ifdef __cpp_multidimensional_subscript
TEST_CASE("brackets index like parentheses") {
    const auto a = counted({3, 4});
    const auto [i, k] = pv::dims("i", "k");
    CHECK(equal<double>(a[i, k] | pv::order(k, i), pv::transpose(a)));
    CHECK(equal<double>(a[i, pv::all][k] | pv::order(k, i), pv::transpose(a)));
    CHECK(equal<double>(a[i + 0, k] | pv::order(i, k), a));
}
#endif

} // namespace order_test
