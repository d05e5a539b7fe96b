#include "support/source_path.hpp"
#include <support/catch.hpp>

#include <purview/parquet.hpp>
#include <purview/purview.hpp>

#include <support/temporary.hpp>

#include <functional>
#include <random>
#include <string>

namespace pv = purview;

namespace damaged_parquet_test {
namespace {

using pv::index_t;

const std::string kFolder = source_path("tests/parquet/data/");

/// Opens the file and reads all of it: what is thrown is an error of Purview's, or none.
void read_all_of(const std::string& path) {
    const pv::Columns table = pv::open_parquet(path);
    for (const pv::Column& column : table) {
        pv::clone(column.values);
        pv::clone(column.missing);
    }
}

/// Whether reading was refused; what else than a `FormatError` is thrown fails the test.
bool is_refused(const std::string& path) {
    try {
        read_all_of(path);
    } catch (const pv::FormatError& error) {
        CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring(path));
        return true;
    } catch (const pv::Error&) { // of a type, or a memory limit
        return true;
    } catch (const std::bad_alloc&) {
        return true;
    }
    return false;
}

TEST_CASE("what is no Parquet file") {
    const temporary::Folder folder;
    CHECK_THROWS_AS(pv::open_parquet(folder / "nothing.parquet"), pv::FormatError);
    CHECK_THROWS_AS(pv::open_parquet(folder / ""), pv::FormatError);
    CHECK(is_refused(temporary::write_file(folder / "empty.parquet", "")));
    CHECK(is_refused(temporary::write_file(folder / "text.parquet", "neither PAR1 nor PAR2")));
}

TEST_CASE("files that are shorter than they say") {
    const temporary::Folder folder;
    const std::string whole = temporary::content(kFolder + "unequal.parquet");
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        INFO(size);
        CHECK(is_refused(temporary::write_file(folder / "cut.parquet", whole.substr(0, size))));
        // The footer is there, and what it refers to is not.
        CHECK(is_refused(temporary::write_file(folder / "cut.parquet", whole.substr(size + 1))));
    }
}

TEST_CASE("bytes that have changed are an error or other values") {
    const temporary::Folder folder;
    std::mt19937_64 random(Catch::getSeed());
    for (const char* const name : {"unequal.parquet", "polars.parquet", "duckdb.parquet",
                                   "lists.parquet", "arrow.parquet"}) {
        const std::string whole = temporary::content(kFolder + name);
        for (int round = 0; round < 40; ++round) {
            std::string changed = whole;
            // Half of them in the footer.
            const std::size_t first = round % 2 == 0 ? whole.size() - whole.size() / 8 : 0;
            for (int i = 0; i < 1 + round % 3; ++i)
                changed[first + random() % (whole.size() - first)] =
                    static_cast<char>(random() % 256);
            INFO(name << " " << round);
            is_refused(temporary::write_file(folder / "changed.parquet", changed));
        }
    }
}

TEST_CASE("pages that save_parquet wrote have checksums") {
    const temporary::Folder folder;
    const std::string path = folder / "x.parquet";
    pv::save_parquet(path, {{"x", pv::arange<double>(1000) * 0.37}},
                     {.compression = "none", .rows_per_group = 1000});
    CHECK(!is_refused(path));
    std::string changed = temporary::content(path);
    changed[2000] = static_cast<char>(changed[2000] + 1);
    CHECK(is_refused(temporary::write_file(path, changed)));
}

} // namespace
} // namespace damaged_parquet_test
