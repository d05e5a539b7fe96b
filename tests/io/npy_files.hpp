#pragma once

#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/base/checked.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/tensor/create.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <vector>

/// Files for the tests of this folder.
namespace npy_files {

namespace fs = std::filesystem;
using temporary::content;
using temporary::Folder;
using temporary::write_file;

using Types = std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                         std::uint16_t, std::uint32_t, std::uint64_t, float, double>;

inline std::string golden(const std::string& name) {
    return source_path("tests/io/data/") + name + ".npy";
}

/// The bytes of a file with this dictionary, as it stands, and these data.
inline std::string npy_bytes(const std::string& dict, const std::string& data = {},
                             int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    const std::size_t length = dict.size();
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        bytes += static_cast<char>(length >> (8 * i) & 0xff);
    return bytes + dict + data;
}

inline std::string npy_dict(const std::string& descr, const std::string& shape,
                            bool column_major = false) {
    return "{'descr': " + descr + ", 'fortran_order': " + (column_major ? "True" : "False") +
           ", 'shape': " + shape + ", }";
}

inline purview::NpyHeader parse(const std::string& bytes) {
    return purview::parse_npy_header(std::as_bytes(std::span(bytes)));
}

/// What an exception of type E says that `f` throws.
template <typename E, typename F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    FAIL("nothing was thrown");
    return {};
}

/// What element `i` is in the golden files; see data/README.md.
template <typename T>
T golden_value(purview::index_t i) {
    if constexpr (std::same_as<T, bool>)
        return i % 3 == 1;
    else if constexpr (std::floating_point<T>)
        return static_cast<T>(7 * i - 9) + T{0.25};
    else
        return static_cast<T>(7 * i - 9);
}

template <typename T>
std::vector<T> golden_values(purview::index_t count) {
    std::vector<T> values;
    for (purview::index_t i = 0; i < count; ++i) values.push_back(golden_value<T>(i));
    return values;
}

template <typename T>
purview::MutableTensor<T> golden_tensor(purview::AxisValues shape) {
    return purview::tensor(golden_values<T>(purview::checked_size(shape, "test")), shape);
}

} // namespace npy_files
