#include <support/reader_laws.hpp>

#include <purview/reader/const_reader.hpp>

namespace const_reader_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("A constant is the same everywhere", "", READER_TYPES) {
    for (const index_t n : {0, 1, 9}) {
        Values<TestType> expected(n);
        for (TestType& value : expected) value = sample<TestType>(5);
        const auto reader = pv::const_reader(sample<TestType>(5), n);
        check_reads<TestType>(*reader, expected);
        CHECK(reader->kind() == pv::Kind::constant);
        CHECK(reader->value() == sample<TestType>(5));
        CHECK(reader->memory().stride_bytes == 0);
    }
    CHECK_THROWS_WITH(pv::const_reader(sample<TestType>(5), -1),
                      "const_reader: size -1 is negative");
}

TEST_CASE("A constant string literal is a string") {
    CHECK(pv::const_reader("text", 3)->read(2) == "text");
    static_assert(
        std::same_as<decltype(pv::const_reader("text", 3))::element_type::value_type, std::string>);
}

} // namespace const_reader_test
