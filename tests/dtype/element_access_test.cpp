#include "support/catch.hpp"

#include <purview/dtype/element_access.hpp>

#include <array>
#include <string>

namespace element_access_test {

namespace pv = purview;

TEMPLATE_TEST_CASE("Numbers are loaded and stored at any address", "", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float, double) {
    alignas(16) std::array<std::byte, 32> memory{};
    for (std::size_t offset = 0; offset < 16; ++offset) {
        pv::store_element<TestType>(memory.data() + offset, static_cast<TestType>(offset + 1));
        CHECK(pv::load_element<TestType>(memory.data() + offset) ==
              static_cast<TestType>(offset + 1));
    }
}

TEST_CASE("A bool is any byte but 0, and stored as 1") {
    std::array<unsigned char, 4> bytes{0, 1, 2, 255};
    CHECK_FALSE(pv::load_element<bool>(&bytes[0]));
    CHECK(pv::load_element<bool>(&bytes[1]));
    CHECK(pv::load_element<bool>(&bytes[2]));
    CHECK(pv::load_element<bool>(&bytes[3]));
    pv::store_element<bool>(&bytes[3], pv::load_element<bool>(&bytes[2]));
    CHECK(bytes[3] == 1);
}

TEST_CASE("Other types are assigned") {
    std::string text = "before";
    pv::store_element<std::string>(&text, "a string that is long enough to be allocated");
    CHECK(pv::load_element<std::string>(&text) == text);
    CHECK(text.size() > 20);
}

} // namespace element_access_test
