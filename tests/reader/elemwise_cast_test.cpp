#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/const_reader.hpp>
#include <purview/reader/elemwise_cast.hpp>
#include <purview/reader/reverse.hpp>

#include <algorithm>
#include <complex>

namespace elemwise_cast_test {

namespace pv = purview;
using namespace reader_laws;

namespace {

template <typename From, typename To>
void check_cast() {
    const index_t n = 600;
    const auto source = std::make_shared<Plain<From>>(n);
    Values<To> expected(n);
    for (index_t i = 0; i < n; ++i) expected[i] = static_cast<To>(sample<From>(i));
    check_reads<To>(*pv::elemwise_cast<To>(source), expected);
    check_reads<To>(*pv::unchecked_elemwise_cast<To>(source), expected);
    CHECK_FALSE(pv::elemwise_cast<To>(source)->is_thread_safe());
    if constexpr (!std::same_as<From, bool> && !std::same_as<To, bool>) {
        check_writes(*pv::elemwise_cast<To>(source));
        check_writes(*pv::unchecked_elemwise_cast<To>(source));
        // There and back.
        const auto buffer = pv::allocate_buffer<From>(50);
        const auto round = pv::elemwise_cast<From>(pv::elemwise_cast<To>(buffer));
        check_writes(*round);
    }
}

} // namespace

TEMPLATE_TEST_CASE("Values that fit are cast there and back", "", bool, std::int8_t, std::uint16_t,
                   std::int64_t, float, double) {
    check_cast<TestType, bool>();
    check_cast<TestType, std::uint8_t>();
    check_cast<TestType, std::int32_t>();
    check_cast<TestType, std::int64_t>();
    check_cast<TestType, float>();
    check_cast<TestType, double>();
}

TEST_CASE("Ints are read as uint8, and written through") {
    const auto ints = pv::buffer_from_vector(std::vector<std::int32_t>{1, 254, 3});
    const auto bytes = pv::elemwise_cast<std::uint8_t>(ints);
    CHECK(bytes->read(1) == 254);
    bytes->write(0, 200);
    CHECK(ints->read(0) == 200);
    CHECK(bytes->storage() == ints->storage());
    CHECK_FALSE(bytes->memory());

    const auto narrow = pv::elemwise_cast<std::int8_t>(ints);
    CHECK_THROWS_AS(narrow->read(1), pv::CastError);
    CHECK_THROWS_WITH(narrow->read(1), "value 254 at index 1 does not fit int8");
    std::vector<std::int8_t> out(3);
    CHECK_THROWS_WITH(narrow->read_block(2, -1, out), "value 254 at index 1 does not fit int8");
    const std::vector<index_t> indexes{2, 1, 0};
    CHECK_THROWS_WITH(narrow->gather(indexes, out), "value 254 at index 1 does not fit int8");
    CHECK(pv::unchecked_elemwise_cast<std::int8_t>(ints)->read(1) == -2);
}

TEST_CASE("A block that does not fit writes nothing") {
    const auto bytes = pv::allocate_buffer<std::uint8_t>(1000);
    const auto ints = pv::elemwise_cast<std::int32_t>(bytes);
    std::vector<std::int32_t> values(1000, 7);
    values[900] = -1;
    CHECK_THROWS_AS(ints->write_block(0, 1, values), pv::CastError);
    CHECK_THROWS_WITH(ints->write_block(999, -1, values),
                      "value -1 at index 99 does not fit uint8");
    std::vector<index_t> indexes(1000);
    for (std::size_t i = 0; i < 1000; ++i) indexes[i] = static_cast<index_t>(999 - i);
    CHECK_THROWS_WITH(ints->scatter(indexes, values), "value -1 at index 99 does not fit uint8");
    CHECK_THROWS_WITH(ints->write(3, 256), "value 256 at index 3 does not fit uint8");
    CHECK(std::ranges::count(std::as_const(*bytes), 0) == 1000);
    pv::unchecked_elemwise_cast<std::int32_t>(bytes)->write_block(0, 1, values);
    CHECK(bytes->read(900) == 255);
}

TEST_CASE("Other types are cast as static_cast does") {
    const auto floats = pv::buffer_from_vector(std::vector{1.5, -2.0});
    const auto complex = pv::elemwise_cast<std::complex<double>>(floats);
    CHECK(complex->read(0) == std::complex<double>(1.5, 0));
    static_assert(!pv::WritableSource<std::remove_reference_t<decltype(*complex)>>);
    const auto text = pv::elemwise_cast<std::string>(pv::const_reader("a", 3));
    CHECK(text->read(1) == "a");
    CHECK(text->kind() == pv::Kind::constant);
    const auto strings = pv::buffer_from_vector(std::vector<std::string>(40, "x"));
    check_writes(*pv::elemwise_cast<std::string>(strings));
    CHECK_THROWS_AS(pv::elemwise_cast<int>(pv::BufferPtr<double>()), pv::Error);
}

} // namespace elemwise_cast_test
