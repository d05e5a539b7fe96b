#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>
#include <support/temporary.hpp>

#include <purview/arrow.hpp>
#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace open_arrow_file_test {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;
using temporary::File;

constexpr index_t kRows = 7; // of the files that data/make.py makes

std::string data(const std::string& name) { return source_path("tests/arrow/data/") + name; }

template <typename T, typename F>
void check_column(const pv::Columns& table, const std::string& name, F expected) {
    CAPTURE(name);
    for (const bool is_gappy : {false, true}) {
        const std::string full = (is_gappy ? "gappy " : "") + name;
        if (is_gappy && !table.contains(full)) continue;
        const pv::Column& column = table[full];
        REQUIRE(column.rows() == kRows);
        const auto values = column.values.as<T>();
        for (index_t r = 0; r < kRows; ++r) {
            const bool is_gap = is_gappy && r % 3 == 1;
            CHECK(column.missing(r) == is_gap);
            if (!is_gap) CHECK(values(r) == expected(r));
        }
    }
}

void check_table(const pv::Columns& table) {
    const auto number = [](index_t k) { return [k](index_t r) { return 10 * r + k; }; };
    check_column<std::int8_t>(table, "int8", number(0));
    check_column<std::int16_t>(table, "int16", number(1));
    check_column<std::int32_t>(table, "int32", number(2));
    check_column<std::int64_t>(table, "int64", number(3));
    check_column<std::uint8_t>(table, "uint8", number(4));
    check_column<std::uint16_t>(table, "uint16", number(5));
    check_column<std::uint32_t>(table, "uint32", number(6));
    check_column<std::uint64_t>(table, "uint64",
                                [](index_t r) { return 10 * static_cast<std::uint64_t>(r) + 7; });
    const auto half = [](index_t r) { return static_cast<double>(r) + 0.5; };
    check_column<float>(table, "float32", half);
    check_column<double>(table, "float64", half);
    for (index_t r = 0; r < kRows; ++r)
        CHECK(static_cast<float>(table["float16"].values.as<pv::Half>()(r)) == half(r));
    check_column<bool>(table, "bool", [](index_t r) { return r % 2 == 0; });
    const auto word = [](index_t r) {
        std::string words;
        for (index_t i = 0; i <= r && r != 2; ++i) words += "word " + std::to_string(r);
        return words;
    };
    for (const char* name : {"utf8", "large_utf8", "string_view"})
        check_column<std::string>(table, name, word);
    check_column<std::string>(table, "binary", [](index_t r) {
        return std::string{static_cast<char>(r), static_cast<char>(255 - r)};
    });
    const sys_days first = 2026y / January / 1;
    check_column<sys_days>(table, "date32", [&](index_t r) { return first + days(r); });
    check_column<sys_time<milliseconds>>(table, "date64",
                                         [&](index_t r) { return first + days(r); });
    check_column<seconds>(table, "time32", [](index_t r) { return 1h + 2min + seconds(r); });
    check_column<microseconds>(table, "time64",
                               [](index_t r) { return 1h + 2min + 3s + microseconds(r); });
    check_column<local_time<microseconds>>(
        table, "local", [&](index_t r) { return local_days(2026y / January / 1) + hours(r); });
    check_column<sys_time<nanoseconds>>(table, "zoned",
                                        [&](index_t r) { return first + hours(r); });
    CHECK(table["zoned"].time_zone == "Europe/Vienna");
    check_column<milliseconds>(table, "duration", [](index_t r) { return milliseconds(r); });
    check_column<double>(table, "decimal128",
                         [](index_t r) { return static_cast<double>(r - 3) / 8; });
    check_column<double>(table, "decimal256",
                         [](index_t r) { return std::stod(std::to_string(r - 3) + "e30"); });
    check_column<std::string>(table, "dictionary",
                              [](index_t r) { return "key " + std::to_string(r % 3); });
    check_column<std::int32_t>(table, "struct.x", [](index_t r) { return r; });
    check_column<std::string>(table, "struct.y", [](index_t r) { return "y" + std::to_string(r); });
    const auto list = table.get<float>("list");
    REQUIRE(list.shape() == pv::Shape{kRows, 2});
    const auto bytes = table.get<std::uint8_t>("bytes3");
    REQUIRE(bytes.shape() == pv::Shape{kRows, 3});
    for (index_t r = 0; r < kRows; ++r) {
        CHECK(list(r, 1) == static_cast<float>(r) + 0.25F);
        CHECK(bytes(r, 1) == r);
        CHECK(bytes(r, 2) == 7);
        CHECK(table["null"].missing(r));
    }
}

template <typename E, typename Work, typename Matcher>
void refused(Work work, Matcher text) {
    CHECK_THROWS_AS(work(), E);
    CHECK_THROWS_WITH(work(), text);
}

TEST_CASE(
    "Arrow files: what pyarrow has written, of every type, compressed or not, in either format") {
    for (const char* name :
         {"types.arrow", "types_lz4.arrow", "types_zstd.arrow", "types.arrows"}) {
        CAPTURE(name);
        pv::drop_cached_chunks();
        const pv::Columns table = pv::open_arrow_file(data(name));
        CHECK(table.rows() == kRows);
        check_table(table);
    }
    const pv::Columns none = pv::open_arrow_file(data("empty.arrow"));
    CHECK(none.rows() == 0);
    CHECK(none["zoned"].time_zone == "Europe/Vienna");
    CHECK(none["list"].values.shape() == pv::Shape{0, 2});
}

TEST_CASE("Arrow files: what Polars has written") {
    const pv::Columns table = pv::open_arrow_file(data("polars.arrow"));
    CHECK(pv::to_vector(table["number"].missing) == std::vector{false, true, false});
    CHECK(pv::to_vector(table["word"].missing) == std::vector{false, true, false});
    CHECK(table.get<std::int64_t>("number")(2) == 3);
    CHECK(table.get<std::string>("word")(0) == "one");
    CHECK(table.get<std::string>("word")(2) == "a word that is longer than a view has room for");
}

TEST_CASE("Arrow files: a dictionary that grows, and is replaced") {
    const auto key = pv::open_arrow_file(data("deltas.arrows")).get<std::string>("key");
    CHECK(pv::to_vector(key) ==
          std::vector<std::string>{"a", "b", "a", "c", "b", "a", "z", "a", "a"});
}

TEST_CASE("Arrow files: what is missing, in lists, structs and dictionaries, compressed or not") {
    for (const char* name : {"gaps.arrow", "gaps_zstd.arrow"}) {
        CAPTURE(name);
        pv::drop_cached_chunks();
        const pv::Columns table = pv::open_arrow_file(data(name));
        REQUIRE(table.rows() == 6);
        const auto time = table["time"].values.as<sys_time<microseconds>>();
        const auto lists = table.get<std::int16_t>("lists");
        const auto floats = table.get<double>("floats");
        const auto keys = table.get<std::string>("keys");
        const auto b = table["struct.in.b"].values.as<std::int64_t>();
        for (index_t r = 0; r < 6; ++r) {
            const bool is_odd = r % 2 == 1;
            for (const char* column : {"float", "time", "word", "key"})
                CHECK(table[column].missing(r) == is_odd);
            CHECK(std::isnan(table.get<double>("float")(r)) == is_odd);
            CHECK((time(r) == sys_time<microseconds>::min()) == is_odd);
            CHECK(table.get<std::string>("word")(r) == (is_odd ? "" : "w" + std::to_string(r)));
            CHECK(table.get<std::string>("key")(r) == (is_odd ? "" : "k" + std::to_string(r % 4)));
            CHECK(std::isnan(floats(r, 1)) == is_odd);
            CHECK_FALSE(table["floats"].missing(r));
            CHECK(table["lists"].missing(r) == (r == 4));
            CHECK(lists(r, 1) == (r == 4 ? 0 : r + 1));
            CHECK_FALSE(table["keys"].missing(r));
            CHECK(keys(r, 1) == "k" + std::to_string((2 * r + 1) % 3));
            CHECK(table["struct.a"].missing(r) == (r == 3));
            CHECK(table["struct.in.b"].missing(r) == (r == 3 || r == 1));
            CHECK(b(r) == (r == 3 || r == 1 ? 0 : r));
            CHECK(table["struct.in.c"].missing(r) == (r == 3));
        }
        // Parts of a struct by name, and nothing else of it is decoded.
        CHECK(pv::open_arrow_file(data(name), {.columns = {"struct.in"}}).size() == 2);
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const pv::Columns some =
            pv::open_arrow_file(data(name), {.columns = {"struct.in.b"}, .fill = 8});
        CHECK(pv::sum(some.get<std::int64_t>("struct.in.b")) == 0 + 8 + 2 + 8 + 4 + 5);
        CHECK(pv::chunk_statistics().chunks_read == (name == std::string("gaps.arrow") ? 0 : 2));
        CHECK_THROWS_AS(pv::open_arrow_file(data(name), {.columns = {"lists"}, .fill = 1e9}),
                        pv::CastError);
    }
}

TEST_CASE("Arrow files: what lies behind a union of an old version") {
    const pv::Columns table = pv::open_arrow_file(data("union.arrow"), {.columns = {"number"}});
    CHECK(pv::to_vector(table.get<std::int64_t>("number")) == std::vector<std::int64_t>{7, 8, 9});
    refused<pv::DtypeError>([&] { pv::open_arrow_file(data("union.arrow")); },
                            ContainsSubstring("column 'union'"));
}

TEST_CASE("Arrow files: batches that are not compressed are read where they lie") {
    pv::reset_chunk_statistics();
    const pv::Columns table = pv::open_arrow_file(data("types.arrow"));
    check_table(table);
    CHECK(pv::chunk_statistics().chunks_read == 0);
}

TEST_CASE("Arrow files: of compressed batches, only what is asked for is decoded, once") {
    pv::drop_cached_chunks();
    pv::reset_chunk_statistics();
    const pv::Columns table = pv::open_arrow_file(data("types_zstd.arrow"));
    CHECK(pv::chunk_statistics().chunks_read == 0);
    CHECK(pv::sum(table.get<double>("float64")) == 24.5);
    CHECK(pv::chunk_statistics().chunks_read == 2); // batches of 5 rows and of 2
    CHECK(pv::max(table.get<double>("float64")) == 6.5);
    CHECK(pv::chunk_statistics().chunks_read == 2);
}

TEST_CASE("Arrow files: columns by name, and what gaps are read as") {
    for (const char* name : {"types.arrow", "types_lz4.arrow"}) {
        CAPTURE(name);
        const pv::Columns table = pv::open_arrow_file(
            data(name), {.columns = {"gappy float64", "struct", "gappy int32"}, .fill = -1});
        REQUIRE(table.size() == 4);
        CHECK(table.begin()->name == "gappy float64");
        CHECK(table.get<double>("gappy float64")(1) == -1);
        CHECK(table.get<std::int32_t>("gappy int32")(4) == -1);
        CHECK(table["gappy int32"].missing(4));
        CHECK(table["gappy int32"].is_filled);
        CHECK_FALSE(table["struct.x"].is_filled);
        refused<pv::IndexError>([&] { pv::open_arrow_file(data(name), {.columns = {"int3"}}); },
                                ContainsSubstring("no column 'int3'") &&
                                    ContainsSubstring("'int32'"));
    }
}

TEST_CASE(
    "Arrow files: columns of types that are not read are refused by name, if they are wanted") {
    const std::string path = data("lists.arrow");
    refused<pv::DtypeError>([&] { pv::open_arrow_file(path); },
                            ContainsSubstring(path) && ContainsSubstring("column 'list'"));
    refused<pv::DtypeError>([&] { pv::open_arrow_file(path, {.columns = {"map"}}); },
                            ContainsSubstring("column 'map'"));
    CHECK(pv::open_arrow_file(path, {.columns = {"number"}}).get<std::int64_t>("number")(1) == 2);
}

TEST_CASE("Arrow files: what is none, or cut short, is refused by name") {
    const auto none = [](const std::string& bytes, const char* text) {
        const File file(bytes);
        refused<pv::FormatError>([&] { pv::open_arrow_file(file.path()); },
                                 ContainsSubstring(text) && ContainsSubstring(file.path()));
    };
    none("", "none of Arrow's");
    none("no file of Arrow's", "the message at byte 0 has");
    none("FEA1 and more of it", "version 1 of Feather");
    none("ARROW1", "cut short");
    CHECK_THROWS_AS(pv::open_arrow_file("/nowhere.arrow"), pv::FormatError);
    const std::string whole = temporary::content(data("types_lz4.arrow"));
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        const File file(whole.substr(0, size));
        CHECK_THROWS_AS(pv::open_arrow_file(file.path()), pv::FormatError);
    }
}

TEST_CASE("Arrow files: messages that share bytes are refused, however many are said") {
    const temporary::Folder folder;
    const std::string path = folder / "many.arrow";
    std::vector<pv::Columns> batches(40, pv::Columns{{"x", pv::tensor<int>({1, 2})}});
    pv::save_arrow_file(path, pv::to_arrow_stream(std::move(batches)));
    std::string bytes = temporary::content(path);
    CHECK(pv::open_arrow_file(path).rows() == 80);
    // The table of contents tells of each batch its offset and the bytes of its description: all offsets are made that of the first.
    const auto number_at = [&]<typename T>(std::size_t at, T number) {
        std::memcpy(&number, bytes.data() + at, sizeof(number));
        return number;
    };
    std::int64_t first = 0;
    int changed = 0;
    for (std::size_t at = bytes.size() / 8 * 4; at + 24 < bytes.size(); at += 4) {
        const auto offset = number_at(at, std::int64_t{});
        const auto described = number_at(at + 8, std::int64_t{});
        if (offset < 64 || offset >= std::ssize(bytes) || offset % 64 != 0 || described < 64 ||
            described > 1024 ||
            number_at(static_cast<std::size_t>(offset), std::uint32_t{}) != 0xFFFF'FFFF)
            continue;
        if (first == 0) first = offset;
        changed += offset != first;
        std::memcpy(bytes.data() + at, &first, sizeof(first));
        at += 20; // the rest of the entry
    }
    CHECK(changed == 39);
    const File file(bytes);
    refused<pv::FormatError>([&] { pv::open_arrow_file(file.path()); },
                             ContainsSubstring(file.path()));
}

/// Reads all of a file; what it says of itself may be wrong, but not without an error that is ours.
void read_all(const std::string& path) {
    try {
        for (const pv::Column& column : pv::open_arrow_file(path)) {
            const pv::AnyTensor values = pv::clone(column.values);
            CHECK(values.rank() >= 1);
            const auto gaps = pv::to_vector(column.missing);
            CHECK(std::ssize(gaps) == column.rows());
        }
    } catch (const pv::Error& error) {
        CHECK(std::string(error.what()).find(path) != std::string::npos);
    }
}

TEST_CASE("Arrow files: changed bytes give other elements or an error that names the file") {
    std::mt19937_64 engine(11);
    for (const char* name : {"types.arrow", "types_zstd.arrow", "types_lz4.arrow", "types.arrows",
                             "deltas.arrows", "polars.arrow"}) {
        CAPTURE(name);
        const std::string whole = temporary::content(data(name));
        for (int round = 0; round < oracle::rounds(400); ++round) {
            std::string bytes = whole;
            for (int change = 0; change <= round % 3; ++change) {
                // Most of what is said is at the end of a file, and at the beginning of a stream.
                const std::size_t from = engine() % 2 == 0 ? 0 : bytes.size() - bytes.size() / 4;
                const std::size_t at = from + engine() % (bytes.size() - from);
                bytes[at] = static_cast<char>(engine() % 4 == 0 ? 0xFF : engine());
            }
            const File file(bytes);
            read_all(file.path());
        }
    }
}

TEST_CASE("Arrow files: one that is larger than the memory limit is read within it") {
    constexpr index_t kMany = 1 << 20;
    const temporary::Folder folder;
    const auto values = pv::compute_tensor(pv::Shape{kMany},
                                           [](index_t i) { return static_cast<double>(i % 1000); });
    for (const auto compression :
         {pv::ArrowCompression::none, pv::ArrowCompression::lz4, pv::ArrowCompression::zstd}) {
        const std::string path = folder / "large.arrow";
        pv::save_arrow_file(path, {{"x", values}},
                            {.compression = compression, .rows_per_batch = 1 << 14});
        const oracle::MemoryLimit limit(1 << 20);
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const auto x = pv::open_arrow_file(path).get<double>("x");
        CHECK(pv::sum(x) == pv::sum(values));
        CHECK(pv::chunk_statistics().chunks_read ==
              (compression == pv::ArrowCompression::none ? 0 : kMany >> 14));
        CHECK(pv::sum(x(pv::range(100'000, 100'010))) == 45);
    }
}

} // namespace open_arrow_file_test
