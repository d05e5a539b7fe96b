#pragma once

#include "io/npy_files.hpp"

#include <purview/io/open_safetensors.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// Files written by hand, for the tests of this folder.
namespace safetensors_files {

/// A file of this header, as it stands, and these data.
inline std::string bytes_of(std::string_view header, std::string_view data = {}) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return bytes.append(header).append(data);
}

/// One array called x.
inline std::string entry(const std::string& type, const std::string& shape,
                         const std::string& offsets) {
    return R"({"x":{"dtype":)" + type + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
           "}}";
}

} // namespace safetensors_files
