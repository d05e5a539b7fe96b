#include <purview/mpi/array_folders.hpp>

#include "base/descriptor.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace purview::inline v0_1::mpi {
namespace {

namespace fs = std::filesystem;

/// Of arrays in formats 2 and 3; the one that makes a folder an array.
constexpr const char* kMetadata[] = {"zarr.json", ".zarray"};

bool is_metadata(const fs::path& name) { return name == kMetadata[0] || name == kMetadata[1]; }

} // namespace

std::string folder_beside(const std::string& path) {
    fs::path array = fs::absolute(path).lexically_normal();
    if (!array.has_filename()) array = array.parent_path(); // "x.zarr/"
    return (array.parent_path() / (".purview-new-" + array.filename().string())).string();
}

void remove_folder(const std::string& path) noexcept {
    std::error_code ignored; // what cannot be removed cannot be written either, and that says why
    fs::remove_all(path, ignored);
}

void remove_array_metadata(const std::string& path) noexcept {
    std::error_code ignored;
    for (const char* const name : kMetadata) fs::remove(fs::path(path) / name, ignored);
}

void move_array(const std::string& from, const std::string& to) {
    remove_array_metadata(to); // a process that is killed meanwhile leaves no array
    try {
        std::vector<fs::path> names;
        for (const fs::directory_entry& each : fs::directory_iterator(from))
            names.push_back(each.path().filename());
        for (const bool last : {false, true})
            for (const fs::path& name : names)
                if (is_metadata(name) == last) fs::rename(from / name, to / name);
    } catch (const fs::filesystem_error& error) {
        file::throw_system_error("save_zarr", "move", error.path1().string(), error.code().value());
    }
    remove_folder(from);
}

} // namespace purview
