#include "named_support.hpp"

#include <vector>

namespace mask_dims_test {

using pv::index_t;

TEST_CASE("a mask over one dim chooses its indexes") {
    const auto A = counted({4, 3});
    const auto [i, j] = pv::dims("i", "j");
    const auto chosen = A(i, j, i > 0);
    REQUIRE(chosen.shape() == pv::Shape{3});
    REQUIRE(pv::dims(chosen).size() == 1);
    CHECK(same(pv::dims(chosen)[0], j));
    CHECK(equal<double>(chosen | pv::order(j), pv::transpose(A(pv::range(1, 4)))));
}

TEST_CASE("a mask over dims makes one axis of them, in their order") {
    const auto A = counted({4, 3, 2});
    const auto [i, j] = pv::dims("i", "j");
    std::vector<double> expected;
    for (index_t y = 0; y < 4; ++y)
        for (index_t x = 0; x < 3; ++x)
            if ((y + x) % 2 == 0)
                for (index_t c = 0; c < 2; ++c) expected.push_back(A(y, x, c));
    const pv::Tensor<double> chosen = A(i, j, (i + j) % 2 == 0);
    CHECK(chosen.shape() == pv::Shape{6, 2});
    CHECK(pv::to_vector(chosen) == expected);
    // Where the mask stands, its axis does.
    const pv::Tensor<double> behind = A(i, j, pv::all, (i + j) % 2 == 0);
    CHECK(equal<double>(behind, pv::transpose(chosen)));
    const pv::Tensor<double> last = A(i, j, pv::ellipsis, (i + j) % 2 == 0);
    CHECK(equal<double>(last, pv::transpose(chosen)));
    // In the order of the dims of the mask.
    std::vector<double> turned;
    for (index_t x = 0; x < 3; ++x)
        for (index_t y = 0; y < 4; ++y)
            if (x > 0 && y != 2) turned.push_back(A(y, x, 1));
    CHECK(pv::to_vector(pv::Tensor<double>(A(i, j, 1, j > 0 && i != 2))) == turned);
}

TEST_CASE("a mask with axes of its own takes them") {
    const auto A = counted({4, 3});
    const auto M = pv::cast<bool>(pv::tensor({{1, 0, 0}, {0, 0, 0}, {1, 1, 1}, {0, 1, 0}}));
    const auto [i, j] = pv::dims("i", "j");
    const std::vector<double> expected{0., 6., 7., 8., 10.};
    CHECK(pv::to_vector(pv::Tensor<double>(A(i, M(i)))) == expected);
    CHECK(pv::to_vector(pv::Tensor<double>(A(i, j, M(i, j)))) == expected);
    CHECK(pv::to_vector(pv::Tensor<double>(A(M))) == expected);
    // A batch of tensors, and a mask that another dim has, too.
    const auto B = counted({2, 4, 3});
    const pv::Dim b("b");
    const pv::Tensor<double> each = B(b, i, j, M(i, j)) | pv::order(b);
    for (index_t n = 0; n < 2; ++n)
        CHECK(pv::to_vector(each(n, pv::all)) == pv::to_vector(B(n, pv::ellipsis)(M)));
}

TEST_CASE("a mask without dims takes as many axes as it has, beside dims") {
    const auto image = counted({2, 3, 2});
    const auto mask = pv::tensor({{true, false, true}, {false, false, true}});
    const auto [c] = pv::dims("c");
    const auto pixels = pv::take(pv::reshape(image, {6, 2}), pv::tensor({0, 2, 5}), 0);
    CHECK(equal<double>(image(mask, c) | pv::sum(c), pv::sum(pixels, 1)));
    CHECK(equal<double>(pv::transpose(image, {2, 0, 1})(c, mask) | pv::order(c),
                        pv::transpose(pixels)));
}

TEST_CASE("masks over dims of no and of all elements, and of rank 0") {
    const auto A = counted({4, 3});
    const auto [i, j] = pv::dims("i", "j");
    CHECK((A(i, j, i < 0) | pv::order(j)).shape() == pv::Shape{3, 0});
    CHECK(equal<double>(A(i, j, i >= 0 && j >= 0), pv::reshape(A, {12})));
    const auto yes = pv::any_of(i >= 0, i); // bool, without dims and axes
    CHECK(equal<double>(A(i, j, yes) | pv::order(i, j), pv::reshape(A, {4, 3, 1})));
    CHECK((A(i, j, !yes) | pv::order(i, j)).shape() == pv::Shape{4, 3, 0});
    const auto none = counted({0, 3});
    const auto [k, l] = pv::dims("k", "l");
    CHECK((none(k, l, k > 0) | pv::order(l)).shape() == pv::Shape{3, 0});
}

TEST_CASE("what a mask over dims chooses can be written") {
    const auto A = counted({4, 3});
    const auto [i, j] = pv::dims("i", "j");
    pv::MutableTensor<double> chosen = A(i, j, i > j) | pv::order();
    pv::fill(chosen, -1.);
    for (index_t y = 0; y < 4; ++y)
        for (index_t x = 0; x < 3; ++x)
            CHECK(A(y, x) == (y > x ? -1. : static_cast<double>(3 * y + x)));
}

TEST_CASE("masks over dims are refused in words") {
    const auto A = counted({4, 3});
    const auto [i, j] = pv::dims("i", "j");
    const pv::Dim k("k", 2);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(A(i, j, k > 0)); }) ==
          "indexing: the mask has Dim 'k', and the tensor has dims (i, j)");
    CHECK(message_of<pv::IndexError>([&] { static_cast<void>(A(i, j, i > 0, j > 0)); }) ==
          "indexing: there are two masks over dims: join them by &&");
    // Nothing is bound by what fails.
    const auto [a, b] = pv::dims("a", "b");
    CHECK_THROWS_AS(A(a, b, k > 0), pv::DimError);
    CHECK_FALSE(a.has_size());
    CHECK_THROWS_AS(A(a, pv::cast<bool>(counted({4, 2}))(a)), pv::DimError);
    CHECK_FALSE(b.has_size());
}

} // namespace mask_dims_test
