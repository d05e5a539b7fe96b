#include "stores/store_at.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace purview::inline v0_1::zarr {
namespace {

bool is_zip(const std::string& path) {
    std::error_code error;
    return path.ends_with(".zip") && !std::filesystem::is_directory(path, error);
}

bool is_node(const std::filesystem::path& folder) {
    std::error_code error;
    for (const char* const file : {"zarr.json", ".zgroup", ".zarray"})
        if (std::filesystem::is_regular_file(folder / file, error)) return true;
    return false;
}

} // namespace

std::shared_ptr<Store> store_at(const std::string& path) {
    return is_zip(path) ? zip_store(path) : directory_store(path);
}

std::shared_ptr<Store> writable_store_at(const std::string& path, const char* what) {
    if (is_zip(path))
        throw ReadOnlyError(fmt::format("{}: '{}': zip files are only read", what, path));
    return directory_store(path);
}

PlaceInStore place_at(const std::string& path, const char* what) {
    PlaceInStore place{writable_store_at(path, what), ""};
    std::error_code error;
    std::filesystem::path folder = std::filesystem::absolute(path, error).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    std::string name;
    while (folder.has_relative_path()) {
        name = folder.filename().string() + (name.empty() ? "" : "/" + name);
        folder = folder.parent_path();
        if (!is_node(folder) && std::filesystem::exists(folder, error)) break;
        place = {directory_store(folder.string()), name};
    }
    return place;
}

} // namespace purview::zarr
