#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/io/cf_decoded.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
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

} // namespace
} // namespace cf_decoded_test
