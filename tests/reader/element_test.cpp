#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/elements.hpp>
#include <purview/reader/reverse.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <sstream>

namespace element_test {

namespace pv = purview;
using namespace reader_laws;

static_assert(std::random_access_iterator<pv::ElementIterator<double>>);
static_assert(std::sortable<pv::ElementIterator<bool>>);
static_assert(std::sortable<pv::ElementIterator<double>>);
static_assert(std::sortable<pv::ElementIterator<std::string>>);
static_assert(std::sortable<pv::ElementIterator<Point>>);
static_assert(std::indirectly_writable<pv::ElementIterator<std::string>, std::string>);
static_assert(std::same_as<std::common_reference_t<pv::Element<double>, double&>, double>);
static_assert(std::ranges::random_access_range<pv::Buffer<double>>);
static_assert(std::ranges::random_access_range<const pv::Buffer<double>>);
static_assert(std::ranges::sized_range<pv::Elements<double>>);
static_assert(std::ranges::view<pv::Elements<double>>);
static_assert(std::ranges::view<pv::ConstElements<double>>);
static_assert(!std::ranges::view<pv::Buffer<double>>);
static_assert(!std::is_convertible_v<double*, pv::Element<double>>);

TEST_CASE("An element of memory is read and written") {
    double value = 2;
    const pv::Element<double> element(&value);
    CHECK(element == 2);
    element = 5;
    CHECK(value == 5);
    element += 1;
    element *= 2;
    element -= 2;
    element /= 4;
    CHECK(value == 2.5);
    CHECK(++element == 3.5);
    CHECK(element-- == 3.5);
    CHECK(value == 2.5);
    const double sum = element + 1;
    CHECK(sum == 3.5);
    CHECK(element < 3);
    CHECK(element > 1);

    std::int8_t small = 100;
    pv::Element<std::int8_t> byte(&small);
    byte += std::int8_t{100}; // equal types wrap
    CHECK(small == static_cast<std::int8_t>(200));
    CHECK_THROWS_AS(byte -= 100, pv::CastError);
    byte = 6;
    byte <<= 2;
    byte |= 1;
    byte ^= 8;
    byte &= 0x1f;
    byte %= 16;
    byte >>= 0;
    CHECK(small == 1);

    bool flag = false;
    pv::Element<bool> switched(&flag);
    switched = true;
    CHECK(flag);
    CHECK(switched);
}

TEST_CASE("An element of a misaligned address is read and written") {
    alignas(8) std::byte memory[16] = {};
    const pv::Element<double> element(memory + 3);
    element = 0.25;
    CHECK(element == 0.25);
}

TEST_CASE("Assigning one element to another copies the value") {
    int a = 1;
    int b = 2;
    pv::Element<int> first(&a);
    pv::Element<int> second(&b);
    first = second;
    CHECK(a == 2);
    b = 7;
    CHECK(a == 2);
    std::as_const(first) = std::as_const(second);
    CHECK(a == 7);
    first = pv::Element<int>(first);
    CHECK(a == 7);
    pv::Element<int> alias = first;
    alias = 9;
    CHECK(a == 9);
    swap(first, second);
    CHECK((a == 7 && b == 9));
    int c = 3;
    swap(first, c);
    CHECK((a == 3 && c == 7));
    swap(c, second);
    CHECK((b == 7 && c == 9));
    std::ranges::swap(first, second);
    CHECK((a == 7 && b == 3));
    std::string x = "x";
    std::string y = "y";
    pv::Element<std::string> left(&x);
    pv::Element<std::string> right(&y);
    using std::swap;
    swap(left, right);
    CHECK((x == "y" && y == "x"));
}

TEST_CASE("Elements of class types compare, print and convert") {
    std::string text = "pear";
    const pv::Element<std::string> element(&text);
    CHECK(element == "pear");
    CHECK("pear" == element);
    CHECK(element != std::string("plum"));
    CHECK(element < std::string("plum"));
    CHECK(std::string("apple") < element);
    CHECK(element == element);
    element += " tree";
    CHECK(text == "pear tree");
    std::ostringstream out;
    out << element;
    CHECK(out.str() == "pear tree");
    element = "a string that is long enough to be allocated somewhere";
    const std::string copy = element;
    CHECK(copy == text);
    const std::string taken = element.take();
    CHECK(taken == copy);
    CHECK(text.empty());

    Point point{1, "x"};
    const pv::Element<Point> place(&point);
    place = Point{2, "y"};
    CHECK(place == Point{2, "y"});
    CHECK(place < Point{3, ""});
}

TEST_CASE("An element of a reader and writer calls them") {
    Plain<std::string> plain(5);
    const pv::Element<std::string> element(&plain, &plain, 3);
    CHECK(element == sample<std::string>(3));
    element = "three";
    CHECK(plain.read(3) == "three");
    CHECK(element.take() == "three");
    CHECK(plain.read(3) == "three");
    swap(element, pv::Element<std::string>(&plain, &plain, 0));
    CHECK(plain.read(0) == "three");
}

TEST_CASE("An element with an owner keeps the data alive") {
    int released = 0;
    {
        auto element = [&] {
            auto* const value = new double(4);
            pv::Owner owner(value, [&](const void* p) {
                ++released;
                delete static_cast<const double*>(p);
            });
            return pv::Element<double>(value, std::move(owner));
        }();
        element = 5;
        CHECK(element == 5);
        CHECK(released == 0);
    }
    CHECK(released == 1);
    auto survivor = pv::elements(pv::buffer_from_vector(std::vector{1.0, 2.0}))[1];
    survivor = 8;
    CHECK(survivor == 8);
}

TEMPLATE_TEST_CASE("Algorithms of std sort and change a writable reader", "", READER_TYPES) {
    for (const index_t n : {0, 1, 2, 50, 500}) {
        Values<TestType> expected = Values<TestType>::samples(n);
        const auto buffer = pv::allocate_buffer<TestType>(n);
        buffer->write_block(0, 1, expected.span());
        std::ranges::sort(*buffer);
        std::sort(expected.begin(), expected.end());
        check_reads<TestType>(*buffer, expected);

        std::ranges::reverse(*buffer);
        std::reverse(expected.begin(), expected.end());
        check_reads<TestType>(*buffer, expected);

        const auto backwards = pv::reverse(buffer);
        std::ranges::sort(*backwards, std::greater{});
        std::sort(expected.begin(), expected.end());
        check_reads<TestType>(*buffer, expected);

        // Without memory, through virtual calls.
        const auto plain = std::make_shared<Plain<TestType>>(n);
        std::ranges::sort(pv::elements(plain));
        check_reads<TestType>(*plain, expected);
        std::ranges::rotate(pv::elements(plain), pv::elements(plain).begin() + n / 3);
        std::rotate(expected.begin(), expected.begin() + n / 3, expected.end());
        check_reads<TestType>(*plain, expected);
        std::ranges::stable_sort(pv::elements(plain));
        std::sort(expected.begin(), expected.end());
        check_reads<TestType>(*plain, expected);

        std::ranges::fill(*buffer, sample<TestType>(1));
        CHECK(std::ranges::count(std::as_const(*buffer), sample<TestType>(1)) == n);
        std::ranges::copy(expected, buffer->begin());
        check_reads<TestType>(*buffer, expected);
    }
}

TEST_CASE("Views of std read and write") {
    const auto buffer = pv::buffer_from_vector(std::vector<int>{5, 1, 4, 2, 3});
    for (auto value : *buffer | std::views::drop(1) | std::views::reverse) value += 10;
    CHECK(std::ranges::equal(std::as_const(*buffer), std::vector{5, 11, 14, 12, 13}));
    std::ranges::sort(*buffer | std::views::take(3));
    CHECK(std::ranges::equal(std::as_const(*buffer), std::vector{5, 11, 14, 12, 13}));
    std::ranges::sort(*buffer | std::views::drop(1), std::greater{});
    CHECK(std::ranges::equal(std::as_const(*buffer), std::vector{5, 14, 13, 12, 11}));
    (*buffer)[0] = 6;
    buffer->begin()[1] -= 4;
    CHECK(buffer->read(0) == 6);
    CHECK(buffer->read(1) == 10);

    auto big = std::as_const(*buffer) | std::views::filter([](int i) { return i > 10; }) |
               std::views::transform([](int i) { return i * 2; });
    CHECK(std::ranges::equal(big, std::vector{26, 24, 22}));
    pv::ElementIterator<int> it = buffer->begin();
    CHECK((1 + it) - 1 == it);
    ++it;
    CHECK(it-- - buffer->begin() == 1);
    CHECK(it < buffer->end());
    int sum = 0;
    for (const int value : pv::elements(pv::reverse(pv::ReaderPtr<int>(buffer)))) sum += value;
    CHECK(sum == 52);
    CHECK(pv::ConstElements<int>().empty());
    CHECK(pv::Elements<int>().empty());
    CHECK_THROWS_AS(pv::elements(pv::BufferPtr<int>()), pv::Error);
}

} // namespace element_test
