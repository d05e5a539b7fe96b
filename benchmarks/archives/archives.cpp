/// Many files as one array, and tables on disk, for run.py beside, one thing at a time:
///     bench_archives make KIND PATH SIZE                   netcdf: so many files in a folder and their index; else SIZE · 2^20 rows
///     bench_archives decode FOLDER SIZE                    as many chunks read and decoded, of files that are open, and nothing else
///     bench_archives read FOLDER SIZE                      each file opened, and its chunk read and decoded
///     bench_archives run CASE LIMIT ROUNDS PATH SIZE       the least time of so many rounds; the result has to be what the formula says
/// Prints one object of JSON.

#include <purview/archives.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/hdf5.hpp>
#include <purview/purview.hpp>
#include <purview/table/columns.hpp>
#ifdef PURVIEW_BENCH_ARROW
# include <purview/arrow.hpp>
#endif
#ifdef PURVIEW_BENCH_PARQUET
# include <purview/parquet.hpp>
#endif

#include "../chunks/measured.hpp"
#include "numbers.hpp"
#include "write_netcdf.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pv = purview;
using namespace measured;
using namespace numbers;

namespace {

constexpr int kThreads = 2;

void check(bool is_true, const std::string& what) {
    if (!is_true) throw std::runtime_error("wrong: " + what);
}

void check_near(double found, double expected, double tolerance, const std::string& what) {
    check(std::abs(found - expected) <= tolerance * std::abs(expected),
          what + " is " + std::to_string(found) + ", not " + std::to_string(expected));
}

void print(double seconds, double of_processor, const std::string& more = "") {
    std::printf("{\"seconds\": %.7f, \"processor\": %.7f%s}\n", seconds, of_processor,
                more.c_str());
}

// Files.

constexpr index_t kTableColumns = 10;

std::string column_name(index_t column) {
    return (column % 2 == 0 ? "float_" : "int_") + std::to_string(column);
}

/// Columns of float64 and int64 in turns.
[[maybe_unused]] pv::Columns table(index_t rows) {
    std::vector<pv::Column> columns;
    for (index_t column = 0; column < kTableColumns; ++column)
        if (column % 2 == 0)
            columns.emplace_back(column_name(column),
                                 pv::compute_tensor({rows}, [column](index_t row) {
                                     return static_cast<double>(of_row(row, column)) * kRowScale;
                                 }));
        else
            columns.emplace_back(column_name(column),
                                 pv::compute_tensor({rows}, [column](index_t row) {
                                     return std::int64_t{of_row(row, column)};
                                 }));
    return columns;
}

constexpr index_t kModelArrays = 20;

/// Matrices of float32, 80 bytes a row altogether as in a table.
void make_model(const std::string& path, index_t rows) {
    std::vector<pv::SafetensorsArray> arrays;
    for (index_t array = 0; array < kModelArrays; ++array)
        arrays.emplace_back("layer." + std::to_string(array) + ".weight",
                            pv::compute_tensor({rows / 1024, 1024}, [array](index_t i, index_t j) {
                                return static_cast<float>(of_row(1024 * i + j, array)) /
                                       static_cast<float>(kCycle);
                            }));
    pv::save_safetensors(path, arrays);
}

const pv::OpenManyOptions kOptions{.variable = "t2m", .along = "time"};

void make(const std::string& kind, const std::string& path, index_t size) {
    if (kind == "netcdf") {
        netcdf::write_files(path, size);
        pv::save_index(path + "/index.json", path + "/*.nc", kOptions);
#ifdef PURVIEW_BENCH_ARROW
    } else if (kind == "arrow") {
        pv::save_arrow_file(path, table(size * kCycle));
#endif
#ifdef PURVIEW_BENCH_PARQUET
    } else if (kind == "parquet") {
        pv::save_parquet(path, table(size * kCycle),
                         {.compression = "zstd", .rows_per_group = kCycle});
#endif
    } else if (kind == "safetensors") {
        make_model(path, size * kCycle);
    } else {
        throw std::invalid_argument("this program was built without what makes files of " + kind);
    }
}

// Limits.

/// Calls `work(number)` for each number below `count`, on two threads.
void on_both_threads(index_t count, const std::function<void(index_t, std::span<float>)>& work) {
    std::atomic<index_t> next{0};
    std::array<std::exception_ptr, kThreads> failures;
    const auto take = [&](std::size_t thread) {
        try {
            std::vector<float> memory(static_cast<std::size_t>(kTimes * kRows * kColumns));
            for (index_t number; (number = next++) < count;) work(number, memory);
        } catch (...) {
            failures[thread] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < kThreads; ++thread)
            threads.emplace_back(take, thread);
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

pv::AnyTensor opened_file(const std::string& folder, index_t number) {
    return pv::open_hdf5(folder + "/" + netcdf::file_name(number)).values("t2m");
}

void read_chunk(const pv::AnyTensor& x, index_t number, std::span<float> memory) {
    const pv::Chunks& chunks = *pv::leaf_of(x.operand())->reader().chunks();
    check(chunks.count() == 1 && chunks.read_chunk_into(pv::Shape{0, 0, 0}, memory.data()),
          "a file has not one chunk");
    check(memory[0] == static_cast<float>(static_cast<double>(of_field(kTimes * number, 0, 0)) *
                                          kFieldScale),
          "the first element of a file");
}

/// At most 200 files are open; where there are more, chunks of some are read several times.
void decode(const std::string& folder, index_t size) {
    const index_t held = std::min<index_t>(size, 200);
    std::vector<pv::AnyTensor> files;
    for (index_t i = 0; i < held; ++i) files.push_back(opened_file(folder, i * size / held));
    const auto read_one = [&](index_t i, std::span<float> memory) {
        read_chunk(files[static_cast<std::size_t>(i % held)], i % held * size / held, memory);
    };
    on_both_threads(held, read_one); // which finds out where the chunks are
    const double begin = wall(), before = processor();
    on_both_threads(size, read_one);
    print(wall() - begin, processor() - before);
}

void read(const std::string& folder, index_t size) {
    const double begin = wall(), before = processor();
    on_both_threads(size, [&](index_t i, std::span<float> memory) {
        read_chunk(opened_file(folder, i), i, memory);
    });
    print(wall() - begin, processor() - before);
}

// Cases.

struct Given {
    std::string path;
    index_t size;
    pv::Tensor<float>
        archive; ///< of `mean_over_time`: it is opened before, and no time is taken of that

    std::string pattern() const { return path + "/*.nc"; }
    std::string index() const { return path + "/index.json"; }
    index_t rows() const { return size * kCycle; }
};

/// Does it, and gives what checks the result, of which no time is taken.
using Case = std::function<std::function<void()>(const Given&)>;

std::function<void()> checked_archive(pv::StoredArray stored, const Given& given) {
    return [stored = std::move(stored), size = given.size] {
        check(stored.values.shape() == pv::Shape{kTimes * size, kRows, kColumns},
              "the shape of the archive");
        const auto x = stored.values.as<float>();
        check(x(kTimes * size - 1, 3, 5) ==
                  static_cast<float>(static_cast<double>(of_field(kTimes * size - 1, 3, 5)) *
                                     kFieldScale),
              "the last time of the archive");
    };
}

std::function<void()> checked_mean(pv::Tensor<float> means, const Given& given) {
    return [means = std::move(means), times = kTimes * given.size] {
        for (index_t i = 0; i < kRows; i += 5)
            for (index_t j = 0; j < kColumns; j += 5) {
                index_t sum = 0;
                for (index_t t = 0; t < times; ++t) sum += of_field(t, i, j);
                check_near(double{means(i, j)},
                           static_cast<double>(sum) * kFieldScale / static_cast<double>(times),
                           1e-5, "the mean over time");
            }
    };
}

std::function<void()> checked_sum(double found, double scale, const Given& given,
                                  double tolerance = 1e-12) {
    return [=, rows = given.rows()] {
        check_near(found, static_cast<double>(sum_of_rows(rows)) * scale, tolerance, "the sum");
    };
}

[[maybe_unused]] std::function<void()> checked_table(pv::Columns columns, const Given& given) {
    return [columns = std::move(columns), rows = given.rows()] {
        check(columns.size() == kTableColumns && columns.rows() == rows, "the shape of the table");
        check(columns.get<double>(column_name(4))(rows - 1) ==
                  static_cast<double>(of_row(rows - 1, 4)) * kRowScale,
              "the last row");
    };
}

const std::map<std::string, Case>& cases() {
    static const std::map<std::string, Case> all{
        {"open_many",
         [](const Given& given) {
             return checked_archive(pv::open_many(given.pattern(), kOptions), given);
         }},
        {"open_index",
         [](const Given& given) { return checked_archive(pv::open_index(given.index()), given); }},
        {"mean_over_time",
         [](const Given& given) {
             return checked_mean(pv::clone(pv::mean(given.archive, {0})), given);
         }},
#ifdef PURVIEW_BENCH_ARROW
        {"arrow_open",
         [](const Given& given) { return checked_table(pv::open_arrow_file(given.path), given); }},
        {"arrow_sum",
         [](const Given& given) {
             const pv::Columns columns = pv::open_arrow_file(given.path);
             return checked_sum(pv::sum(columns.get<double>(column_name(4))), kRowScale, given);
         }},
#endif
#ifdef PURVIEW_BENCH_PARQUET
        {"parquet_open",
         [](const Given& given) { return checked_table(pv::open_parquet(given.path), given); }},
        {"parquet_sum",
         [](const Given& given) {
             const pv::Columns columns = pv::open_parquet(given.path);
             return checked_sum(pv::sum(columns.get<double>(column_name(4))), kRowScale, given);
         }},
        {"parquet_sum_of_integers",
         [](const Given& given) {
             const pv::Columns columns = pv::open_parquet(given.path);
             const auto sum = pv::sum(columns.get<std::int64_t>(column_name(5)));
             return checked_sum(static_cast<double>(sum), 1, given);
         }},
#endif
        {"safetensors_sum",
         [](const Given& given) {
             const auto model = pv::open_safetensors(given.path);
             const auto sum = pv::sum(model.get<float>("layer.7.weight"));
             return checked_sum(double{sum}, 1.0 / static_cast<double>(kCycle), given, 1e-5);
         }},
    };
    return all;
}

void run(const Case& work, const Given& given, index_t limit, int rounds) {
    pv::set_threads(kThreads);
    pv::set_memory_limit(limit);
    forget_peak();
    const index_t at_start = resident("VmRSS");
    double seconds = std::numeric_limits<double>::infinity(), of_processor = seconds;
    pv::ChunkStatistics counts{};
    std::function<void()> check_result;
    for (int round = 0; round < rounds; ++round) {
        check_result = nullptr;
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const double begin = wall(), before = processor();
        check_result = work(given);
        seconds = std::min(seconds, wall() - begin);
        of_processor = std::min(of_processor, processor() - before);
        counts = pv::chunk_statistics();
    }
    const index_t above = resident("VmHWM") - at_start;
    check_result();
    print(seconds, of_processor,
          ", \"chunks_read\": " + std::to_string(counts.chunks_read) + ", \"peak_bytes\": " +
              std::to_string(counts.peak_bytes) + ", \"above\": " + std::to_string(above));
}

void main_of(const std::vector<std::string>& arguments) {
    const auto at = [&](std::size_t i) -> const std::string& {
        if (i >= arguments.size())
            throw std::invalid_argument("see archives.cpp for its arguments");
        return arguments[i];
    };
    const auto number_at = [&](std::size_t i) { return index_t{std::atoll(at(i).c_str())}; };
    pv::set_threads(kThreads);
    const std::string& what = at(0);
    if (what == "make") {
        make(at(1), at(2), number_at(3));
        std::puts("{}");
    } else if (what == "decode") {
        decode(at(1), number_at(2));
    } else if (what == "read") {
        read(at(1), number_at(2));
    } else if (what == "run") {
        const auto found = cases().find(at(1));
        if (found == cases().end())
            throw std::invalid_argument("this program was built without " + at(1));
        Given given{at(4), number_at(5), {}};
        if (at(1) == "mean_over_time")
            given.archive = pv::open_index(given.index()).values.as<float>();
        run(found->second, given, number_at(2), static_cast<int>(number_at(3)));
    } else {
        throw std::invalid_argument("make, decode, read or run, not " + what);
    }
}

} // namespace

int main(int count, char** arguments) {
    try {
        main_of(std::vector<std::string>(arguments + 1, arguments + count));
    } catch (const std::exception& failure) {
        std::cerr << "bench_archives: " << failure.what() << '\n';
        return 1;
    }
}
