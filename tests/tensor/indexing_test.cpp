#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <vector>

namespace indexing_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using S = pv::Shape;
using V = std::vector<std::int32_t>;

pv::MutableTensor<std::int32_t> counted(pv::AxisValues shape) {
    pv::index_t n = 1;
    for (const pv::index_t extent : shape) n *= extent;
    return pv::reshape(pv::arange(static_cast<std::int32_t>(n)), shape);
}

} // namespace

TEST_CASE("integers for every axis mean one element") {
    const auto t = counted({3, 4});
    STATIC_REQUIRE(std::same_as<decltype(t(0, 0)), pv::Element<std::int32_t>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::Tensor<std::int32_t>(t)(0, 0)), std::int32_t>);
    CHECK(t(2, 3) == 11);
    CHECK(t(-1, -1) == 11);
    CHECK(t(-3, -4) == 0);
    CHECK(t(std::uint8_t{1}, 2L) == 6);
    t(1, 1) = 100;
    CHECK(t(1, -3) == 100);
    t(1, 1) += 5;
    CHECK(t(1, 1) == 105);
    pv::full<int>({}, 3)() = 4;
    CHECK(pv::full<int>({}, 3)() == 3);
#ifdef __cpp_multidimensional_subscript
    CHECK(t[1, 1] == 105);
    t[0, 0] = 8;
    CHECK(t[0, 0] == 8);
    CHECK(pv::to_vector(t[2, pv::all]) == V{8, 9, 10, 11});
#endif
}

TEST_CASE("an index out of range names itself, the axis and its size") {
    const auto t = counted({3, 4});
    CHECK_THROWS_AS(t(3, 0), pv::IndexError);
    CHECK_THROWS_WITH(t(3, 0), ContainsSubstring("3") && ContainsSubstring("axis 0"));
    CHECK_THROWS_WITH(t(0, -5), ContainsSubstring("-5") && ContainsSubstring("axis 1") &&
                                    ContainsSubstring("size 4"));
    CHECK_THROWS_WITH(t(pv::all, 4), ContainsSubstring("4") && ContainsSubstring("axis 1") &&
                                         ContainsSubstring("size 4"));
    CHECK_THROWS_AS(t(pv::indexes({0, 3})), pv::IndexError);
    CHECK_THROWS_WITH(t(pv::indexes({0, 3})),
                      ContainsSubstring("3") && ContainsSubstring("axis 0"));
    CHECK_THROWS_AS(t(pv::indexes({-4})), pv::IndexError);
    CHECK_THROWS_AS((t + 1)(3, 0), pv::IndexError);
    CHECK_THROWS_AS((t + 1)(std::int64_t{1} << 62, 0), pv::IndexError);
    CHECK_THROWS_AS(t(std::numeric_limits<std::int64_t>::min(), 0), pv::IndexError);
    CHECK_THROWS_AS(t(std::uint64_t{1} << 63, pv::all), pv::IndexError);
    CHECK_THROWS_AS(t(~std::uint64_t{0}, pv::all), pv::IndexError);
    CHECK_THROWS_AS(t(std::vector<std::uint64_t>{~std::uint64_t{0}}), pv::IndexError);
    CHECK_THROWS_AS(counted({0})(0), pv::IndexError);
}

TEST_CASE("too many indexes are an error") {
    const auto t = counted({3, 4});
    CHECK_THROWS_AS(t(0, 0, 0), pv::IndexError);
    CHECK_THROWS_AS(t(pv::all, pv::all, pv::all), pv::IndexError);
    CHECK_THROWS_WITH(t(pv::all, 0, 0), ContainsSubstring("3") && ContainsSubstring("2"));
    CHECK_THROWS_AS(t(pv::ellipsis, pv::ellipsis), pv::IndexError);
    CHECK_THROWS_AS(t | pv::select(0, 0, 0), pv::IndexError);
}

TEST_CASE("missing trailing axes mean all") {
    const auto t = counted({2, 3, 4});
    CHECK((t | pv::select(1)).shape() == S{3, 4});
    CHECK(t(1, pv::all).shape() == S{3, 4});
    CHECK(t(pv::range(0, 1)).shape() == S{1, 3, 4});
    CHECK(t(pv::ellipsis).shape() == S{2, 3, 4});
    CHECK(t(pv::ellipsis, 0).shape() == S{2, 3});
    CHECK(t(0, pv::ellipsis, 0).shape() == S{3});
    CHECK((t | pv::select(1, 2, 3)).rank() == 0);
    CHECK((t | pv::select(1, 2, 3)).item() == 23);
}

TEST_CASE("ranges clip as Python's slices do") {
    const auto t = pv::arange(5);
    CHECK(pv::to_vector(t(pv::range(1, 3))) == V{1, 2});
    CHECK(pv::to_vector(t(pv::range(-2, 100))) == V{3, 4});
    CHECK(pv::to_vector(t(pv::range(-100, 2))) == V{0, 1});
    CHECK(pv::to_vector(t(pv::range(std::nullopt, std::nullopt, -1))) == V{4, 3, 2, 1, 0});
    CHECK(pv::to_vector(t(pv::range(100, -100, -2))) == V{4, 2, 0});
    CHECK(pv::to_vector(t(pv::range(3, 1))).empty());
    CHECK(pv::to_vector(t(pv::range(1, std::nullopt, 3))) == V{1, 4});
    constexpr auto kMost = std::numeric_limits<pv::index_t>::max();
    constexpr auto kLeast = std::numeric_limits<pv::index_t>::min();
    CHECK(pv::to_vector(t(pv::range(kLeast, kMost))) == V{0, 1, 2, 3, 4});
    CHECK(pv::to_vector(t(pv::range(1, kMost, kMost))) == V{1});
    CHECK(pv::to_vector(t(pv::range(kMost, kLeast, kLeast))) == V{4});
    CHECK_THROWS_AS(pv::range(0, 5, 0), pv::IndexError);
}

TEST_CASE("several index lists select orthogonally") {
    const auto t = counted({3, 4});
    const auto picked = t(pv::indexes({2, 0}), pv::indexes({3, 3, 0}));
    CHECK(picked.shape() == S{2, 3});
    CHECK(pv::to_vector(picked) == V{11, 11, 8, 3, 3, 0});
}

TEST_CASE("index lists come from lists, ranges and tensors of integers") {
    const auto t = pv::arange(6);
    const V expected{5, 0, 2};
    CHECK(pv::to_vector(t(pv::indexes({-1, 0, 2}))) == expected);
    CHECK(pv::to_vector(t(std::vector<short>{5, 0, 2})) == expected);
    CHECK(pv::to_vector(t(std::vector<unsigned char>{5, 0, 2})) == expected);
    CHECK(pv::to_vector(t(pv::tensor({-1, 0, 2}))) == expected);
    CHECK(pv::to_vector(t(pv::tensor({5, 0, 2}) + 0)) == expected);
    CHECK(pv::to_vector(t(pv::AnyTensor(pv::tensor<std::uint8_t>({5, 0, 2})))) == expected);
    CHECK(pv::to_vector(t(std::views::iota(1, 3))) == V{1, 2});
    CHECK_THROWS_AS(t(pv::AnyTensor(pv::tensor({1.0}))), pv::DtypeError);
    CHECK_THROWS_AS(t(pv::AnyTensor(pv::tensor({{1, 2}}))), pv::Error);
}

TEST_CASE("lists of any length are copied when they are given, and checked") {
    const auto x = counted({1000});
    for (const std::size_t size : {0u, 1u, 511u, 512u, 513u, 5000u, (1u << 21) + 3u}) {
        std::vector<std::int64_t> list(size);
        for (std::size_t i = 0; i < size; ++i)
            list[i] = static_cast<std::int64_t>(i * 7919 % 2000) - 1000;
        V expected;
        for (const std::int64_t i : list)
            expected.push_back(static_cast<std::int32_t>(i < 0 ? i + 1000 : i));
        const auto tensor = pv::tensor(list);
        const auto of_vector = x(list);
        const auto of_tensor = x(tensor);
        if (size > 0) {
            list[size / 2] = 0;
            tensor(static_cast<pv::index_t>(size / 2)) = 0;
        }
        CHECK((pv::to_vector(of_vector) == expected));
        CHECK((pv::to_vector(of_tensor) == expected));
        if (size == 0) continue;
        for (const std::int64_t outside : {1000, -1001}) {
            list.back() = outside;
            tensor(-1) = outside;
            CHECK_THROWS_AS(x(list), pv::IndexError);
            CHECK_THROWS_AS(x(tensor), pv::IndexError);
        }
    }
}

TEST_CASE("a mask is as long as its axis, or of the whole shape") {
    const auto t = counted({2, 3});
    const std::vector<bool> mask{true, false, true};
    CHECK(pv::to_vector(t(pv::all, mask)) == V{0, 2, 3, 5});
    CHECK(t(pv::all, mask).shape() == S{2, 2});
    const auto whole = t(t > 2);
    CHECK(whole.shape() == S{3});
    CHECK(pv::to_vector(whole) == V{3, 4, 5});
    CHECK_THROWS(t(mask));
    CHECK_THROWS_AS(t(pv::transpose(t > 2)), pv::Error);
    CHECK_THROWS_AS(t(t > 2, 0), pv::Error);
    pv::fill(t(t > 2), 0);
    CHECK(pv::sum(t) == 3);
    CHECK(pv::to_vector(pv::arange(3)(pv::tensor({true, false, true}))) == V{0, 2});
}

// NumPy's image[mask], image[mask, 0], x[:, mask], x[..., mask].
TEST_CASE("a mask selects from as many axes as it has") {
    const auto image = counted({2, 3, 2});
    const auto mask = pv::tensor({{true, false, true}, {false, false, true}});
    const auto pixels = image(mask);
    CHECK(pixels.shape() == S{3, 2});
    CHECK(pv::to_vector(pixels) == V{0, 1, 4, 5, 10, 11});
    CHECK(pv::to_vector(image | pv::select(mask)) == V{0, 1, 4, 5, 10, 11});
    CHECK(pv::to_vector(image(mask, 1)) == V{1, 5, 11});
    CHECK(pv::to_vector(image(mask, pv::all)) == V{0, 1, 4, 5, 10, 11});
    CHECK(pv::to_vector(image(mask, pv::ellipsis)) == V{0, 1, 4, 5, 10, 11});
    CHECK(image(mask, pv::new_axis, 0).shape() == S{3, 1});
    CHECK(pv::to_vector(image(mask, {1, 0})) == V{1, 0, 5, 4, 11, 10});
    CHECK(pv::to_vector((image * 2)(mask, 0)) == V{0, 8, 20});
    CHECK(pv::to_vector(pv::AnyTensor(image)(mask).as<int>()) == V{0, 1, 4, 5, 10, 11});
    // Behind other axes.
    const auto planes = pv::transpose(image, {2, 0, 1});
    CHECK(pv::to_vector(planes(pv::all, mask)) == V{0, 4, 10, 1, 5, 11});
    CHECK(pv::to_vector(planes(1, mask)) == V{1, 5, 11});
    CHECK(pv::to_vector(planes(pv::ellipsis, mask)) == V{0, 4, 10, 1, 5, 11});
    CHECK(pv::to_vector(planes(pv::range({}, {}, -1), mask)) == V{1, 5, 11, 0, 4, 10});

    image(mask) = 0;
    CHECK(pv::to_vector(image) == V{0, 0, 2, 3, 0, 0, 6, 7, 8, 9, 0, 0});
    image(mask) = pv::tensor({7, 9});
    CHECK(pv::to_vector(image(mask)) == V{7, 9, 7, 9, 7, 9});
    image(mask, 1) = image(mask, 1) + 1;
    CHECK(pv::to_vector(image(mask, 1)) == V{10, 10, 10});
    const auto none = image(pv::zeros<bool>({2, 3}));
    CHECK(none.shape() == S{0, 2});

    CHECK_THROWS_MATCHES(
        image(pv::transpose(mask)), pv::IndexError,
        Catch::Matchers::Message("select: a mask of shape [3 2] does not fit the axes from 0 on of "
                                 "a tensor of shape [2 3 2]"));
    CHECK_THROWS_AS(image(pv::all, mask), pv::IndexError);
    CHECK_THROWS_AS(image(mask, 0, 0), pv::IndexError);
    CHECK_THROWS_AS(counted({2})(mask), pv::IndexError);
    CHECK_THROWS_AS(image(0, 0, 0, mask), pv::IndexError);
}

TEST_CASE("lists and masks are snapshots") {
    const auto t = pv::arange(4);
    const auto list = pv::tensor({0, 1});
    const auto mask = pv::tensor({true, true, false, false});
    const auto by_list = t(list);
    const auto by_mask = t(mask);
    pv::fill(list, 100);
    pv::fill(mask, false);
    CHECK(pv::to_vector(by_list) == V{0, 1});
    CHECK(pv::to_vector(by_mask) == V{0, 1});
}

TEST_CASE("new_axis inserts an axis in place") {
    const auto t = counted({2, 3});
    CHECK(t(pv::new_axis).shape() == S{1, 2, 3});
    CHECK(t(pv::all, pv::new_axis, pv::all).shape() == S{2, 1, 3});
    CHECK(t(pv::ellipsis, pv::new_axis).shape() == S{2, 3, 1});
    CHECK(t(0, pv::new_axis, pv::new_axis, 1).shape() == S{1, 1});
}

TEST_CASE("tensors are random-access ranges, and l-tensors can be sorted") {
    STATIC_REQUIRE(std::ranges::random_access_range<pv::Tensor<double>>);
    STATIC_REQUIRE(std::ranges::sized_range<pv::Tensor<double>>);
    STATIC_REQUIRE(std::ranges::view<pv::Tensor<double>>);
    STATIC_REQUIRE(std::ranges::view<pv::MutableTensor<double>>);
    STATIC_REQUIRE(std::ranges::random_access_range<const pv::MutableTensor<std::string>>);
    STATIC_REQUIRE(std::sortable<pv::MutableTensor<double>::iterator>);
    STATIC_REQUIRE(std::indirectly_writable<pv::MutableTensor<double>::iterator, double>);

    const auto t = counted({3, 4});
    std::ranges::sort(t(1, pv::all), std::greater{});
    CHECK(pv::to_vector(t(1, pv::all)) == V{7, 6, 5, 4});
    std::ranges::sort(t(pv::all, 0) | pv::flip);
    CHECK(pv::to_vector(t(pv::all, 0)) == V{8, 7, 0});
    std::ranges::sort(t | pv::rotate({1, 1}));
    CHECK(std::ranges::is_sorted(t | pv::rotate({1, 1})));
    CHECK(std::ranges::equal(pv::arange(3) | std::views::transform([](int x) { return x * x; }),
                             std::vector{0, 1, 4}));
    CHECK(std::accumulate(t.begin(), t.end(), 0) == 66);
    std::ranges::fill(t(pv::range(0, 2)), 9);
    CHECK(pv::sum(t(pv::range(0, 2))) == 72);
    CHECK(std::ranges::max(pv::Tensor<double>(pv::arange(5.0) * 2)) == 8.0);
}

TEST_CASE("slices iterate sub-tensors") {
    const auto image = counted({2, 3, 4});
    CHECK(pv::slice(image, 2).size() == 6);
    CHECK(pv::to_vector(pv::slice(image, 2)[4]) == V{16, 17, 18, 19});
    CHECK(pv::slice(image, 1)[1].shape() == S{3, 4});
    CHECK(pv::slice(image, 3).size() == 24);
    CHECK(pv::slice(image, 3)[23].item() == 23);
    CHECK(pv::slice(image, 0).size() == 1);
    CHECK(pv::slice_right(image, 1).size() == 4);
    CHECK(pv::slice_right(image, 1)[1].shape() == S{2, 3});
    CHECK(pv::to_vector(pv::slice_right(image, 1)[1]) == V{1, 5, 9, 13, 17, 21});
    CHECK(pv::slice_right(image, 2)[5].shape() == S{2});
    CHECK(pv::to_vector(pv::slice_right(image, 2)[5]) == V{5, 17});
    CHECK_THROWS_AS(pv::slice(image, 4), pv::IndexError);
    CHECK_THROWS_AS(pv::slice(image, -1), pv::IndexError);
    CHECK_THROWS_AS(pv::slice(image, 1)[2], pv::IndexError);
    CHECK(pv::to_vector(pv::slice(image, 1)[-1]) == pv::to_vector(image | pv::select(1)));
    int rows = 0;
    for (const auto row : pv::rows(counted({5, 2}))) rows += static_cast<int>(pv::sum(row));
    CHECK(rows == 45);
    std::vector<std::int64_t> sums;
    for (const auto& column : counted({2, 3}) | pv::columns) sums.push_back(pv::sum(column));
    CHECK(sums == std::vector<std::int64_t>{3, 5, 7});
    for (const auto row : image | pv::slice(1)) pv::fill(row, 1);
    CHECK(pv::sum(image) == 24);
    CHECK(pv::slice(pv::zeros({0, 3}), 1).empty());
    CHECK(std::ranges::distance(pv::slice(pv::zeros({3, 0}), 2)) == 0);
}

TEST_CASE("a huge unsigned element index is out of range, not the last one") {
    const auto t = counted({3, 4});
    CHECK_THROWS_AS(t(~std::uint64_t{0}, 0), pv::IndexError);
    CHECK_THROWS_AS(pv::Tensor<std::int32_t>(t)(0, ~std::uint64_t{0}), pv::IndexError);
}

} // namespace indexing_test
