#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pv = purview;

// What is told about arrays: attributes, names, fills; groups; ways to open.
namespace stored_arrays_test {
namespace {

using Strings = std::vector<std::string>;

pv::StoredGroup arrays() { return pv::open_zarr_group(source_path("tests/zarr/data/arrays.zip")); }

void put(pv::Store& store, const std::string& key, std::string_view text) {
    store.put(key, std::as_bytes(std::span(text)));
}

std::string metadata(const std::string& type, const std::string& fill,
                     const std::string& more = "") {
    return R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": )" + type +
           R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
              "chunk_key_encoding": {"name": "default"}, "fill_value": )" +
           fill + R"(, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}])" +
           more + "}";
}

template <typename T>
T fill_of(const std::string& type, const std::string& fill) {
    INFO(type << ' ' << fill);
    const auto store = pv::memory_store();
    put(*store, "zarr.json", metadata(type, fill));
    return pv::open_zarr<T>(store).read(3);
}

TEST_CASE("fills are numbers, words and bits") {
    CHECK(fill_of<float>("\"float32\"", "1.5") == 1.5F);
    CHECK(std::isnan(fill_of<float>("\"float32\"", "\"NaN\"")));
    CHECK(std::isnan(fill_of<float>("\"float32\"", "NaN")));
    CHECK(fill_of<double>("\"float64\"", "\"-Infinity\"") == -HUGE_VAL);
    CHECK(fill_of<double>("\"float64\"", "Infinity") == HUGE_VAL);
    CHECK(std::bit_cast<std::uint32_t>(fill_of<float>("\"float32\"", "\"0x7fc00123\"")) ==
          0x7fc00123U);
    CHECK(fill_of<double>("\"float64\"", "\"0x3ff0000000000000\"") == 1.0);
    CHECK(static_cast<float>(fill_of<pv::Half>("\"float16\"", "\"0x3c00\"")) == 1.0F);
    CHECK(static_cast<float>(fill_of<pv::BFloat16>("\"bfloat16\"", "2")) == 2.0F);
    CHECK(fill_of<std::complex<float>>("\"complex64\"", "[1, \"Infinity\"]").real() == 1.0F);
    CHECK(fill_of<std::complex<double>>("\"complex128\"", "[1, -2]") ==
          std::complex<double>(1, -2));
    CHECK(fill_of<std::uint64_t>("\"uint64\"", "18446744073709551615") == ~std::uint64_t{0});
    CHECK(fill_of<std::int64_t>("\"int64\"", "-9223372036854775808") ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(fill_of<bool>("\"bool\"", "true"));
    const std::string days =
        R"({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}})";
    CHECK(fill_of<std::chrono::sys_seconds>(days, "7").time_since_epoch().count() == 7);
    CHECK(fill_of<std::chrono::sys_seconds>(days, "\"NaT\"").time_since_epoch().count() ==
          std::numeric_limits<std::int64_t>::min());
    for (const auto& [type, fill] :
         std::map<std::string, std::string>{{"\"float32\"", "\"0x7fc0\""},
                                            {"\"float64\"", "\"nan\""},
                                            {"\"int8\"", "128"},
                                            {"\"int16\"", "1.5"},
                                            {"\"int32\"", "\"0x00000001\""},
                                            {"\"uint8\"", "-1"},
                                            {"\"bool\"", "2"},
                                            {"\"complex64\"", "[1]"},
                                            {"\"uint16\"", "null"}}) {
        INFO(type << ' ' << fill);
        CHECK_THROWS_AS(fill_of<double>(type, fill), pv::FormatError);
    }
}

TEST_CASE("attributes, names of axes and chunk shapes of an array") {
    const pv::StoredArray named = arrays().group("v3").array("named");
    CHECK(named.dimension_names == Strings{"time", "", "x"});
    CHECK(named.attributes.text("units") == "K");
    CHECK(named.attributes.number("scale_factor") == 0.5);
    CHECK(std::isnan(named.attributes.number("nothing").value()));
    CHECK(!named.attributes.has("other"));
    CHECK(!named.attributes.number("units"));
    CHECK(named.attributes.json().find("\"units\":\"K\"") != std::string::npos);
    CHECK(named.chunk_shape == pv::Shape{3, 4, 2});
    CHECK(named.shard_shape == named.chunk_shape);
    CHECK(arrays().group("v2").array("named").dimension_names == Strings{"t", "y", "x"});
    CHECK(arrays().attributes().text("title") == "arrays");
    CHECK(arrays().attributes().numbers("numbers") == std::vector<double>{1, 2.5});
    const pv::StoredArray sharded = arrays().array("v3/sharded_holes");
    CHECK(sharded.chunk_shape == pv::Shape{3, 4, 2});
    CHECK(sharded.shard_shape == pv::Shape{6, 8, 4});
    CHECK(sharded.codecs.starts_with("sharding_indexed"));
    CHECK(sharded.dimension_names.empty());
}

TEST_CASE("arrays of rank 0, and without elements") {
    for (const char* const format : {"v2", "v3"}) {
        const pv::StoredGroup group = arrays().group(format);
        CHECK(group.array("scalar").values.as<std::int32_t>().item() == 42);
        const pv::Tensor<float> empty = group.array("empty").values.as<float>();
        CHECK(empty.shape() == pv::Shape{0, 4});
        CHECK(pv::sum(empty) == 0);
    }
}

TEST_CASE("groups list what lies in them, and give it by paths") {
    const pv::StoredGroup all = arrays();
    CHECK(all.groups() == Strings{"v2", "v3"});
    CHECK(all.arrays().empty());
    CHECK(all.array("v3/int32").values.dtype() == pv::int32);
    CHECK_THROWS_AS(all.array("v3"), pv::FormatError);
    CHECK_THROWS_AS(all.array("v3/none"), pv::FormatError);
    CHECK_THROWS_AS(all.group("v3/int32"), pv::FormatError);
    CHECK_THROWS_AS(all.group("../v3"), pv::FormatError);
    CHECK_THROWS_AS(all.array("v3/../v2/int32"), pv::FormatError);
}

/// A store that counts how often it is asked.
class CountingStore final : public pv::Store {
public:
    std::optional<Bytes> get(const std::string& key) const override {
        ++gets;
        return inner->get(key);
    }
    std::optional<pv::index_t> size(const std::string& key) const override {
        return inner->size(key);
    }
    Strings list(const std::string& prefix) const override {
        ++lists;
        return inner->list(prefix);
    }
    std::shared_ptr<pv::Store> inner = pv::memory_store();
    mutable int gets = 0;
    mutable int lists = 0;
};

TEST_CASE("opening reads metadata once") {
    const auto store = std::make_shared<CountingStore>();
    put(*store->inner, "a/zarr.json", metadata("\"int8\"", "0"));
    static_cast<void>(pv::open_zarr(store, "a"));
    CHECK(store->gets == 1);
    CHECK(store->lists == 0);
}

TEST_CASE("consolidated metadata is read once for all arrays") {
    const auto store = std::make_shared<CountingStore>();
    SECTION("format 3") {
        put(*store->inner, "zarr.json",
            R"({"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}, "consolidated_metadata":
                {"kind": "inline", "must_understand": false, "metadata": {"g": {"zarr_format": 3, "node_type": "group"}, "g/x": )" +
                metadata("\"int8\"", "5") + R"(, "y": )" + metadata("\"int16\"", "6") + "}}}");
    }
    SECTION("format 2") {
        const std::string array =
            R"({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "|i1", "compressor": null,
            "fill_value": 5, "order": "C", "filters": null})";
        put(*store->inner, ".zmetadata",
            R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, ".zattrs": {"a": 1},
                "g/.zgroup": {"zarr_format": 2}, "g/x/.zarray": )" +
                array + R"(, "y/.zarray": )" + array + "}}");
    }
    const pv::StoredGroup group = pv::open_zarr_group(std::shared_ptr<pv::Store>(store));
    const int gets = store->gets;
    CHECK(gets <= 2);
    CHECK(group.arrays() == Strings{"y"});
    CHECK(group.groups() == Strings{"g"});
    CHECK(group.attributes().number("a") == 1);
    CHECK(group.group("g").arrays() == Strings{"x"});
    const pv::AnyTensor x = group.array("g/x").values;
    CHECK(store->gets == gets);
    CHECK(store->lists == 0);
    CHECK(x.as<std::int8_t>().read(0) == 5);
}

TEST_CASE("an array is opened for reading, or read into memory") {
    const auto store = pv::memory_store();
    put(*store, "zarr.json", metadata("\"uint8\"", "7"));
    put(*store, "c/0", "ab");
    const auto copy = pv::open_zarr<std::uint8_t, pv::Access::in_memory>(store);
    copy(0) = 1;
    CHECK(copy.read(0) == 1);
    CHECK(copy.read(1) == 'b');
    CHECK(copy.read(2) == 7);
    CHECK(pv::open_zarr<std::uint8_t>(store).read(0) == 'a');
    CHECK(pv::open_zarr(store).is_read_only());
    CHECK_FALSE(pv::open_zarr(store, "", pv::Access::in_memory).is_read_only());
    CHECK_THROWS_AS(pv::open_zarr(store, "", pv::Access::copy_on_write), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::open_zarr<double>(store), pv::DtypeError);
}

} // namespace
} // namespace stored_arrays_test
