#include <support/reader_laws.hpp>

#include <purview/reader/as_reader.hpp>
#include <purview/reader/range_reader.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <ranges>
#include <string_view>

namespace as_reader_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("Containers are moved in", "", READER_TYPES) {
    const Values<TestType> samples = Values<TestType>::samples(25);
    std::vector<TestType> vector(samples.begin(), samples.end());
    if constexpr (std::same_as<TestType, bool>) {
        const auto reader = pv::as_reader(std::move(vector));
        check_reads<bool>(*reader, samples);
        check_writes(*reader);
    } else {
        const TestType* const data = vector.data();
        const pv::BufferPtr<TestType> reader = pv::as_reader(std::move(vector));
        CHECK(reader->memory().data == data);
        check_reads<TestType>(*reader, samples);
        check_writes(*reader);
    }
    const auto deque = pv::as_reader(std::deque<TestType>(samples.begin(), samples.end()));
    check_reads<TestType>(*deque, samples);
    check_writes(*deque);
    CHECK_FALSE(deque->memory());
    std::ranges::sort(*deque);
    CHECK(std::ranges::is_sorted(std::as_const(*deque)));

    std::array<TestType, 3> array{samples[0], samples[1], samples[2]};
    const pv::BufferPtr<TestType> kept = pv::as_reader(std::move(array));
    check_reads<TestType>(*kept, Values<TestType>::samples(3));
    check_writes(*kept);
}

TEST_CASE("Strings, const containers and copies") {
    const pv::BufferPtr<std::int8_t> text = pv::as_reader(std::string("text"));
    CHECK(text->read(1) == 'e');
    const std::vector<int> fixed{1, 2, 3};
    CHECK(pv::as_reader(std::vector<int>(fixed))->read(2) == 3);
    const pv::BufferPtr<int> copied = pv::as_reader(std::move(fixed)); // NOLINT: a copy, as always
    CHECK(copied->read(2) == 3);
    CHECK(fixed.size() == 3);
}

TEST_CASE("Views of computed and owned elements are kept") {
    const auto numbers = pv::as_reader(std::views::iota(index_t{3}, index_t{8}));
    CHECK(std::ranges::equal(*numbers, std::vector{3, 4, 5, 6, 7}));
    const auto squares =
        pv::as_reader(std::views::iota(0, 300) |
                      std::views::transform([](int i) { return i * i; }) | std::views::reverse);
    CHECK(squares->size() == 300);
    CHECK(squares->read(0) == 299 * 299);
    CHECK(squares->at(-1) == 0);
    static_assert(std::same_as<std::remove_cvref_t<decltype(*squares)>::value_type, int>);

    auto view = std::views::iota(0, 4);
    CHECK(pv::as_reader(view)->read(3) == 3);

    const auto owned = pv::as_reader(std::vector{1, 2, 3} | std::views::drop(1));
    CHECK(owned->read(0) == 2);
    CHECK(owned->memory());
    owned->write(0, 7);
    CHECK(owned->read(0) == 7);
    const auto negated =
        pv::as_reader(std::vector{1, 2, 3} | std::views::transform([](int i) { return -i; }));
    CHECK(negated->read(2) == -3);
    CHECK(pv::as_reader(std::views::single(5))->read(0) == 5);
}

TEST_CASE("What does not own its elements is recognised") {
    using Vector = std::vector<int>;
    using Function = int (*)(int);
    using Ref = std::ranges::ref_view<Vector>;
    using Owning = std::ranges::owning_view<Vector>;
    static_assert(pv::borrows_elements<std::span<int>>());
    static_assert(pv::borrows_elements<std::span<const int>>());
    static_assert(pv::borrows_elements<std::string_view>());
    static_assert(pv::borrows_elements<std::initializer_list<int>>());
    static_assert(pv::borrows_elements<std::ranges::subrange<int*>>());
    static_assert(pv::borrows_elements<std::ranges::subrange<std::deque<int>::iterator>>());
    static_assert(pv::borrows_elements<Ref>());
    static_assert(pv::borrows_elements<std::ranges::ref_view<std::deque<int>>>());
    static_assert(pv::borrows_elements<std::ranges::ref_view<std::vector<bool>>>());
    static_assert(pv::borrows_elements<std::ranges::ref_view<pv::Reader<int>>>());
    static_assert(pv::borrows_elements<std::ranges::take_view<Ref>>());
    static_assert(pv::borrows_elements<std::ranges::transform_view<Ref, Function>>());
    static_assert(pv::borrows_elements<
                  std::ranges::reverse_view<std::ranges::transform_view<Ref, Function>>>());
    static_assert(!pv::borrows_elements<Vector>());
    static_assert(!pv::borrows_elements<std::vector<bool>>());
    static_assert(!pv::borrows_elements<std::array<int, 3>>());
    static_assert(!pv::borrows_elements<Owning>());
    static_assert(!pv::borrows_elements<std::ranges::take_view<Owning>>());
    static_assert(!pv::borrows_elements<std::ranges::transform_view<Owning, Function>>());
    static_assert(!pv::borrows_elements<std::ranges::iota_view<int, int>>());
}

TEST_CASE("Memory is borrowed only by saying so") {
    std::vector<int> vector{1, 2, 3};
    const pv::BufferPtr<int> buffer = pv::borrow_reader(vector);
    buffer->write(0, 10);
    CHECK(vector[0] == 10);
    CHECK(buffer->memory().data == vector.data());
    CHECK(buffer->owner().use_count() == 0);

    const pv::ConstBufferPtr<int> reader = pv::borrow_reader(std::as_const(vector));
    CHECK(reader->read(0) == 10);
    const pv::BufferPtr<int> span = pv::borrow_reader(std::span(vector).subspan(1));
    CHECK(span->read(0) == 2);
    const pv::ConstBufferPtr<std::int8_t> text = pv::borrow_reader(std::string_view("text"));
    CHECK(text->read(3) == 't');
    int array[] = {4, 5};
    CHECK(pv::borrow_reader(array)->read(1) == 5);
    CHECK(pv::borrow_reader(array, 1)->size() == 1);
    const int* const pointer = array;
    const pv::ConstBufferPtr<int> read_only = pv::borrow_reader(pointer, 2);
    CHECK(read_only->size() == 2);

    std::deque<std::string> deque{"a", "b"};
    const auto strings = pv::borrow_reader(deque);
    strings->write(1, "c");
    CHECK(deque[1] == "c");
    CHECK(pv::borrow_reader(std::as_const(deque))->read(1) == "c");
    std::vector<bool> bits{true, false};
    pv::borrow_reader(bits)->write(1, true);
    CHECK(bits[1]);
    const auto doubled =
        pv::borrow_reader(vector | std::views::transform([](int i) { return 2 * i; }));
    vector[1] = 8;
    CHECK(doubled->read(1) == 16);

    CHECK_THROWS_AS(pv::borrow_reader(array, -1), pv::ShapeError);
    CHECK_THROWS_AS(pv::borrow_reader(static_cast<int*>(nullptr), 1), pv::ShapeError);
    CHECK(pv::borrow_reader(static_cast<int*>(nullptr), 0)->size() == 0);
}

TEST_CASE("A reader is a range, and so may be a reader again") {
    const auto range = pv::range_reader(5);
    const auto again = pv::borrow_reader(*range);
    CHECK(std::ranges::equal(*again, *range));
}

} // namespace as_reader_test
