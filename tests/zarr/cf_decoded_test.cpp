#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pv = purview;

namespace cf_decoded_test {
namespace {

/// An array of the given attributes, each a number or a list of numbers.
pv::StoredArray stored(const pv::AnyTensor& values,
                       const std::map<std::string, std::vector<double>>& numbers) {
    pv::StoredArray array;
    array.values = values;
    pv::Attributes::Values attributes;
    for (const auto& [name, list] : numbers) {
        pv::Attributes::Value& value = attributes[name];
        value.numbers = list;
        if (list.size() == 1) value.number = list.front();
    }
    array.attributes = {attributes, "{}"};
    return array;
}

/// The conventions, element by element.
template <typename R, typename T>
R naive(T x, const std::map<std::string, std::vector<double>>& numbers) {
    for (const char* const name : {"_FillValue", "missing_value"})
        if (const auto found = numbers.find(name); found != numbers.end())
            for (const double missing : found->second)
                if (static_cast<R>(x) == static_cast<R>(missing))
                    return std::numeric_limits<R>::quiet_NaN();
    R result = static_cast<R>(x);
    if (const auto scale = numbers.find("scale_factor"); scale != numbers.end())
        result = result * static_cast<R>(scale->second.front());
    if (const auto offset = numbers.find("add_offset"); offset != numbers.end())
        result = result + static_cast<R>(offset->second.front());
    return result;
}

template <typename T, typename R>
void check_all() {
    const std::vector<T> elements{T(0),
                                  T(1),
                                  T(2),
                                  T(7),
                                  T(99),
                                  T(100),
                                  std::numeric_limits<T>::max(),
                                  std::numeric_limits<T>::lowest()};
    const std::vector<std::map<std::string, std::vector<double>>> cases{
        {{"_FillValue", {99}}},
        {{"missing_value", {1, 100}}},
        {{"scale_factor", {0.5}}},
        {{"add_offset", {-3}}},
        {{"scale_factor", {0.1}}, {"add_offset", {273.15}}},
        {{"_FillValue", {7}}, {"missing_value", {2}}, {"scale_factor", {0.1}}, {"add_offset", {1}}},
        // What is scaled to a value that is missing is not missing.
        {{"_FillValue", {1}}, {"scale_factor", {0.5}}},
        {{"_FillValue", {0.5}}, {"scale_factor", {2}}},
        {{"_FillValue", {std::numeric_limits<double>::quiet_NaN()}}},
        {{"_FillValue", {1e300}}}};
    for (const auto& numbers : cases) {
        const pv::AnyTensor decoded = pv::cf_decoded(stored(pv::tensor(elements), numbers));
        REQUIRE(decoded.dtype() == pv::kDType<R>);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const R expected = naive<R>(elements[i], numbers);
            const R got = decoded.as<R>().read(static_cast<pv::index_t>(i));
            INFO(+elements[i] << " -> " << got << ", not " << expected);
            CHECK((got == expected || (std::isnan(got) && std::isnan(expected))));
        }
    }
    const pv::AnyTensor plain = pv::tensor(elements);
    CHECK(pv::cf_decoded(stored(plain, {})).dtype() == pv::kDType<T>);
    CHECK(pv::shares_storage(pv::cf_decoded(stored(plain, {})), plain));
}

TEST_CASE("cf_decoded gives what the conventions say") {
    check_all<std::int8_t, double>();
    check_all<std::int16_t, double>();
    check_all<std::int32_t, double>();
    check_all<std::int64_t, double>();
    check_all<std::uint8_t, double>();
    check_all<std::uint16_t, double>();
    check_all<std::uint32_t, double>();
    check_all<std::uint64_t, double>();
    check_all<float, float>();
    check_all<double, double>();
}

TEST_CASE("cf_decoded of elements of 16 bits, and of what is no number") {
    const pv::AnyTensor halves = pv::full<pv::Half>({2}, pv::Half(1.5F));
    const pv::AnyTensor decoded = pv::cf_decoded(stored(halves, {{"scale_factor", {2}}}));
    REQUIRE(decoded.dtype() == pv::float32);
    CHECK(decoded.as<float>().read(1) == 3.0F);
    CHECK(pv::cf_decoded(stored(pv::full<bool>({2}, true), {{"scale_factor", {2}}})).dtype() ==
          pv::boolean);
    const pv::AnyTensor texts = pv::full<std::string>({2}, std::string("a"));
    CHECK(pv::cf_decoded(stored(texts, {{"_FillValue", {1}}})).dtype() == pv::kDType<std::string>);
}

pv::Tensor<double> doubles(const pv::StoredArray& array) {
    return pv::cf_decoded(array).as<double>();
}
pv::StoredArray with(const pv::AnyTensor& values, const pv::Attributes& attributes) {
    pv::StoredArray array;
    array.values = values;
    array.attributes = attributes;
    return array;
}

constexpr std::int64_t k53 = std::int64_t{1} << 53;

// CF conventions, 2.5.1: a value is missing where it equals one of those; doubles cannot tell these apart.
TEST_CASE("integers of 64 bits are compared as they are") {
    const pv::AnyTensor x = pv::tensor(std::vector<std::int64_t>{k53, k53 + 1, -k53 - 1, -k53});
    for (const char* const name : {"_FillValue", "missing_value"}) {
        const auto decoded = doubles(with(x, {{name, k53 + 1}}));
        CHECK(decoded.read(0) == 0x1p53);
        CHECK(std::isnan(decoded.read(1)));
        CHECK(decoded.read(2) == -0x1p53);
        CHECK(decoded.read(3) == -0x1p53);
    }
    const auto low = doubles(with(x, {{"_FillValue", -k53 - 1}, {"add_offset", 1}}));
    CHECK(std::isnan(low.read(2)));
    CHECK(low.read(3) == 1 - 0x1p53);
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const pv::AnyTensor u = pv::tensor(std::vector<std::uint64_t>{kMost, kMost - 1, 1});
    const auto most = doubles(with(u, {{"_FillValue", kMost}}));
    CHECK(std::isnan(most.read(0)));
    CHECK(most.read(1) == 0x1p64);
    // Numbers that no such element is.
    for (const double none : {-1., 0.5, 0x1p64, 1e300, -1e300, HUGE_VAL})
        CHECK(doubles(with(u, {{"_FillValue", none}})).read(0) == 0x1p64);
    CHECK(doubles(with(x, {{"missing_value", kMost}})).read(0) == 0x1p53);
    CHECK(std::isnan(doubles(with(x, {{"_FillValue", 0x1p53}})).read(0)));
}

TEST_CASE("attributes keep integers of 64 bits, in stores too") {
    const auto store = pv::memory_store();
    pv::ZarrOptions options;
    options.attributes = {{"missing_value", k53 + 1}, {"half", 0.5}, {"valid_range", {0, 400}}};
    CHECK(options.attributes.json() ==
          R"({"half": 0.5, "missing_value": 9007199254740993, "valid_range": [0, 400]})");
    pv::save_zarr(store, "x", pv::tensor(std::vector<std::int64_t>{k53, k53 + 1}), options);
    const pv::StoredArray array = pv::open_zarr_array(store, "x");
    using Number = pv::Attributes::Number;
    CHECK(array.attributes.exact_numbers("missing_value") == std::vector<Number>{Number(k53 + 1)});
    CHECK(array.attributes.exact_numbers("half") == std::vector<Number>{Number(0.5)});
    CHECK(array.attributes.exact_numbers("none").empty());
    CHECK(array.attributes.number("missing_value") == 0x1p53);
    CHECK(doubles(array).read(0) == 0x1p53);
    CHECK(std::isnan(doubles(array).read(1)));
}

template <typename Signed>
void check_unsigned() {
    using Unsigned = std::make_unsigned_t<Signed>;
    constexpr double kCount = static_cast<double>(std::numeric_limits<Unsigned>::max()) + 1;
    const pv::AnyTensor x = pv::tensor(std::vector<Signed>{-28, -1, 5});
    // Either way to write the fill is in use: the type of the elements, and what they mean.
    for (const pv::Attributes::Value& fill :
         {pv::Attributes::Value(Signed{-1}),
          pv::Attributes::Value(std::numeric_limits<Unsigned>::max())}) {
        const auto decoded =
            doubles(with(x, {{"_Unsigned", "true"}, {"_FillValue", fill}, {"scale_factor", 0.5}}));
        CHECK(decoded.read(0) == (kCount - 28) / 2);
        CHECK(std::isnan(decoded.read(1)));
        CHECK(decoded.read(2) == 2.5);
    }
    const pv::AnyTensor u =
        pv::tensor(std::vector<Unsigned>{static_cast<Unsigned>(-28), Unsigned(-1), 5});
    const auto decoded =
        doubles(with(u, {{"_Unsigned", "false"}, {"_FillValue", -1}, {"add_offset", 1}}));
    CHECK(decoded.read(0) == -27);
    CHECK(std::isnan(decoded.read(1)));
    CHECK(decoded.read(2) == 6);
    CHECK(pv::cf_decoded(with(x, {{"_Unsigned", "true"}})).dtype() == pv::kDType<Unsigned>);
    CHECK(pv::cf_decoded(with(x, {{"_Unsigned", "true"}})).as<Unsigned>().read(1) ==
          std::numeric_limits<Unsigned>::max());
    CHECK(pv::cf_decoded(with(u, {{"_Unsigned", "false"}})).as<Signed>().read(0) == -28);
    CHECK(pv::cf_decoded(with(x, {{"_Unsigned", "false"}})).dtype() == pv::kDType<Signed>);
    CHECK(pv::cf_decoded(with(u, {{"_Unsigned", "true"}})).dtype() == pv::kDType<Unsigned>);
    // A fill that neither type has is none, and without _Unsigned nothing wraps.
    CHECK(doubles(with(x, {{"_Unsigned", "true"}, {"_FillValue", kCount + 5}})).read(2) == 5);
    CHECK(doubles(with(x, {{"_FillValue", kCount - 1}})).read(1) == -1);
}

// NetCDF Users Guide, attribute conventions; xarray's _Unsigned.
TEST_CASE("_Unsigned says how the bits of integers are read, and of their fill") {
    check_unsigned<std::int8_t>();
    check_unsigned<std::int16_t>();
    check_unsigned<std::int32_t>();
    check_unsigned<std::int64_t>();
    const auto byte = pv::tensor(std::vector<std::int8_t>{-28, -1});
    const auto decoded = doubles(with(
        byte,
        {{"_Unsigned", "true"}, {"_FillValue", -1}, {"scale_factor", 0.5}, {"add_offset", -14}}));
    CHECK(decoded.read(0) == 100);
    CHECK(std::isnan(decoded.read(1)));
    const auto floats = pv::tensor(std::vector<float>{-28});
    CHECK(pv::cf_decoded(with(floats, {{"_Unsigned", "true"}})).as<float>().read(0) == -28);
}

TEST_CASE("a fill is rounded as the elements were") {
    const auto halves = pv::full<pv::Half>({1}, pv::Half(0.1F));
    CHECK(std::isnan(pv::cf_decoded(with(halves, {{"_FillValue", 0.1}})).as<float>().read(0)));
    const auto shorts = pv::full<pv::BFloat16>({1}, pv::BFloat16(0.1F));
    CHECK(std::isnan(pv::cf_decoded(with(shorts, {{"_FillValue", 0.1}})).as<float>().read(0)));
    const auto floats = pv::tensor(std::vector<float>{0.1F, HUGE_VALF});
    CHECK(std::isnan(pv::cf_decoded(with(floats, {{"_FillValue", 0.1}})).as<float>().read(0)));
    CHECK(pv::cf_decoded(with(floats, {{"_FillValue", 1e300}})).as<float>().read(1) == HUGE_VALF);
    CHECK(std::isnan(pv::cf_decoded(with(floats, {{"_FillValue", HUGE_VAL}})).as<float>().read(1)));
}

/// An array of one chunk, as xarray writes it.
pv::StoredArray of_format_2(const std::string& dtype, const std::string& fill,
                            std::string_view bytes, const std::string& attributes) {
    const auto store = pv::memory_store();
    const auto put = [&](const std::string& key, std::string_view text) {
        store->put(key, std::as_bytes(std::span(text)));
    };
    put(".zarray", R"({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": ")" + dtype +
                       R"(", "compressor": null, "filters": null, "order": "C", "fill_value": )" +
                       fill + "}");
    put(".zattrs", attributes);
    put("0", bytes);
    return pv::open_zarr_array(store);
}

// xarray's zarr backend: _FillValue of format 2 is the array's fill value, and no attribute.
TEST_CASE("the fill value of format 2 is _FillValue") {
    const std::string_view bytes("\x01\x80\x07\x00", 4); // -32767, 7
    const auto packed = doubles(of_format_2("<i2", "-32767", bytes, R"({"scale_factor": 0.01})"));
    CHECK(std::isnan(packed.read(0)));
    CHECK(packed.read(1) == 7 * 0.01);
    const auto alone = doubles(of_format_2("<i2", "7", bytes, "{}"));
    CHECK(alone.read(0) == -32767);
    CHECK(std::isnan(alone.read(1)));
    // The attribute, where there is one; and none where there is no fill.
    const auto named = doubles(of_format_2("<i2", "7", bytes, R"({"_FillValue": -32767})"));
    CHECK(std::isnan(named.read(0)));
    CHECK(named.read(1) == 7);
    CHECK(pv::cf_decoded(of_format_2("<i2", "null", bytes, "{}")).dtype() == pv::int16);
    const auto is_unsigned = doubles(
        of_format_2("|i1", "-1", std::string_view("\xff\xe4", 2), R"({"_Unsigned": "true"})"));
    CHECK(std::isnan(is_unsigned.read(0)));
    CHECK(is_unsigned.read(1) == 228);
    const auto wide = doubles(of_format_2("<u8", "18446744073709551615",
                                          std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff"
                                                           "\xfe\xff\xff\xff\xff\xff\xff\xff",
                                                           16),
                                          "{}"));
    CHECK(std::isnan(wide.read(0)));
    CHECK(wide.read(1) == 0x1p64);
    const std::string_view floats("\0\0\0\0\0\0\x80\x3f", 8); // 0, 1
    const auto zero = pv::cf_decoded(of_format_2("<f4", "0.0", floats, "{}")).as<float>();
    CHECK(std::isnan(zero.read(0)));
    CHECK(zero.read(1) == 1);
    CHECK(pv::cf_decoded(of_format_2("|b1", "false", "\1\1", "{}")).dtype() == pv::boolean);
}

// xarray's FillValueCoder: of floats in format 3, the attribute is the base64 of a double's bytes.
TEST_CASE("_FillValue of floats that xarray writes as a text is a number") {
    const std::string minus_9999 = R"({"_FillValue": "AAAAAICHw8A="})";
    const auto array =
        of_format_2("<f4", "null", std::string_view("\0<\x1c\xc6\0\0\x80\x3f", 8), minus_9999);
    CHECK(array.missing == pv::Attributes::Number(-9999.));
    const auto decoded = pv::cf_decoded(array).as<float>();
    CHECK(std::isnan(decoded.read(0)));
    CHECK(decoded.read(1) == 1);
    for (const char* const other : {R"({"_FillValue": "AAAA"})", R"({"_FillValue": "none"})"})
        CHECK(!of_format_2("<f4", "null", "12345678", other).missing);
}

TEST_CASE("cf_decoded reads no chunk until elements are wanted, and then each once") {
    const auto store = pv::memory_store();
    const auto put = [&](const std::string& key, std::string_view text) {
        store->put(key, std::as_bytes(std::span(text)));
    };
    put("zarr.json", R"({"zarr_format": 3, "node_type": "array", "shape": [8], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": ["bytes"],
        "attributes": {"_FillValue": 3, "scale_factor": 0.5, "add_offset": 10}})");
    put("c/0", std::string_view("\1\2\3\4", 4));
    put("c/1", std::string_view("\4\3\2\1", 4));
    pv::reset_chunk_statistics();
    const pv::Tensor<double> x = pv::cf_decoded(pv::open_zarr_array(store)).as<double>();
    CHECK(pv::chunk_statistics().chunks_read == 0);
    CHECK(pv::sum(pv::where(pv::is_nan(x), 0.0, x)) == 2 * (10.5 + 11 + 12));
    CHECK(pv::chunk_statistics().chunks_read == 2);
    CHECK(std::isnan(x.read(2)));
}

TEST_CASE("cf_decoded: a list of one number is that number, as to xarray") {
    const auto decoded = [](const pv::Attributes::Value& scale) {
        pv::StoredArray array;
        array.values = pv::tensor<std::int16_t>({1, 2, 3});
        array.attributes = pv::Attributes({{"scale_factor", scale}});
        return pv::cf_decoded(array);
    };
    pv::Attributes::Value list;
    list.numbers = {0.5};
    CHECK(pv::to_vector(decoded(list).as<double>()) == std::vector<double>{0.5, 1, 1.5});
    list.numbers = {0.5, 2};
    CHECK_THROWS_AS(decoded(list), pv::FormatError);
    CHECK_THROWS_WITH(decoded("0.5"), Catch::Matchers::ContainsSubstring("scale_factor is a text"));
}

} // namespace
} // namespace cf_decoded_test
