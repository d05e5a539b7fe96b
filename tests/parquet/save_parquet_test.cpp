#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/parquet.hpp>
#include <purview/purview.hpp>

#include <support/settings.hpp>
#include <support/temporary.hpp>

#include <atomic>
#include <chrono>
#include <complex>
#include <string>
#include <vector>

namespace pv = purview;

namespace save_parquet_test {
namespace {

using pv::index_t;
using namespace std::chrono;

template <typename T>
void check_same(const pv::Columns& read, const pv::Columns& written, const char* name) {
    INFO(name);
    REQUIRE(read[name].dtype() == pv::kDType<T>);
    CHECK(pv::equals(read[name].values.as<T>(), written[name].values.as<T>()));
    CHECK(pv::equals(read[name].missing, written[name].missing));
}

TEST_CASE("what was written is read, in any compression and row groups of any length") {
    const temporary::Folder folder;
    const index_t n = 1000;
    const pv::Tensor<index_t> i = pv::arange(n);
    const pv::Tensor<bool> gaps = i % 7 == 3;
    std::vector<std::string> texts;
    std::vector<sys_days> days;
    std::vector<nanoseconds> waits;
    std::vector<local_time<microseconds>> points;
    for (index_t k = 0; k < n; ++k) {
        texts.push_back("ä" + std::to_string(k * k));
        days.push_back(sys_days(1970y / 1 / 1) + std::chrono::days(k - 500));
        waits.emplace_back(k * k);
        points.emplace_back(microseconds(k * 1'000'003));
    }
    std::vector<pv::Column> list{
        {"i8", pv::cast<std::int8_t>(i % 100)},
        {"u16", pv::cast<std::uint16_t>(i)},
        {"i64", i * i},
        {"u64", pv::cast<std::uint64_t>(i)},
        {"f16", pv::cast<pv::Half>(i)},
        {"f32", pv::cast<float>(i) / 8.f},
        {"f64", pv::cast<double>(i) / 3.},
        {"b", i % 3 == 0},
        {"text", texts},
        {"day", days},
        {"wait", waits},
        {"point", points},
        {"rows", pv::reshape(pv::arange<double>(3 * n), {n, 3})},
        {"gaps", pv::where(gaps, 0, i), gaps},
    };
    const pv::Columns written(list);
    for (const char* const compression : {"zstd", "snappy", "lz4", "gzip", "brotli", "none"})
        for (const index_t rows : {0, 1000, 300, 7}) {
            INFO(compression << " " << rows);
            const std::string path = folder / "x.parquet";
            pv::save_parquet(path, written, {.compression = compression, .rows_per_group = rows});
            const pv::Columns read = pv::open_parquet(path);
            REQUIRE(read.size() == written.size());
            check_same<std::int8_t>(read, written, "i8");
            check_same<std::uint16_t>(read, written, "u16");
            check_same<index_t>(read, written, "i64");
            check_same<std::uint64_t>(read, written, "u64");
            check_same<pv::Half>(read, written, "f16");
            check_same<float>(read, written, "f32");
            check_same<double>(read, written, "f64");
            check_same<bool>(read, written, "b");
            check_same<std::string>(read, written, "text");
            check_same<sys_days>(read, written, "day");
            check_same<nanoseconds>(read, written, "wait");
            check_same<local_time<microseconds>>(read, written, "point");
            check_same<double>(read, written, "rows");
            check_same<index_t>(read, written, "gaps");
        }
    CHECK(folder.file_count() == 1);
}

TEST_CASE("times that are missing are NaT") {
    const temporary::Folder folder;
    const std::string path = folder / "x.parquet";
    const pv::Tensor<bool> gaps = pv::arange(100) % 3 == 0;
    const std::vector<seconds> waits(100, seconds(5));
    const std::vector<sys_days> days(100, sys_days(2000y / 2 / 3));
    pv::save_parquet(path, {{"wait", waits, gaps}, {"day", days, gaps}}, {.rows_per_group = 30});
    const pv::Columns read = pv::open_parquet(path);
    const auto wait = read["wait"].values.as<seconds>();
    const auto day = read["day"].values.as<sys_days>();
    CHECK(pv::equals(pv::is_nat(wait), gaps));
    CHECK(pv::equals(pv::is_nat(day), gaps));
    CHECK(seconds(wait(1)) == seconds(5));
    CHECK(sys_days(day(1)) == sys_days(2000y / 2 / 3));
    CHECK(pv::equals(read["day"].missing, gaps));
}

TEST_CASE("columns larger than the memory limit are written and read in parts") {
    const temporary::Folder folder;
    const std::string path = folder / "large.parquet";
    const oracle::MemoryLimit limit(index_t{4} << 20);
    const index_t n = 2'000'000; // 16 MB a column
    const pv::Tensor<double> x = pv::cast<double>(pv::arange(n)) / 4.;
    const pv::Tensor<bool> gaps = pv::arange(n) % 5 == 0;
    pv::save_parquet(path, {{"x", x}, {"y", x * 2., gaps}});
    const pv::Columns read = pv::open_parquet(path);
    pv::drop_cached_chunks();
    pv::reset_chunk_statistics();
    CHECK(pv::sum(read["x"].values.as<double>()) == 499'999'750'000.);
    CHECK(pv::chunk_statistics().chunks_read > 10);
    CHECK(pv::chunk_statistics().peak_bytes <= index_t{4} << 20);
    CHECK(pv::count_true(read["y"].missing) == n / 5);
    // Read from a file, computed, and written to another one.
    pv::save_parquet(folder / "other.parquet",
                     {{"z", read["x"].values.as<double>() + 1., read["y"].missing}});
    const pv::Columns other = pv::open_parquet(folder / "other.parquet");
    CHECK(other.get<double>("z")(n - 1) == static_cast<double>(n - 1) / 4 + 1);
    CHECK(bool(other["z"].missing(n - 5)));
}

TEST_CASE("row groups are decoded on several threads") {
    const temporary::Folder folder;
    const std::string path = folder / "x.parquet";
    pv::save_parquet(path, {{"x", pv::arange(index_t{100'000})}}, {.rows_per_group = 1000});
    const oracle::Threads threads(4);
    for (int round = 0; round < 20; ++round) {
        const pv::Columns read = pv::open_parquet(path);
        pv::drop_cached_chunks();
        CHECK(pv::sum(read["x"].values.as<index_t>()) == index_t{4'999'950'000});
    }
}

TEST_CASE("tables without rows or columns, and texts that are not UTF-8") {
    const temporary::Folder folder;
    const std::string path = folder / "x.parquet";
    pv::save_parquet(path, {{"x", pv::zeros<float>({0})}, {"y", pv::zeros<double>({0, 3})}});
    const pv::Columns read = pv::open_parquet(path);
    CHECK(read.rows() == 0);
    CHECK(read["x"].dtype() == pv::float32);
    CHECK(pv::to_string(read["y"].values.shape()) == "[0 3]");
    pv::save_parquet(path, {});
    CHECK(pv::open_parquet(path).size() == 0);

    const std::vector<std::string> texts{"\xff", "a", "b", "c"};
    pv::save_parquet(path, {{"text", texts}}, {.rows_per_group = 2});
    CHECK(pv::open_parquet(path)["text"].values.as<std::string>()(3) == std::string("c"));
    const std::vector<std::string> reversed{"c", "b", "a", "\xff"};
    CHECK_THROWS_AS(pv::save_parquet(path, {{"text", reversed}}, {.rows_per_group = 2}),
                    pv::DtypeError);
    CHECK(pv::open_parquet(path).rows() == 4); // as it was
    CHECK(folder.file_count() == 1);
}

TEST_CASE("what cannot be written") {
    const temporary::Folder folder;
    const std::string path = folder / "x.parquet";
    const pv::Columns columns{{"x", pv::arange(10)}};
    CHECK_THROWS_AS(pv::save_parquet(path, columns, {.compression = "best"}), pv::FormatError);
    CHECK_THROWS_AS(pv::save_parquet(path, columns, {.rows_per_group = -1}), pv::Error);
    CHECK_THROWS_AS(pv::save_parquet(folder / "no/x.parquet", columns), pv::FormatError);
    CHECK_THROWS_AS(pv::save_parquet(path, {{"z", pv::zeros<std::complex<double>>({3})}}),
                    pv::DtypeError);
    CHECK(folder.file_count() == 0);
}

} // namespace
} // namespace save_parquet_test
