#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/view_as.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace descriptor_test {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

constexpr auto kOther =
    std::endian::native == std::endian::little ? std::endian::big : std::endian::little;

TEST_CASE("A described view is the same view again") {
    const pv::MutableTensor<float> t = pv::empty<float>({4, 5});
    for (index_t i = 0; i < 4; ++i)
        for (index_t j = 0; j < 5; ++j) t(i, j) = static_cast<float>(10 * i + j);
    const pv::AnyTensor view = pv::transpose(pv::flip(t, 0)(pv::range(0, 4, 2), pv::range(1, 4)));
    const pv::MemoryDescriptor memory = pv::describe(view);
    CHECK(memory.dtype == pv::float32);
    CHECK(memory.shape == pv::Shape{3, 2});
    CHECK(memory.strides == pv::Shape{4, -40});
    CHECK_FALSE(memory.read_only);
    const pv::AnyTensor again = pv::wrap(memory, pv::AnyTensor(t));
    CHECK(pv::equals(again, view));
    CHECK(pv::may_overlap(again, t));
    CHECK_FALSE(again.is_read_only());
    CHECK(pv::describe(again) == memory);
    again.as_mutable<float>()(0, 0) = -1;
    CHECK(t(3, 1) == -1);
    CHECK(pv::describe(pv::Tensor<float>(t)).read_only);
    CHECK(pv::descriptor_from_json(pv::to_json(memory)) == memory);
}

TEST_CASE("What strides cannot say is not described") {
    const auto t = pv::tensor({1.0, 2.0, 3.0});
    CHECK_THROWS_WITH(pv::describe(t + 1), ContainsSubstring("computed"));
    CHECK_THROWS_WITH(pv::describe(pv::rotate(t, {1})),
                      ContainsSubstring("not laid out by strides"));
}

struct Packed {
    char flag;
    double value;
    std::int16_t count;
} __attribute__((packed));

TEST_CASE("Strides need not be whole elements") {
    std::vector<Packed> records(7);
    for (std::size_t i = 0; i < records.size(); ++i)
        records[i] = {'x', 0.5 * static_cast<double>(i), static_cast<std::int16_t>(i)};
    pv::MemoryDescriptor memory{.pointer = reinterpret_cast<char*>(records.data()) + 1,
                                .dtype = pv::float64,
                                .shape = {7},
                                .strides = {sizeof(Packed)},
                                .read_only = false};
    const pv::AnyTensor values = pv::borrow(memory);
    CHECK(pv::describe(values).strides == memory.strides);
    CHECK(pv::equals(values, pv::arange(7.0) * 0.5));
    REQUIRE_FALSE(values.is_read_only());
    pv::copy(pv::arange(7.0), values.as_mutable<double>());
    for (std::size_t i = 0; i < records.size(); ++i) {
        CHECK(double(records[i].value) == static_cast<double>(i));
        CHECK(records[i].flag == 'x');
        CHECK(std::int16_t(records[i].count) == static_cast<std::int16_t>(i));
    }
    // Elements that share bytes are only read.
    memory.strides = {2};
    CHECK(pv::borrow(memory).is_read_only());
    memory.shape = {1};
    memory.strides = {12345};
    CHECK_FALSE(pv::borrow(memory).is_read_only());
}

template <typename T>
T random_value(std::mt19937& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return random() % 2 == 0;
    } else if constexpr (pv::ComplexElement<T>) {
        return T(static_cast<typename T::value_type>(random() % 1000),
                 static_cast<typename T::value_type>(random() % 1000));
    } else {
        return static_cast<T>(random() % 100);
    }
}

template <typename T>
void check_byte_order(std::mt19937& random) {
    constexpr std::size_t kCount = 24;
    std::array<T, kCount> values{};
    for (T& value : values) value = random_value<T>(random);
    std::vector<std::byte> bytes(sizeof(values));
    std::memcpy(bytes.data(), values.data(), sizeof(values));
    const std::size_t part = pv::ComplexElement<T> ? sizeof(T) / 2 : sizeof(T);
    const auto swap_all = [&] {
        for (std::size_t i = 0; i < bytes.size(); i += part)
            std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i + part));
    };
    swap_all();
    constexpr index_t kSize = sizeof(T);
    pv::MemoryDescriptor memory{.pointer = bytes.data(),
                                .dtype = pv::kDType<T>,
                                .shape = {2, 3, 4},
                                .strides = {12 * kSize, 4 * kSize, kSize},
                                .byte_order = kOther,
                                .read_only = false};
    const pv::AnyTensor t = pv::borrow(memory);
    const auto typed = t.as_mutable<T>();
    for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 3; ++j)
            for (index_t k = 0; k < 4; ++k)
                REQUIRE(typed(i, j, k) == values[static_cast<std::size_t>(12 * i + 4 * j + k)]);
    const T written = random_value<T>(random);
    typed(1, 2, 0) = written;
    pv::copy(pv::borrow(values, {2, 3, 4})(0, pv::all, pv::all), typed(1, pv::all, pv::all));
    swap_all();
    CHECK(std::memcmp(bytes.data() + sizeof(values) / 2, values.data(), sizeof(values) / 2) == 0);
    // Swapping what is swapped reads the bytes as they are, now in this machine's order.
    if (part > 1) {
        CHECK(pv::describe(t).byte_order == kOther);
        CHECK(pv::byte_swapped(t)(0, 0, 0).template item<T>() == values[0]);
    }
    memory.read_only = true;
    CHECK(pv::borrow(memory).is_read_only());
}

TEST_CASE("Elements in the other byte order are read and written") {
    std::mt19937 random(7);
    check_byte_order<bool>(random);
    check_byte_order<std::int16_t>(random);
    check_byte_order<std::uint32_t>(random);
    check_byte_order<std::int64_t>(random);
    check_byte_order<float>(random);
    check_byte_order<double>(random);
    check_byte_order<pv::Half>(random);
    check_byte_order<std::complex<float>>(random);
    check_byte_order<std::complex<double>>(random);
}

TEST_CASE("The same bytes as another type") {
    const pv::MutableTensor<std::int32_t> pixels = pv::empty<std::int32_t>({2, 3});
    const pv::MutableTensor<std::uint8_t> channels = pv::view_as<std::uint8_t>(pixels);
    REQUIRE(channels.shape() == pv::Shape{2, 3, 4});
    for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 3; ++j)
            for (index_t k = 0; k < 4; ++k)
                channels(i, j, k) = static_cast<std::uint8_t>(100 * i + 10 * j + k);
    for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 3; ++j) {
            const std::int32_t pixel = pixels(i, j);
            std::array<std::uint8_t, 4> bytes{};
            std::memcpy(bytes.data(), &pixel, 4);
            for (index_t k = 0; k < 4; ++k)
                CHECK(bytes[static_cast<std::size_t>(k)] == 100 * i + 10 * j + k);
        }
    CHECK(pv::may_overlap(pixels, channels));
    CHECK(pv::equals(pv::view_as<std::int32_t>(channels), pixels));
    CHECK(pv::view_as<float>(pixels).shape() == pv::Shape{2, 3});
    const auto z = pv::tensor({std::complex<float>(1, 2), std::complex<float>(3, 4)});
    CHECK(pv::equals(pv::view_as<float>(z), pv::tensor({{1.F, 2.F}, {3.F, 4.F}})));
    // Views and read-only tensors stay what they are.
    const auto column = pv::view_as<std::uint16_t>(pixels(pv::all, 1));
    CHECK(pv::describe(column).strides == pv::Shape{12, 2});
    const pv::Tensor<std::uint8_t> fixed = pv::view_as<std::uint8_t>(pv::Tensor(pixels));
    CHECK(pv::AnyTensor(fixed).is_read_only());
    CHECK(pv::view_as(pv::AnyTensor(pv::empty<double>({0, 2})), pv::float32).shape() ==
          pv::Shape{0, 2, 2});

    CHECK_THROWS_AS(pv::view_as<double>(pixels), pv::ShapeError);
    CHECK_THROWS_AS(pv::view_as<std::int32_t>(pv::flip(channels, 2)), pv::ShapeError);
    CHECK_THROWS_AS(pv::view_as<float>(pixels + 1), pv::ShapeError);
    CHECK_THROWS_AS(pv::view_as<std::complex<double>>(pixels), pv::ShapeError);
}

TEST_CASE("A descriptor is written as JSON and read again") {
    std::array<double, 6> memory{};
    const pv::MemoryDescriptor d{.pointer = memory.data(),
                                 .dtype = pv::float64,
                                 .shape = {2, 3},
                                 .strides = {24, 8},
                                 .byte_order = std::endian::big,
                                 .read_only = false};
    const std::string text = pv::to_json(d);
    CHECK_THAT(text, ContainsSubstring(R"("datatype": "float64", "shape": [2, 3])"));
    CHECK(pv::descriptor_from_json(text) == d);
    const pv::MemoryDescriptor brief = pv::descriptor_from_json(
        R"( {"shape":[2,3] , "extra": {"a":[1,-2.5e3,null,"\"]"]}, "datatype":"int16","ptr":0}
)");
    CHECK(brief.strides == pv::Shape{6, 2});
    CHECK(brief.read_only);
    CHECK(brief.byte_order == std::endian::native);
    for (const char* hostile :
         {"", "{", "[]", "{}", R"({"ptr": 1})", R"({"ptr": -1, "datatype": "int8", "shape": []})",
          R"({"ptr": 1.5, "datatype": "int8", "shape": []})",
          R"({"ptr": 1, "datatype": "int9", "shape": []})",
          R"({"ptr": 1, "datatype": "int8", "shape": [1,]})",
          R"({"ptr": 1, "datatype": "int8", "shape": [99999999999999999999]})",
          R"({"ptr": 1, "datatype": "int8", "shape": [1], "strides": []})",
          R"({"ptr": 1, "datatype": "int8", "shape": [1]} x)",
          R"({"ptr": 1, "datatype": "int8", "shape": [1], "x": "\)",
          R"({"ptr": 1, "datatype": "int8", "shape": [1], "readonly": 1})",
          R"({"ptr": 1, "datatype": "int8", "shape": [1], "endianness": "middle"})",
          R"({"ptr": 1, "datatype": "int8", "shape": [1], "ptr": 2})"})
        CHECK_THROWS_AS(pv::descriptor_from_json(hostile), pv::FormatError);
    std::string deep(100000, '[');
    CHECK_THROWS_AS(pv::descriptor_from_json(R"({"x":)" + deep), pv::FormatError);
}

TEST_CASE("A layout that cannot be addressed is refused") {
    std::array<double, 4> memory{};
    pv::MemoryDescriptor d{.pointer = memory.data(), .dtype = pv::float64};
    const auto refused = [&](pv::Shape shape, pv::Shape strides) {
        d.shape = std::move(shape);
        d.strides = std::move(strides);
        CHECK_THROWS_AS(pv::borrow(d), pv::ShapeError);
    };
    constexpr auto kHigh = std::numeric_limits<index_t>::max();
    refused({2}, {});
    refused({-1}, {8});
    refused({kHigh, kHigh}, {8, 8});
    refused({2}, {std::numeric_limits<index_t>::min()});
    refused({3}, {kHigh});
    refused({3}, {-kHigh});
    d.pointer = nullptr;
    refused({1}, {8});
    d.shape = {0};
    CHECK(pv::borrow(d).size() == 0);
    d.dtype = pv::kDType<std::string>;
    CHECK_THROWS_AS(pv::borrow(d), pv::DtypeError);
    CHECK_THROWS_AS(pv::descriptor_from_json(R"({"ptr": 1, "datatype": "int8", "shape": [9e9]})"),
                    pv::FormatError);
    CHECK_THROWS_AS(
        pv::descriptor_from_json(R"({"ptr":1,"datatype":"int64","shape":[4611686018427387904,2]})"),
        pv::ShapeError);
}

} // namespace descriptor_test
