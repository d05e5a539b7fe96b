/// A year of trades in columns on disk, several times larger than the memory it may take: sorted by price, grouped by
/// symbol and day, and joined with a table of symbols.
///     trades [folder [trades [MiB]]]        200000000 256: 4.8 GB

#include "check.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <tuple>

namespace pv = purview;
using pv::index_t;

namespace {

constexpr index_t kSymbols = 500;
constexpr index_t kSecondsOfDay = 23'400;
constexpr index_t kDays = 252;

index_t hash(index_t i, index_t salt) {
    const auto word = static_cast<std::uint64_t>(i + salt) * 0x9E3779B97F4A7C15U;
    return static_cast<index_t>((word ^ word >> 29) >> 33);
}

/// Columns of chunks, each of which is computed as it is written.
void store_trades(const std::string& folder, index_t trades) {
    const auto store = [&](const char* name, const auto& column) {
        pv::save_zarr(folder + "/" + name, column, {.chunks = {1 << 16}});
    };
    store("time", pv::compute_tensor({trades}, [=](index_t i) {
              return i * (kDays * kSecondsOfDay) / trades; // seconds of trading
          }));
    store("symbol", pv::compute_tensor({trades}, [](index_t i) { return hash(i, 1) % kSymbols; }));
    store("price", pv::compute_tensor({trades}, [](index_t i) {
              return 10 + 0.01 * static_cast<double>(hash(i, 2) % 5000);
          }));
}

} // namespace

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : "trades";
    const index_t trades = count > 2 ? std::atoll(arguments[2]) : 300'000;
    const index_t limit = (count > 3 ? std::atoll(arguments[3]) : 4) << 20;
    std::filesystem::remove_all(folder);
    pv::set_memory_limit(limit);
    store_trades(folder, trades);
    pv::reset_chunk_statistics();

    // [trades]
    auto time = pv::open_zarr<index_t>(folder + "/time");
    auto symbol = pv::open_zarr<index_t>(folder + "/symbol");
    auto price = pv::open_zarr<double>(folder + "/price");

    auto ordered = pv::sort(price); // by way of runs in a temporary file, each chunk read once
    pv::save_zarr(folder + "/ordered", ordered, {.chunks = {1 << 16}});
    auto median = pv::median(price); // by counts of intervals: no sort

    auto day = time / kSecondsOfDay;
    // Four columns, with a row for each group.
    auto [of, on, average, lowest] =
        pv::group_by_reduce(std::tuple(symbol, day), price, pv::mean, pv::min);

    auto listed = pv::tensor<index_t>({7, 42, 99, 1000});          // a table of symbols
    auto rows = pv::join(symbol, listed, pv::JoinKind::semi).left; // trades of what is listed
    // [/trades]

    check(ordered.size() == trades, "as many prices");
    check(ordered(0) == pv::min(price) && ordered(trades - 1) == pv::max(price), "in order");
    const double middle = (ordered((trades - 1) / 2) + ordered(trades / 2)) / 2;
    check(median == middle, "whose middle is the median");
    check(rows.size() == pv::count_true(symbol == 7 || symbol == 42 || symbol == 99),
          "the trades of three symbols");
    check(pv::chunk_statistics().peak_bytes <= limit, "all of it within the limit");
    std::cout << trades << " trades, " << average.size() << " days of symbols, median " << median
              << ", " << rows.size() << " of listed symbols\n";
    return exit_status();
}
