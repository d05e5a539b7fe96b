/// Many years of daily temperatures on a grid, in a store: the mean of each day of the year over the years, and what
/// each day differs from it, written back. Nothing but that mean is ever in memory as a whole.
///     climatology [folder [years [rows [columns]]]]        30 216 216: 2 GB

#include "check.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/io/bind_dims.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

namespace pv = purview;

namespace {

constexpr pv::index_t kDays = 365;

/// Degrees by day, latitude and year, with weather that is a hash of the place.
void store_temperatures(const std::string& path, pv::index_t years, pv::index_t rows,
                        pv::index_t columns) {
    auto temperature =
        pv::compute_tensor({years, kDays, rows, columns}, [=](pv::index_t year, pv::index_t day,
                                                              pv::index_t row, pv::index_t column) {
            const auto hash = static_cast<unsigned>(
                ((year * kDays + day) * 7919 + row * 104729 + column * 1299709) % 1009);
            const auto season = static_cast<float>(day < 183 ? day : kDays - day) / 9.F;
            return season + static_cast<float>(row % 30) + 0.02F * static_cast<float>(year) +
                   static_cast<float>(hash) / 1009.F;
        });
    pv::save_zarr(path, temperature,
                  {.chunks = {1, 73, 54, 54},
                   .dimension_names = {"year", "day", "y", "x"},
                   .attributes = {{"units", "degC"}}});
}

} // namespace

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : "climatology";
    const auto number = [&](int i, pv::index_t otherwise) {
        return count > i ? static_cast<pv::index_t>(std::atoll(arguments[i])) : otherwise;
    };
    const pv::index_t years = number(2, 3), rows = number(3, 20), columns = number(4, 60);
    std::filesystem::remove_all(folder);
    pv::set_memory_limit(256 << 20);
    store_temperatures(folder + "/t", years, rows, columns);

    // [climatology]
    auto stored = pv::open_zarr_array(folder + "/t");
    auto [year, day, y, x] = pv::dims("year", "day", "y", "x");
    auto t = pv::bind_dims<float>(stored, year, day, y, x);
    auto mean = pv::mean(t, year); // by day of the year: each chunk is read once
    auto anomaly = pv::order(t - mean, year, day, y, x);
    pv::save_zarr(folder + "/anomaly", anomaly,
                  {.chunks = stored.chunk_shape, .dimension_names = stored.dimension_names});
    // [/climatology]

    auto written = pv::open_zarr<float>(folder + "/anomaly");
    check(written.shape() == pv::Shape{years, kDays, rows, columns}, "as many days");
    check(pv::max(pv::abs(pv::mean(written, {0}))) < 1e-3F, "anomalies of a day are 0 on average");
    check(pv::max(pv::abs(written)) < 2.F, "and small");
    const pv::ChunkStatistics counts = pv::chunk_statistics();
    check(counts.peak_bytes <= 256 << 20, "all of it within the limit");
    std::cout << counts.chunks_read << " chunks read, " << counts.chunks_written << " written, "
              << counts.peak_bytes / (1 << 20) << " MiB at most\n";
    return exit_status();
}
