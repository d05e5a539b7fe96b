#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/temporary.hpp>

#include <purview/arrow.hpp>
#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace save_arrow_file_test {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

/// A table of all types that `to_arrow` has, with gaps in each third column.
pv::Columns random_table(index_t rows, std::mt19937_64& engine) {
    std::vector<pv::Column> columns;
    const auto add = [&]<typename T>(const char* name, std::vector<T> values) {
        if (columns.size() % 3 != 0) {
            columns.emplace_back(name, pv::tensor(std::move(values)));
            return;
        }
        const auto gaps = pv::clone(
            pv::compute_tensor(pv::Shape{rows}, [&](index_t) { return engine() % 4 == 0; }));
        columns.emplace_back(name, pv::tensor(std::move(values)), gaps);
    };
    const auto made = [&]<typename T>(const char* name, T, auto value) {
        std::vector<T> values;
        for (index_t r = 0; r < rows; ++r) values.push_back(value());
        add(name, std::move(values));
    };
    const auto bits = [&] { return static_cast<std::int64_t>(engine()); };
    made("i8", std::int8_t{}, [&] { return static_cast<std::int8_t>(bits()); });
    made("u16", std::uint16_t{}, [&] { return static_cast<std::uint16_t>(bits()); });
    made("i32", std::int32_t{}, [&] { return static_cast<std::int32_t>(bits()); });
    made("u64", std::uint64_t{}, [&] { return engine(); });
    made("f16", pv::Half{}, [&] { return pv::Half(static_cast<float>(bits() % 100)); });
    made("f32", float{}, [&] { return static_cast<float>(bits()); });
    made("f64", double{}, [&] { return static_cast<double>(bits()) / 7; });
    made("text", std::string{},
         [&] { return std::string(engine() % 20, static_cast<char>('a' + engine() % 26)); });
    made("bytes", std::string{}, [&] {
        return std::string(engine() % 5, static_cast<char>(0x80 + engine() % 64)) + '\xFF';
    });
    made("day", sys_days{}, [&] { return sys_days(days(bits() % 40'000)); });
    made("at", sys_time<microseconds>{},
         [&] { return sys_time<microseconds>(microseconds(bits() / 2)); });
    made("for", nanoseconds{}, [&] { return nanoseconds(bits()); });
    columns.back().time_zone = "";
    columns.emplace_back("bool", pv::clone(pv::compute_tensor(
                                     pv::Shape{rows}, [&](index_t) { return engine() % 2 == 0; })));
    columns.emplace_back("matrix", pv::clone(pv::compute_tensor(
                                       pv::Shape{rows, 2, 3}, [&](index_t, index_t, index_t) {
                                           return static_cast<float>(engine() % 100);
                                       })));
    for (pv::Column& column : columns)
        if (column.name == "at") column.time_zone = "America/Lima";
    return pv::Columns(std::move(columns));
}

void check_same(const pv::Columns& read, const pv::Columns& table) {
    REQUIRE(read.size() == table.size());
    REQUIRE(read.rows() == table.rows());
    for (const pv::Column& column : table) {
        CAPTURE(column.name);
        const pv::Column& other = read[column.name];
        CHECK(other.dtype() == column.dtype());
        CHECK(other.time_zone == column.time_zone);
        CHECK(pv::to_vector(other.missing) == pv::to_vector(column.missing));
        const auto same = [&]<typename T>(T) {
            if (column.dtype() != pv::kDType<T>) return;
            const auto a = pv::clone(column.values.as<T>());
            const auto b = pv::clone(other.values.as<T>());
            REQUIRE(a.shape() == b.shape());
            const auto gaps = pv::to_vector(column.missing);
            const auto left = pv::to_vector(pv::reshape(a, {a.size()}));
            const auto right = pv::to_vector(pv::reshape(b, {b.size()}));
            const std::size_t in_row = gaps.empty() ? 1 : left.size() / gaps.size();
            for (std::size_t i = 0; i < left.size(); ++i)
                if (!gaps[i / in_row]) CHECK(left[i] == right[i]);
        };
        same(std::int8_t{}), same(std::uint16_t{}), same(std::int32_t{}), same(std::uint64_t{});
        same(float{}), same(double{}), same(bool{}), same(std::string{}), same(sys_days{});
        same(sys_time<microseconds>{}), same(nanoseconds{});
    }
}

TEST_CASE("Arrow files: what is saved is read again, in either format, compressed or not") {
    std::mt19937_64 engine(5);
    const temporary::Folder folder;
    const std::string path = folder / "table.arrow";
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto rows = round < 3 ? index_t{round} : static_cast<index_t>(engine() % 300);
        const pv::Columns table = random_table(rows, engine);
        const auto compression = static_cast<pv::ArrowCompression>(round % 3);
        const bool as_stream = engine() % 2 == 0;
        const auto in_batch = static_cast<index_t>(1 + engine() % 200);
        CAPTURE(rows, round, as_stream, in_batch);
        pv::save_arrow_file(
            path, table,
            {.compression = compression, .rows_per_batch = in_batch, .as_stream = as_stream});
        pv::drop_cached_chunks();
        check_same(pv::open_arrow_file(path), table);
    }
    CHECK(folder.file_count() == 1);
}

TEST_CASE("Arrow files: batches of a stream, and what replaces itself") {
    const temporary::Folder folder;
    const std::string path = folder / "stream.arrow";
    int batch = 0;
    pv::save_arrow_file(path, pv::to_arrow_stream([&]() -> std::optional<pv::Columns> {
                            if (batch == 3) return std::nullopt;
                            return pv::Columns{{"x", pv::tensor<int>({batch++, 10})}};
                        }));
    const auto x = pv::open_arrow_file(path).get<int>("x");
    CHECK(pv::to_vector(x) == std::vector{0, 10, 1, 10, 2, 10});
    // The mapping stays what it was.
    pv::save_arrow_file(path, {{"x", x * 2}}, {.compression = pv::ArrowCompression::lz4});
    CHECK(pv::to_vector(x) == std::vector{0, 10, 1, 10, 2, 10});
    CHECK(pv::to_vector(pv::open_arrow_file(path).get<int>("x")) ==
          std::vector{0, 20, 2, 20, 4, 20});
    CHECK(pv::open_arrow_file(path, {}).rows() == 6);
}

TEST_CASE("Arrow files: what cannot be saved leaves what was there") {
    const temporary::Folder folder;
    const std::string path = folder / "kept.arrow";
    pv::save_arrow_file(path, {{"x", pv::tensor<int>({1, 2, 3})}});
    const auto refused = [&](const pv::Columns& table, const pv::SaveArrowOptions& options,
                             const char* text) {
        CHECK_THROWS_WITH(pv::save_arrow_file(path, table, options), ContainsSubstring(text));
        CHECK(pv::to_vector(pv::open_arrow_file(path).get<int>("x")) == std::vector{1, 2, 3});
        CHECK(folder.file_count() == 1);
    };
    refused({{"x", pv::tensor<int>({1})}}, {.rows_per_batch = -1}, "-1 rows per batch");
    refused({{"z", pv::tensor<std::complex<float>>({{1, 2}})}}, {}, "'z'");
    const pv::Columns bytes{{"b", pv::tensor<std::string>({"text", "\xFF"})}};
    refused(bytes, {.rows_per_batch = 1}, "'b'");
    pv::save_arrow_file(path, bytes, {.rows_per_batch = 1, .text = pv::ArrowText::binary});
    CHECK(pv::open_arrow_file(path).get<std::string>("b")(1) == "\xFF");
    CHECK_THROWS_AS(pv::save_arrow_file("/nowhere/x.arrow", bytes), pv::FormatError);
    pv::arrow::StreamExport moved;
    CHECK_THROWS_AS(pv::save_arrow_file(path, std::move(moved)), pv::FormatError);
}

} // namespace save_arrow_file_test
