#include <support/catch.hpp>

#include <purview/archives.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <support/temporary.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <variant>

// What an index says of arrays, and what `open_index` says of an index.
namespace pv = purview;

namespace index_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t result = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
    return result;
}

/// The text without what is between quotes, in which NaN is a text.
std::string unquoted(const std::string& text) {
    std::string result;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_quoted && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted)
            result += text[i];
    }
    return result;
}

void write(const std::string& path, float value, const pv::Attributes& attributes) {
    pv::ZarrOptions options;
    options.dimension_names = {"t"};
    options.attributes = attributes;
    pv::save_zarr(path, pv::tensor<float>({value, value + 1}), options);
}

/// As format 2 has a fill value, which is that of missing elements.
void write_format_2(const std::string& path, const std::string& fill) {
    std::filesystem::create_directory(path);
    temporary::write_file(path + "/.zarray",
                          R"({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", )"
                          R"("compressor": null, "filters": null, "order": "C", "fill_value": )" +
                              fill + "}");
    temporary::write_file(path + "/0", std::string("\0\0\x80\x3f\0\0\0\x40", 8)); // 1, 2
}

TEST_CASE(
    "fill values that are NaN are the same, leave floats as stored, and are JSON in an index") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    const pv::Attributes attributes{{"_FillValue", kNan}, {"units", "K"}};
    for (const int i : {1, 2, 3})
        write(base + "x" + std::to_string(i), static_cast<float>(i), attributes);
    const pv::StoredArray found = pv::save_index(base + "x.json", base + "x?", {.along = "t"});
    const pv::StoredArray read = pv::open_index(base + "x.json");
    for (const pv::StoredArray& all : {found, read}) {
        CHECK(all.values.dtype() == pv::float32);
        REQUIRE(all.attributes.number("_FillValue"));
        CHECK(std::isnan(*all.attributes.number("_FillValue")));
        CHECK(all.attributes.text("units") == "K");
        CHECK(all.values.as<float>().read(4) == 3);
    }
    const std::string text = temporary::content(base + "x.json");
    CHECK(count(text, "\"attributes\"") == 1);
    CHECK(unquoted(text).find("NaN") == std::string::npos);
}

TEST_CASE("the fill values of Zarr's format 2 that are no JSON numbers come back from an index") {
    const temporary::Folder folder;
    for (const std::string fill : {"NaN", "Infinity", "-Infinity"}) {
        const std::string base = folder / (fill + "-");
        write_format_2(base + "1", '"' + fill + '"');
        write_format_2(base + "2", '"' + fill + '"');
        const pv::StoredArray found = pv::save_index(base + "all.json", {base + "1", base + "2"});
        const pv::StoredArray read = pv::open_index(base + "all.json");
        for (const pv::StoredArray& all : {found, read}) {
            REQUIRE(all.missing); // what is decoded has none
            const auto number = std::get<double>(*all.missing);
            CHECK(std::isnan(number) == (fill == "NaN"));
            CHECK((std::isinf(number) && number < 0) == (fill == "-Infinity"));
            CHECK(all.values.as<float>().read(3) == 2);
        }
        const std::string text = temporary::content(base + "all.json");
        CHECK(count(text, "\"attributes\"") == 1);
        CHECK(unquoted(text).find("NaN") == std::string::npos);
        CHECK(unquoted(text).find("Infinity") == std::string::npos);
        // What earlier ones wrote is read.
        const std::string quoted = "\"missing\": \"" + fill + '"';
        REQUIRE(count(text, quoted) == 1);
        std::string bare = text;
        bare.replace(bare.find(quoted), quoted.size(), "\"missing\": " + fill);
        temporary::write_file(base + "bare.json", bare);
        CHECK(pv::open_index(base + "bare.json").missing.has_value());
    }
}

TEST_CASE("one fill value as an integer and as a float is the same, others are not") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write(base + "a1", 1, {{"_FillValue", -1}});
    write(base + "a2", 1, {{"_FillValue", -1.}});
    CHECK(pv::open_many(base + "a?", {.along = "t"}).attributes.has("_FillValue"));
    write(base + "b1", 1, {{"_FillValue", kNan}});
    write(base + "b2", 1, {{"_FillValue", 1}});
    const pv::StoredArray differ = pv::open_many(base + "b?", {.along = "t"});
    CHECK_FALSE(differ.attributes.has("_FillValue"));
    CHECK(std::isnan(differ.values.as<float>().read(2)));
}

TEST_CASE("whatever is wrong with an index, the error names it") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    for (const int i : {1, 2})
        write(base + "x" + std::to_string(i), static_cast<float>(i), {{"units", "K"}});
    pv::save_index(base + "i.json", {base + "x1", base + "x2", base + "absent"},
                   {.along = "t", .missing = pv::MissingFiles::filled});
    const std::string text = temporary::content(base + "i.json");
    const std::string path = base + "j.json";
    const auto refused = [&](const std::string& what, const std::string& by) {
        std::string other = text;
        std::size_t replaced = 0;
        for (auto at = other.find(what); at != std::string::npos; ++replaced) {
            other.replace(at, what.size(), by);
            at = other.find(what, at + by.size());
        }
        CHECK(replaced > 0);
        temporary::write_file(path, other);
        try {
            pv::open_index(path);
        } catch (const pv::FormatError& error) {
            const std::string message = error.what();
            const std::string begin = "open_index: '" + path + "': ";
            CHECK(message.find(begin) == 0);
            return message.substr(std::min(begin.size(), message.size()));
        }
        return std::string("no error");
    };
    using Catch::Matchers::ContainsSubstring;
    CHECK_THAT(refused("float32", "float33"), ContainsSubstring("there is no type 'float33'"));
    CHECK_THAT(refused("float32", "int32"),
               ContainsSubstring("elements of int32 have no fill value"));
    CHECK_THAT(refused("\"missing\": null", "\"missing\": \"three\""),
               ContainsSubstring("'missing'"));
    CHECK_THAT(refused("\"missing\": null", "\"missing\": [3]"), ContainsSubstring("missing"));
    CHECK_THAT(refused("\"attributes\": {\"units\":\"K\"}", "\"attributes\": \"NaN\""),
               ContainsSubstring("JSON"));
    CHECK_THAT(refused("\"shape\": [6]", "\"shape\": [4611686018427387904, 4]"),
               ContainsSubstring("overflow"));
    // Names and extents of other ranks than the arrays have.
    CHECK_THAT(refused("\"dimension_names\": [\"t\"]", "\"dimension_names\": [\"t\", \"x\"]"),
               ContainsSubstring("has 2 dimension_names (t, x), and 1 axes"));
    CHECK_THAT(refused("\"dimension_names\": [\"t\"], \"new_axes\"",
                       "\"dimension_names\": [\"t\", \"x\"], \"new_axes\""),
               ContainsSubstring("has 2 dimension_names"));
    CHECK_THAT(refused("\"dimension_names\": [\"t\"], \"chunks\"",
                       "\"dimension_names\": [\"t\", \"x\"], \"chunks\""),
               ContainsSubstring("has 2 dimension_names"));
    CHECK_THAT(refused("\"dimension_names\": [\"t\"]", "\"dimension_names\": \"t\""),
               ContainsSubstring("'dimension_names' is no list"));
    CHECK_THAT(refused("\"chunks\": [2]", "\"chunks\": [2, 2]"),
               ContainsSubstring("'chunks' are [2 2]"));
    CHECK_THAT(refused("\"chunks\": [2]", "\"chunks\": []"), ContainsSubstring("'chunks' are []"));
    CHECK_THAT(refused("\"shards\": [2]", "\"shards\": [2, 2]"),
               ContainsSubstring("'shards' are [2 2]"));
    CHECK_THAT(refused("\"shards\": [2]", "\"shards\": []"), ContainsSubstring("'shards' are []"));
    // Nothing is there.
    pv::save_index(base + "k.json", {base + "x1"}, {.along = "t"});
    std::string none = temporary::content(base + "k.json");
    const auto entry = none.find("[\"x1\", [2], [0]");
    REQUIRE(entry != std::string::npos);
    none.replace(entry, none.find(']', entry + 15) - entry, "[null, [2], [0]");
    temporary::write_file(path, none);
    CHECK_THROWS_WITH(pv::open_index(path),
                      "open_index: '" + path + "': none of the files is there");
    CHECK_THROWS_WITH(pv::open_index(base + "none"),
                      ContainsSubstring("open_index: '" + base + "none'"));
    CHECK_THROWS_WITH(pv::open_index(folder / ""), ContainsSubstring("open_index: '"));
}

} // namespace
} // namespace index_test
