#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <cstdint>
#include <vector>

namespace storage_test {

namespace {

namespace pv = purview;
using S = pv::Shape;

} // namespace

// Stevens & Antiga, Deep Learning with PyTorch, chapter 3.
TEST_CASE("storage behaves as PyTorch's does") {
    const auto points = pv::tensor({{4.0F, 1.0F}, {5.0F, 3.0F}, {2.0F, 1.0F}});
    CHECK(points.strides() == S{2, 1});
    CHECK(points.storage_offset() == 0);
    CHECK(points.storage().shape() == S{6});
    CHECK(pv::to_vector(points.storage()) == std::vector<float>{4, 1, 5, 3, 2, 1});

    SECTION("row 1 is a view with offset 2 and stride 1") {
        const auto row = points(1, pv::all);
        CHECK(row.shape() == S{2});
        CHECK(row.storage_offset() == 2);
        CHECK(row.strides() == S{1});
        CHECK(pv::shares_storage(row, points));
        row(0) = 10.0F;
        CHECK(points(1, 0) == 10.0F);
        CHECK(points.storage()(2) == 10.0F);
    }
    SECTION("a clone is independent") {
        const auto copy = points(1, pv::all) | pv::clone;
        CHECK_FALSE(pv::shares_storage(copy, points));
        copy(0) = 10.0F;
        CHECK(points(1, 0) == 5.0F);
        CHECK(copy.storage_offset() == 0);
    }
    SECTION("writing to the storage shows in every tensor over it") {
        const auto transposed = pv::transpose(points);
        points.storage()(0) = 2.0F;
        CHECK(points(0, 0) == 2.0F);
        CHECK(transposed(0, 0) == 2.0F);
        transposed.storage()(1) = 7.0F;
        CHECK(points(0, 1) == 7.0F);
    }
    SECTION("a transpose shares storage and is not contiguous") {
        const auto t = pv::transpose(points);
        CHECK(pv::shares_storage(t, points));
        CHECK(t.shape() == S{2, 3});
        CHECK(t.strides() == S{1, 2});
        CHECK_FALSE(t.is_contiguous());
        CHECK(points.is_contiguous());
        const auto c = t | pv::contiguous;
        CHECK(c.is_contiguous());
        CHECK(c.strides() == S{3, 1});
        CHECK(pv::to_vector(c) == std::vector<float>{4, 5, 2, 1, 3, 1});
        CHECK(pv::to_vector(c.storage()) == std::vector<float>{4, 5, 2, 1, 3, 1});
        CHECK_FALSE(pv::shares_storage(c, t));
    }
    SECTION("contiguous of what is contiguous is itself") {
        CHECK(pv::shares_storage(points | pv::contiguous, points));
    }
}

TEST_CASE("axes 0 and 2 of a (3,4,5) swapped have strides (1,5,20)") {
    const auto t = pv::ones({3, 4, 5});
    CHECK(t.strides() == S{20, 5, 1});
    const auto swapped = t | pv::swap_axes(0, 2);
    CHECK(swapped.shape() == S{5, 4, 3});
    CHECK(swapped.strides() == S{1, 5, 20});
    CHECK_FALSE(swapped.is_contiguous());
}

TEST_CASE("a million float32 take four million bytes") {
    const auto t = pv::zeros<float>({1'000'000});
    CHECK(t.size_bytes() == 4'000'000);
    CHECK(t.storage().size_bytes() == 4'000'000);
    CHECK(t.description().storage.bytes == 4'000'000);
    CHECK(t(pv::range(10, 20)).storage().size_bytes() == 4'000'000);
    CHECK(pv::zeros<bool>({10}).size_bytes() == 10);
}

TEST_CASE("strides follow the order asked for") {
    CHECK(pv::empty({5, 3, 2}).strides() == S{6, 2, 1});
    CHECK(pv::empty({5, 3, 2}, pv::Order::column_major).strides() == S{1, 5, 15});
    CHECK(pv::transpose(pv::empty({2, 2}), {1, 0}).strides() == S{1, 2});
    CHECK(pv::zeros<int>({2, 3}, pv::Order::column_major).strides() == S{1, 2});
    CHECK_FALSE(pv::zeros<int>({2, 3}, pv::Order::column_major).is_contiguous());
}

TEST_CASE("row and column selects have the strides of the page") {
    const auto t = pv::arange(4.0) | pv::reshape({2, 2});
    CHECK(t(0, pv::all).strides() == S{1});
    CHECK(t(pv::all, 0).strides() == S{2});
    CHECK(t(pv::all, 1).storage_offset() == 1);
    CHECK(t(pv::range(std::nullopt, std::nullopt, -1)).strides() == S{-2, 1});
    CHECK(t(pv::range(std::nullopt, std::nullopt, -1)).storage_offset() == 2);
}

TEST_CASE("padded allocation: size >= shape, from which strides follow") {
    const auto t = pv::padded({5, 3, 2}, {5, 4, 2});
    CHECK(t.shape() == S{5, 3, 2});
    CHECK(t.strides() == S{8, 2, 1});
    CHECK(t.storage().size() == 40);
    CHECK_FALSE(t.is_contiguous());
    CHECK(t.description().layout->size == S{5, 4, 2});
    CHECK(pv::sum(t) == 0.0);

    const auto turned = pv::transpose(t, {2, 0, 1});
    CHECK(turned.strides() == S{1, 8, 2});
    CHECK(turned.description().layout->size == S{2, 5, 4});
    CHECK(turned.shape() == S{2, 5, 3});

    CHECK_THROWS_AS(pv::padded({5, 3}, {5, 2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::padded({5, 3}, {5}), pv::ShapeError);
}

TEST_CASE("what strides do not describe has none") {
    const auto t = pv::arange(12.0) | pv::reshape({3, 4});
    CHECK_THROWS_AS((t + 1).strides(), pv::ShapeError);
    CHECK_THROWS_AS((t + 1).storage(), pv::ShapeError);
    CHECK_THROWS_AS((t + 1).storage_offset(), pv::ShapeError);
    CHECK_THROWS_AS((t | pv::rotate({0, 1})).strides(), pv::ShapeError);
    CHECK_THROWS_AS(t(pv::indexes({2, 0})).strides(), pv::ShapeError);
    CHECK_THROWS_AS((t | pv::broadcast({6, 4})).strides(), pv::ShapeError);
    CHECK((t(0, pv::all) | pv::broadcast({5, 4})).strides() == S{0, 1});
    CHECK((t | pv::rotate({0, 1})).storage().size() == 12);
}

TEST_CASE("shares_storage and may_overlap tell views from values") {
    const auto t = pv::arange(20.0);
    const auto even = t(pv::range(0, 20, 2));
    const auto odd = t(pv::range(1, 20, 2));
    CHECK(pv::shares_storage(even, odd));
    CHECK_FALSE(pv::may_overlap(even, odd));
    CHECK(pv::may_overlap(even, t));
    CHECK(pv::may_overlap(even + 1, t));
    CHECK_FALSE(pv::may_overlap(t, pv::clone(t)));
    CHECK_FALSE(pv::shares_storage(t, pv::clone(t)));
    CHECK_FALSE(pv::may_overlap(t(pv::range(0, 10)), t(pv::range(10, 20))));
    CHECK(pv::may_overlap(t(pv::range(0, 11)), t(pv::range(10, 20))));
    CHECK_FALSE(pv::may_overlap(t(pv::range(0, 0)), t));
}

TEST_CASE("two borrowed tensors over the same memory share and overlap") {
    std::vector<double> memory(10);
    const auto a = pv::borrow(memory.data(), {10});
    const auto b = pv::borrow(memory.data() + 5, {5});
    CHECK(pv::may_overlap(a, b));
    CHECK_FALSE(pv::may_overlap(a(pv::range(0, 5)), b));
}

} // namespace storage_test
