#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/archives.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pv = purview;

namespace open_kerchunk_test {
namespace {

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const pv::Error& error) {
        return error.what();
    }
    return "no error";
}

constexpr const char* kMetadata =
    R"("{\"zarr_format\":2,\"shape\":[6],\"chunks\":[2],\"dtype\":\"<i4\",\"order\":\"C\",)"
    R"(\"compressor\":null,\"filters\":null,\"fill_value\":7}")";

/// Six numbers, of which the first two lie in a file behind three bytes, the next two stand in the JSON, and the last
/// are not there.
std::string references(const std::string& first) {
    return std::string(R"({".zgroup": "{\"zarr_format\":2}", "x/.zarray": )") + kMetadata +
           R"(, "x/.zattrs": {"units": "K"}, "x/0": )" + first +
           R"(, "x/1": "base64:AwAAAAQAAAA="})";
}

TEST_CASE("kerchunk's references: parts of files, base64, text and what is missing") {
    const temporary::Folder folder;
    const std::array<std::int32_t, 3> numbers = {1, 2, 99};
    temporary::write_file(
        folder / "data.bin",
        "abc" + std::string(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)));
    const auto expected = pv::tensor<std::int32_t>({1, 2, 3, 4, 7, 7});
    const auto check = [&](const std::string& json) {
        INFO(json);
        const pv::StoredGroup group =
            pv::open_kerchunk(temporary::write_file(folder / "r.json", json));
        CHECK(group.arrays() == std::vector<std::string>{"x"});
        const pv::StoredArray x = group.array("x");
        CHECK(x.attributes.text("units") == "K");
        CHECK(pv::equals(x.values.as<std::int32_t>(), expected));
    };
    const std::string path = folder / "data.bin";
    check(references(R"(["data.bin", 3, 8])"));
    check(references("[\"" + path + "\", 3, 8]"));
    check(references("[\"file://" + path + "\", 3, 8]"));
    check(R"({"version": 1, "refs": )" + references(R"(["data.bin", 3, 8])") + "}");
    check(R"({"version": 1, "templates": {"u": ")" + path + R"("}, "refs": )" +
          references(R"(["{{u}}", 3, 8])") + "}");
    temporary::write_file(folder / "whole.bin",
                          std::string(reinterpret_cast<const char*>(numbers.data()), 8));
    check(references(R"(["whole.bin"])"));
    // A store, which goes together with others.
    const auto store = pv::kerchunk_store(folder / "r.json");
    CHECK(store->list("") == std::vector<std::string>{".zgroup", "x"});
    CHECK(store->list("x") == std::vector<std::string>{".zarray", ".zattrs", "0", "1"});
    CHECK(store->size("x/0") == 8);
    CHECK(store->get("x/1", {4, 100})->size() == 4);
    CHECK(store->get("x/1", {-3, 2})->size() == 2);
    CHECK_THROWS_AS(store->put("x/2", {}), pv::ReadOnlyError);
    const pv::StoredArray both = pv::open_many({store, store}, {.variable = "x"});
    CHECK(pv::sum(both.values.as<std::int32_t>()) == 48);
}

TEST_CASE("kerchunk's references that are damaged, or lead nowhere, are refused by name") {
    const temporary::Folder folder;
    temporary::write_file(folder / "data.bin", "0123456789");
    const auto message = [&](const std::string& json) {
        const std::string path = temporary::write_file(folder / "r.json", json);
        return message_of([&] {
            const pv::StoredGroup group = pv::open_kerchunk(path);
            pv::sum(group.array("x").values.as<std::int32_t>());
        });
    };
    const auto has = [&](const std::string& json, const char* text) {
        INFO(json);
        const std::string found = message(json);
        INFO(found);
        CHECK(found.find("r.json'") != std::string::npos);
        CHECK(found.find(text) != std::string::npos);
    };
    has(references(R"(["data.bin", 3, 8])"), "8 bytes at 3 lie beyond the 10 of");
    has(references(R"(["data.bin", 30, 0])"), "lie beyond");
    has(references(R"(["gone.bin", 0, 8])"), "there is no file");
    has(references(R"(["s3://bucket/x", 0, 8])"), "'s3://bucket/x' is not a local file");
    has(references(R"(["data.bin", -1, 8])"), "an offset");
    has(references(R"(["data.bin", 3])"), "neither a text nor a part of a file");
    has(references(R"(["{{no}}", 0, 8])"), "no template");
    has(references(R"("base64:!!")"), "is no base64");
    has(references("17"), "neither a text nor a part of a file");
    has(R"({"version": 1, "gen": [{"key": "x"}], "refs": {}})", "generated");
    has("{", "r.json'");
    CHECK(message_of([&] { pv::open_kerchunk(folder / "none.json"); }).find("no such file") !=
          std::string::npos);
}

std::string data(const std::string& name) { return source_path("tests/archives/data/") + name; }

TEST_CASE("what netCDF4 has written, as one, and where kerchunk has found its chunks") {
    const pv::StoredArray both =
        pv::open_many({data("day0.nc"), data("day1.nc")}, {.variable = "t2m", .along = "time"});
    const auto kelvin = both.values.as<double>(); // decoded, as scales differ
    REQUIRE(kelvin.shape() == pv::Shape{4, 3});
    for (pv::index_t t = 0; t < 4; ++t)
        for (pv::index_t x = 0; x < 3; ++x) {
            const double expected = 270 + static_cast<double>(t / 2 * 10 + t % 2 * 3 + x);
            if (expected == 273)
                CHECK(std::isnan(kelvin(t, x)));
            else
                CHECK(kelvin(t, x) == expected);
        }
    // Chunks in the JSON are text or base64; those of the times lie in the files.
    for (int day = 0; day < 2; ++day) {
        const pv::StoredGroup group =
            pv::open_kerchunk(data("day" + std::to_string(day) + ".json"));
        const auto t2m = pv::cf_decoded(group.array("t2m")).as<double>();
        CHECK(
            pv::equals(pv::cast<float>(t2m(pv::all, pv::range(1, 3))),
                       pv::cast<float>(kelvin(pv::range(2 * day, 2 * day + 2), pv::range(1, 3)))));
        CHECK(pv::to_vector(group.array("time").values.as<std::int32_t>()) == std::vector{0, 12});
    }
    const pv::StoredGroup group = pv::open_kerchunk(data("both.json"));
    CHECK(pv::to_vector(group.array("time").values.as<std::int64_t>()) ==
          std::vector<std::int64_t>{0, 12, 24, 36});
    const auto packed = group.array("t2m").values.as<std::int16_t>();
    CHECK(pv::to_vector(pv::reshape(pv::clone(packed), {12})) ==
          std::vector<std::int16_t>{0, 2, 4, -1, 8, 10, 40, 44, 48, 52, 56, 60});
}

} // namespace
} // namespace open_kerchunk_test
