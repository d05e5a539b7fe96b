#include <purview/tensor/as_span.hpp>
#include <purview/tensor/views.hpp>

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace wrap_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

} // namespace

TEST_CASE("foreign memory is written through") {
    auto memory = std::make_shared<std::vector<double>>(6);
    const auto t = pv::wrap(memory->data(), {2, 3}, memory);
    t(1, 2) = 5.0;
    CHECK((*memory)[5] == 5.0);
    (*memory)[0] = 1.0;
    CHECK(t(0, 0) == 1.0);
    const auto backwards = pv::wrap(memory->data() + 5, {6}, {-1}, memory);
    CHECK(backwards(0) == 5.0);
    CHECK(pv::shares_storage(t, backwards));
    const auto repeated = pv::wrap(memory->data(), {4, 2}, {0, 1}, memory);
    CHECK(repeated.is_read_only());
    CHECK_THROWS_AS(repeated(0, 0) = 1.0, pv::ReadOnlyError);
    CHECK(pv::to_vector(repeated)[6] == 1.0);
}

TEST_CASE("a C array and a moved owner") {
    int numbers[4] = {1, 2, 3, 4};
    const auto t = pv::borrow(&numbers[0], {2, 2});
    pv::fill(t(pv::all, 1), 0);
    CHECK(numbers[1] == 0);
    CHECK(numbers[3] == 0);
    auto owner = std::make_unique<int[]>(3);
    int* const data = owner.get();
    const auto owned = pv::wrap(data, {3}, {1}, std::shared_ptr<int[]>(std::move(owner)));
    CHECK(pv::sum(owned) == 0);
}

TEST_CASE("layouts that leave their span are ShapeErrors") {
    auto memory = std::make_shared<std::vector<float>>(12);
    const std::span<float> span(*memory);
    CHECK_NOTHROW(pv::wrap(span, {3, 4}, memory));
    CHECK_NOTHROW(pv::wrap(span, {3, 2}, {4, 2}, memory));
    CHECK_THROWS_AS(pv::wrap(span, {3, 5}, memory), pv::ShapeError);
    CHECK_THROWS_AS(pv::wrap(span, {13}, memory), pv::ShapeError);
    CHECK_THROWS_AS(pv::wrap(span, {2}, {-1}, memory), pv::ShapeError);
    CHECK_THROWS_AS(pv::wrap(span, {3, 4}, {5, 1}, memory), pv::ShapeError);
    CHECK_THROWS_WITH(pv::wrap(span, {3, 4}, {5, 1}, memory),
                      ContainsSubstring("13") && ContainsSubstring("12"));
    CHECK_NOTHROW(pv::wrap(span, {0, 4}, {5000, 1}, memory));
    constexpr auto huge = std::numeric_limits<pv::index_t>::max();
    CHECK_THROWS_AS(pv::wrap(span, {3, 4}, {huge, huge}, memory), pv::ShapeError);
    CHECK_THROWS_AS(pv::wrap(memory->data(), {3, 4}, {huge, huge}, memory), pv::ShapeError);
    CHECK_THROWS_AS(pv::wrap(memory->data(), {3, 4}, {1}, memory), pv::ShapeError);
    CHECK_THROWS_AS(pv::wrap(static_cast<float*>(nullptr), {3}, memory), pv::ShapeError);
    CHECK_NOTHROW(pv::wrap(static_cast<float*>(nullptr), {0}, memory));
    CHECK_THROWS_AS(pv::borrow(*memory, {4, 4}), pv::ShapeError);
}

TEST_CASE("foreign bools are byte != 0, and misaligned elements are read and written") {
    std::vector<std::uint8_t> bytes{0, 1, 2, 255};
    const auto flags = pv::borrow(reinterpret_cast<const bool*>(bytes.data()), {4});
    CHECK(pv::to_vector(flags) == std::vector<bool>{false, true, true, true});
    CHECK(pv::sum(flags) == 3);
    CHECK(pv::all_of(flags(pv::range(1, 4))));
    CHECK(pv::to_vector(flags == true) == std::vector<bool>{false, true, true, true});
    CHECK(pv::to_vector(pv::where(flags, 1, 0)) == std::vector<int>{0, 1, 1, 1});
    CHECK(pv::to_vector(pv::cast<int>(flags)) == std::vector<int>{0, 1, 1, 1});
    const auto copy = pv::clone(flags);
    std::uint8_t stored[4];
    std::memcpy(stored, copy.description().storage.address, 4);
    CHECK(stored[3] == 1);

    std::vector<std::byte> raw(1 + 8 * 100);
    const auto odd = pv::borrow(reinterpret_cast<double*>(raw.data() + 1), {10, 10});
    pv::copy(pv::reshape(pv::arange(100.0), {10, 10}), pv::transpose(odd));
    odd(0, 0) += 0.5;
    CHECK(odd(0, 9) == 90.0);
    CHECK(pv::sum(odd * 2.0) == 9901.0);
    CHECK(odd.description().layout->alignment == 1);
}

TEST_CASE("an AnyTensor takes its type back, or says why not") {
    const pv::AnyTensor any = pv::tensor({{1, 2}, {3, 4}});
    CHECK(any.as<std::int32_t>()(1, 1) == 4);
    any.as_mutable<std::int32_t>()(1, 1) = 9;
    CHECK((any | pv::select(1, 1)).item<std::int32_t>() == 9);
    CHECK_THROWS_AS(any.as<double>(), pv::DtypeError);
    CHECK_THROWS_WITH(any.as<double>(), ContainsSubstring("float64") && ContainsSubstring("int32"));
    CHECK_THROWS_AS(any.item<std::int32_t>(), pv::ShapeError);
    CHECK_THROWS_AS(any(0, 0).item<float>(), pv::DtypeError);
    CHECK(any(0, pv::all).shape() == pv::Shape{2});
    CHECK(pv::sum(any + any).item<std::int64_t>() == 30);
    CHECK(pv::to_vector((any | pv::transpose | pv::rotate({1, 0})).as<std::int32_t>()) ==
          std::vector<std::int32_t>{2, 9, 1, 3});
    CHECK(pv::slice(any, 1).size() == 2);
    CHECK_THROWS_AS(pv::AnyTensor(pv::tensor({"a"})) + any, pv::DtypeError);
    CHECK_THROWS_AS(pv::copy(pv::AnyTensor(pv::tensor({"a", "b"})), any), pv::DtypeError);
}

TEST_CASE("what cannot be written can still be read element by element") {
    const auto t = pv::arange(6.0);
    const auto twice = t(pv::indexes({1, 1, 2}));
    CHECK(twice(2) == 2.0);
    double sum = 0;
    for (const double x : twice) sum += x;
    CHECK(sum == 4.0);
}

TEST_CASE("an array has a length, which a layout may not leave") {
    int numbers[] = {1, 2, 3};
    CHECK_THROWS_AS(pv::borrow(numbers, {2, 2}), pv::ShapeError);
    CHECK(pv::sum(pv::borrow(numbers, {3})) == 6);
}

TEST_CASE("a contiguous tensor is a span") {
    const auto t = pv::arange(6.0) | pv::reshape({2, 3});
    CHECK(pv::as_span(t).size() == 6);
    pv::as_span(t(1, pv::all))[0] = 30;
    CHECK(t(1, 0) == 30);
    CHECK_THROWS_AS(pv::as_span(t | pv::transpose), pv::ShapeError);
    CHECK_THROWS_AS(pv::as_span(t + 1), pv::ShapeError);
    CHECK(pv::as_span(pv::zeros({0, 3})).empty());
}

TEST_CASE("a handle that was moved from is not half of one") {
    auto a = pv::arange(3);
    const auto b = std::move(a);
    CHECK(pv::sum(b) == 3);
    CHECK(pv::sum(a) == 3);
}

TEST_CASE("a null reader makes no tensor") {
    CHECK_THROWS_AS(pv::tensor(std::shared_ptr<pv::Buffer<int>>()), pv::Error);
    CHECK_THROWS_AS(pv::const_tensor(1.0, {pv::index_t{1} << 61}).size_bytes(), pv::ShapeError);
}

} // namespace wrap_test
