#include <support/reader_laws.hpp>

#include <purview/ranges.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/elements.hpp>
#include <purview/reader/indexed_buffer.hpp>
#include <purview/reader/list.hpp>
#include <purview/reader/make_reader.hpp>
#include <purview/reader/range_reader.hpp>
#include <purview/reader/reverse.hpp>

#include <range/v3/algorithm.hpp>
#include <range/v3/numeric.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view.hpp>

#include <algorithm>
#include <functional>
#include <ranges>

namespace ranges_test {

namespace pv = purview;
namespace rv = ::ranges::views;
using namespace reader_laws;

static_assert(::ranges::random_access_range<const pv::Reader<double>>);
static_assert(::ranges::sized_range<const pv::Reader<std::string>>);
static_assert(::ranges::random_access_range<pv::Buffer<std::string>>);
static_assert(::ranges::sortable<pv::ElementIterator<bool>>);
static_assert(::ranges::sortable<pv::ElementIterator<std::string>>);
static_assert(std::same_as<::ranges::common_reference_t<pv::Element<double>, double&>, double>);
static_assert(!::ranges::view_<pv::Buffer<double>>);

TEMPLATE_TEST_CASE("range-v3 sorts and changes a writable reader", "", READER_TYPES) {
    for (const index_t n : {0, 1, 2, 50, 500}) {
        Values<TestType> expected = Values<TestType>::samples(n);
        const auto buffer = pv::allocate_buffer<TestType>(n);
        buffer->write_block(0, 1, expected.span());
        ::ranges::sort(*buffer);
        std::sort(expected.begin(), expected.end());
        check_reads<TestType>(*buffer, expected);
        ::ranges::sort(*pv::reverse(buffer));
        std::reverse(expected.begin(), expected.end());
        check_reads<TestType>(*buffer, expected);
        ::ranges::stable_sort(*buffer);
        std::reverse(expected.begin(), expected.end());
        check_reads<TestType>(*buffer, expected);

        const auto plain = std::make_shared<Plain<TestType>>(n);
        auto elements = pv::elements(plain);
        ::ranges::sort(elements, std::greater{});
        ::ranges::reverse(elements);
        check_reads<TestType>(*plain, expected);
        ::ranges::copy(expected, pv::elements(buffer).begin());
        ::ranges::fill(*buffer, sample<TestType>(2));
        CHECK(::ranges::count(std::as_const(*buffer), sample<TestType>(2)) == n);
    }
}

TEST_CASE("Views of range-v3 read") {
    const pv::ReaderPtr<index_t> reader = pv::range_reader(10);
    CHECK((*reader | rv::transform([](index_t i) { return i * i; }) |
           rv::filter([](index_t i) { return i % 2 == 1; }) | rv::take(3) |
           ::ranges::to<std::vector>) == std::vector<index_t>{1, 9, 25});
    CHECK(::ranges::equal(*reader | rv::reverse | rv::drop(7), std::vector{2, 1, 0}));
    CHECK(::ranges::accumulate(*reader, index_t{0}) == 45);
    const auto strings =
        pv::make_reader(3, [](index_t i) { return std::string(1, char('a' + i)); });
    CHECK((*strings | rv::join | ::ranges::to<std::string>) == "abc");
    const pv::List<int> list{3, 1, 2};
    CHECK(::ranges::max(list) == 3);
}

TEST_CASE("Views of range-v3 write") {
    const auto buffer = pv::buffer_from_vector(std::vector{5, 4, 3, 2, 1});
    ::ranges::sort(*buffer | rv::drop(2));
    CHECK(::ranges::equal(std::as_const(*buffer), std::vector{5, 4, 1, 2, 3}));
    for (auto element : *buffer | rv::take(2)) element *= 10;
    CHECK(::ranges::equal(std::as_const(*buffer), std::vector{50, 40, 1, 2, 3}));
}

TEST_CASE("Views of range-v3 are readers") {
    const auto computed =
        pv::as_reader(rv::iota(0, 300) | rv::transform([](int i) { return i * 2; }) | rv::reverse);
    Values<int> expected(300);
    for (index_t i = 0; i < 300; ++i) expected[i] = static_cast<int>(2 * (299 - i));
    check_reads<int>(*computed, expected);
    const auto numbers = rv::iota(0, 4);
    CHECK(pv::as_reader(numbers)->read(3) == 3);
    CHECK(::ranges::equal(*pv::indexed_buffer(rv::iota(1, 3), computed), std::vector{596, 594}));

    using Vector = std::vector<int>;
    static_assert(pv::borrows_elements<::ranges::ref_view<Vector>>());
    static_assert(pv::borrows_elements<decltype(std::declval<Vector&>() |
                                                rv::transform([](int i) { return i; }))>());
    static_assert(
        pv::borrows_elements<decltype(std::declval<Vector&>() | rv::take(2) | rv::reverse)>());
    static_assert(pv::borrows_elements<::ranges::subrange<int*>>());

    Vector vector{1, 2, 3};
    CHECK(pv::borrow_reader(vector | rv::transform([](int i) { return i + 1; }))->read(2) == 4);
}

} // namespace ranges_test
