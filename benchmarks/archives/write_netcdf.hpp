#pragma once

#include "numbers.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

/// Small files as netCDF4 writes them: HDF5 with dimension scales.
namespace netcdf {

/// A float32 array "t2m" over time, lat and lon in one chunk, shuffled and deflated, and the coordinates of all axes.
inline void write_file(const std::string& path, numbers::index_t number) {
    using namespace numbers;
    const std::array<hsize_t, 3> shape{kTimes, kRows, kColumns};
    std::vector<float> values;
    for (index_t t = 0; t < kTimes; ++t)
        for (index_t i = 0; i < kRows; ++i)
            for (index_t j = 0; j < kColumns; ++j)
                values.push_back(static_cast<float>(
                    static_cast<double>(of_field(kTimes * number + t, i, j)) * kFieldScale));
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) throw std::runtime_error(path + ": cannot be written");
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 3, shape.data());
    H5Pset_shuffle(layout);
    H5Pset_deflate(layout, 4);
    const hid_t space = H5Screate_simple(3, shape.data(), nullptr);
    const hid_t field =
        H5Dcreate2(file, "t2m", H5T_IEEE_F32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    herr_t status = H5Dwrite(field, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5LTset_attribute_string(file, "t2m", "units", "degC");
    for (unsigned axis = 0; axis < 3; ++axis) {
        const char* const name = std::array{"time", "lat", "lon"}[axis];
        std::vector<double> points(shape[axis]);
        for (std::size_t i = 0; i < points.size(); ++i)
            points[i] =
                static_cast<double>(i) + (axis == 0 ? static_cast<double>(kTimes * number) : 0.0);
        H5LTmake_dataset_double(file, name, 1, &shape[axis], points.data());
        const hid_t coordinate = H5Dopen2(file, name, H5P_DEFAULT);
        H5DSset_scale(coordinate, name);
        H5DSattach_scale(field, coordinate, axis);
        H5Dclose(coordinate);
    }
    H5LTset_attribute_string(file, "time", "units", "hours since 2019-01-01");
    H5Dclose(field);
    H5Sclose(space);
    H5Pclose(layout);
    if (H5Fclose(file) < 0 || status < 0) throw std::runtime_error(path + ": cannot be written");
}

/// Of a number below 100,000.
inline std::string file_name(numbers::index_t number) {
    return "t2m_" + std::to_string(100'000 + number).substr(1) + ".nc"; // five digits
}

inline void write_files(const std::string& folder, numbers::index_t count) {
    std::filesystem::create_directories(folder);
    for (numbers::index_t number = 0; number < count; ++number)
        write_file(folder + "/" + file_name(number), number);
}

} // namespace netcdf
