#include "index_file.hpp"

#include "index_json.hpp"

#include "base/descriptor.hpp"
#include "dtype/stored_types.hpp"
#include "io/json_text.hpp"
#include "io/read_file.hpp"
#include "io/replacement_file.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace purview::inline v0_1::archives {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;

fs::path folder_of(const char* what, const std::string& path) {
    return fs::path(file::whole_path(what, "open", path)).parent_path();
}

/// A path below `folder`, from there on; others as they are.
std::string kept_path(const std::string& path, const fs::path& folder) {
    const fs::path below = fs::path(path).lexically_relative(folder);
    return below.empty() || *below.begin() == ".." ? path : below.string();
}

std::optional<DType> dtype_called(const std::string& name) {
    std::optional<DType> result;
    const auto add = [&](DType dtype) {
        if (dtype.name() == name) result = dtype;
    };
    for_each_stored([&]<typename T>(std::type_identity<T>) { add(kDType<T>); });
    add(kDType<std::string>);
    try {
        return result ? *result : dtype_from_name(name);
    } catch (const DtypeError&) {
        return std::nullopt;
    }
}

/// Throws unless the arrays fill the shape, each place once: as rows of a grid, along all axes.
void require_grid(const Archive& archive, const std::string& where) {
    const std::size_t rank = archive.shape.size();
    const auto new_axes = static_cast<std::size_t>(archive.new_axes);
    std::vector<std::map<index_t, index_t>> extents(rank);
    std::set<std::vector<index_t>> places;
    for (std::size_t i = 0; i < archive.arrays.size(); ++i) {
        const Shape& begin = archive.begins[i];
        const Shape& shape = archive.arrays[i].shape;
        bool is_in_row = begin.size() == rank && shape.size() == rank - new_axes;
        for (std::size_t axis = 0; is_in_row && axis < rank; ++axis) {
            const index_t extent = axis < new_axes ? 1 : shape[axis - new_axes];
            is_in_row = extents[axis].emplace(begin[axis], extent).first->second == extent;
        }
        if (!is_in_row || !places.emplace(begin.begin(), begin.end()).second)
            throw FormatError(fmt::format("{}: an array of shape {} at {} does not go with others",
                                          where, to_string(shape), to_string(begin)));
    }
    index_t cells = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        index_t end = 0;
        for (const auto& [begin, extent] : extents[axis]) {
            if (begin != end || extent > archive.shape[axis] - end)
                throw FormatError(
                    fmt::format("{}: no array begins at {} of axis {}", where, end, axis));
            end += extent;
        }
        cells *= static_cast<index_t>(extents[axis].size());
        if (end != archive.shape[axis] || cells > static_cast<index_t>(archive.arrays.size()))
            throw FormatError(fmt::format("{}: its {} arrays do not fill the shape {}", where,
                                          archive.arrays.size(), to_string(archive.shape)));
    }
    if (cells != static_cast<index_t>(archive.arrays.size()))
        throw FormatError(fmt::format("{}: its {} arrays do not fill the shape {}", where,
                                      archive.arrays.size(), to_string(archive.shape)));
}

} // namespace

void write_index(const std::string& path, const Archive& archive) {
    const fs::path folder = folder_of("save_index", path);
    std::unordered_map<const StoredArray*, std::size_t> numbers;
    std::string abouts;
    std::string files;
    for (std::size_t i = 0; i < archive.arrays.size(); ++i) {
        const FoundArray& found = archive.arrays[i];
        files += i == 0 ? "\n" : ",\n";
        const std::string place =
            extents_json(found.shape) + ", " + extents_json(archive.begins[i]);
        if (!found.is_there) {
            files += fmt::format("    [null, {}]", place);
            continue;
        }
        const auto* const own = std::get_if<std::string>(&found.file);
        if (own == nullptr)
            throw FormatError(fmt::format("save_index: {} is a store, which an index cannot name",
                                          name_of(found.file)));
        const auto [about, is_new] = numbers.emplace(found.about.get(), numbers.size());
        if (is_new) abouts += (abouts.empty() ? "\n    " : ",\n    ") + about_json(*found.about);
        files +=
            fmt::format("    [{}, {}, {}, {}, {}, {}, {}]", json::text_of(kept_path(*own, folder)),
                        place, json::text_of(found.variable), found.state.bytes,
                        found.state.changed, json::text_of(found.dtype.name()), about->second);
    }
    const std::string text = fmt::format(
        "{{\n  \"purview_index\": {}, \"shape\": {}, \"dimension_names\": {}, \"new_axes\": {},\n  "
        "\"about\": [{}],\n  \"files\": [{}]\n}}\n",
        kVersion, extents_json(archive.shape), texts_json(archive.dimension_names),
        archive.new_axes, abouts, files);
    file::ReplacementFile file("save_index", path);
    file.write(std::as_bytes(std::span(text)));
    file.commit(file::ReplacementFile::Flush::yes);
}

Archive read_index(const std::string& path) {
    const std::string where = fmt::format("open_index: '{}'", path);
    const file::ReadFile file(where, path);
    if (!file) throw FormatError(fmt::format("{}: there is no such file", where));
    std::vector<std::byte> text(static_cast<std::size_t>(file.size_bytes()));
    file.read(0, text);
    Json::Value json = zarr::parse_json(text, where);
    const index_t version =
        zarr::integer_of(json["purview_index"], "purview_index", 1, 1 << 20, where);
    if (version != kVersion)
        throw FormatError(
            fmt::format("{}: is of version {}, and this reads {}", where, version, kVersion));
    const fs::path folder = folder_of("open_index", path);
    Archive archive;
    archive.shape = shape_of(json["shape"], "shape", 0, where);
    checked_size(archive.shape, where.c_str());
    archive.dimension_names = names_of_axes(json, archive.shape.size(), where);
    archive.new_axes = static_cast<int>(zarr::integer_of(
        json["new_axes"], "new_axes", 0, static_cast<index_t>(archive.shape.size()), where));
    const std::size_t rank = archive.shape.size() - static_cast<std::size_t>(archive.new_axes);
    std::vector<std::shared_ptr<const StoredArray>> abouts;
    for (Json::Value& about : list_of(json, "about", where))
        abouts.push_back(about_of(about, rank, where));
    for (const Json::Value& entry : list_of(json, "files", where)) {
        FoundArray found;
        found.is_there = entry.isArray() && entry.size() == 8;
        if (!found.is_there && !(entry.isArray() && entry.size() == 3 && entry[0].isNull()))
            throw FormatError(
                fmt::format("{}: an entry of 'files' is not as it is written", where));
        found.shape = shape_of(entry[1], "a shape", 0, where);
        Shape begin = shape_of(entry[2], "a begin", 0, where);
        if (found.is_there) {
            const std::string name = zarr::text_of(entry[0], "a path", where);
            found.file = fs::path(name).is_absolute() ? name : (folder / name).string();
            found.variable = zarr::text_of(entry[3], "a variable", where);
            constexpr index_t kMost = std::numeric_limits<index_t>::max();
            found.state.bytes = zarr::integer_of(entry[4], "a size", 0, kMost, where);
            found.state.changed = zarr::integer_of(entry[5], "a time", -kMost, kMost, where);
            const std::string type = zarr::text_of(entry[6], "a type", where);
            const std::optional<DType> dtype = dtype_called(type);
            if (!dtype) throw FormatError(fmt::format("{}: there is no type '{}'", where, type));
            found.dtype = *dtype;
            const index_t about = zarr::integer_of(entry[7], "a number", 0,
                                                   static_cast<index_t>(abouts.size()) - 1, where);
            found.about = abouts[static_cast<std::size_t>(about)];
            found.chunk = found.about->chunk_shape;
        }
        archive.arrays.push_back(std::move(found));
        archive.begins.push_back(std::move(begin));
    }
    require_grid(archive, where);
    return archive;
}

} // namespace purview::archives
