// An archive of a thousand NetCDF files, a day in each, as one tensor: temperatures on a grid, packed in 16 bits, with another scale since
// the second year. Files of NetCDF-4 are HDF5 files with dimension scales; libhdf5 writes them here, small.
#include <purview/archives.hpp>
#include <purview/purview.hpp>

#include <hdf5.h>
#include <hdf5_hl.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace pv = purview;
using pv::index_t;

namespace {

constexpr index_t kDays = 1000, kHours = 4, kRows = 6, kColumns = 8;

void check(bool is_true, const char* what) {
    if (is_true) return;
    std::cerr << "climate_archive: " << what << '\n';
    std::exit(1);
}

/// What is written, in degrees Celsius, to a hundredth.
double temperature(index_t hour, index_t row) {
    const double year = 2 * 3.141592653589793 * static_cast<double>(hour) / (365 * kHours);
    return std::round(1000 * std::sin(year) + 100 * static_cast<double>(row)) / 100;
}

/// One file: `t2m` over time, lat and lon, and `time` in hours since 2019.
void write_day(const std::string& path, index_t day) {
    const double scale = day < 365 ? 0.01 : 0.005;
    std::vector<double> hours;
    std::vector<std::int16_t> packed;
    for (index_t h = 0; h < kHours; ++h) {
        hours.push_back(static_cast<double>(24 * day + 6 * h));
        for (index_t row = 0; row < kRows; ++row)
            packed.insert(
                packed.end(), kColumns,
                static_cast<std::int16_t>(std::lround(temperature(kHours * day + h, row) / scale)));
    }
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const std::array<hsize_t, 3> shape = {kHours, kRows, kColumns};
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 3, shape.data());
    H5Pset_deflate(layout, 1);
    const hid_t space = H5Screate_simple(3, shape.data(), nullptr);
    const hid_t values =
        H5Dcreate2(file, "t2m", H5T_STD_I16LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    H5Dwrite(values, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data());
    H5LTset_attribute_double(file, "t2m", "scale_factor", &scale, 1);
    H5LTset_attribute_string(file, "t2m", "units", "degC");
    for (unsigned axis = 0; axis < 3; ++axis) {
        const char* const name = std::array{"time", "lat", "lon"}[axis];
        std::vector<double> points = hours;
        for (hsize_t i = 0; axis > 0 && i < shape[axis]; ++i)
            points.resize(i + 1, 10 * static_cast<double>(i));
        points.resize(shape[axis]);
        H5LTmake_dataset_double(file, name, 1, &shape[axis], points.data());
        const hid_t coordinate = H5Dopen2(file, name, H5P_DEFAULT);
        H5DSset_scale(coordinate, name);
        H5DSattach_scale(values, coordinate, axis);
        H5Dclose(coordinate);
    }
    H5LTset_attribute_string(file, "time", "units", "hours since 2019-01-01");
    H5Dclose(values);
    H5Sclose(space);
    H5Pclose(layout);
    H5Fclose(file);
}

} // namespace

int main() {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "purview-climate-archive";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    std::filesystem::current_path(folder);
    for (index_t day = 0; day < kDays; ++day)
        write_day("t2m_day" + std::to_string(day) + ".nc", day);

    {
        // [open]
        const pv::StoredArray stored = pv::open_many("*.nc", {.variable = "t2m", .along = "time"});
        const pv::Tensor<double> t = stored.values.as<double>(); // in degrees, as scales differ
        const auto mean = pv::mean(t, {0, 2});                   // of each latitude, file by file
        pv::save_index("t2m.json", "*.nc", {.variable = "t2m", .along = "time"});
        // [/open]
        check(t.extent(0) == kDays * kHours, "the archive has not all hours");
        check(stored.dimension_names == std::vector<std::string>{"time", "lat", "lon"},
              "the axes are called otherwise");
        for (const index_t hour : {index_t{0}, 364 * kHours, 365 * kHours, kDays * kHours - 1})
            check(std::abs(t(hour, 3, 2) - temperature(hour, 3)) < 1e-9,
                  "a temperature is another one");
        double expected = 0;
        for (index_t hour = 0; hour < kDays * kHours; ++hour) expected += temperature(hour, 2);
        check(std::abs(mean(2) - expected / static_cast<double>(kDays * kHours)) < 1e-9,
              "the mean is another one");
        std::cout << "mean by latitude: " << pv::clone(mean) << '\n';
    }
    {
        // [index]
        const pv::StoredArray stored = pv::open_index("t2m.json"); // opens none of the files
        const pv::StoredArray time = pv::open_many("*.nc", {.variable = "time", .along = "time"});
        const auto times = pv::cf_decoded(time);
        // [/index]
        std::cout << stored.values.size() << " temperatures, the last at "
                  << pv::to_string(times).substr(0, 60) << "…\n";
        check(times.size() == kDays * kHours, "the times are not all there");
    }
    std::filesystem::current_path(folder.parent_path());
    std::filesystem::remove_all(folder);
}
