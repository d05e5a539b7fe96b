#include "stored_file.hpp"

#include "base/descriptor.hpp"
#include "detached.hpp"
#include "io/read_file.hpp"
#include "text/json.hpp"

#include <purview/base/errors.hpp>
#include <purview/hdf5.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/sparse/npz_arrays.hpp>
#include <purview/zarr.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace purview::inline v0_1::archives {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhat = "open_many";

/// The arrays of an .npz file, as a group.
class NpzGroup final : public StoredGroup::Source {
public:
    NpzGroup(const std::string& path, std::string where)
        : archive_(load_npz_arrays(path)), where_(std::move(where)) {}

    Attributes attributes(const std::string&) const override { return {}; }
    std::vector<std::string> arrays(const std::string&) const override { return archive_.names(); }
    std::vector<std::string> groups(const std::string&) const override { return {}; }
    StoredArray array(const std::string& path) const override {
        if (!archive_.contains(path))
            throw FormatError(fmt::format("{}: there is no array '{}'", where_, path));
        StoredArray result;
        result.values = archive_[path];
        result.codecs = "npz";
        return result;
    }
    void require_group(const std::string& path) const override {
        if (!path.empty()) throw FormatError(fmt::format("{}: has no group '{}'", where_, path));
    }

private:
    NpzArchive archive_;
    std::string where_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A zip file whose first member is an .npy file, which zip's header names from byte 30 on.
bool is_npz(std::string_view begin) {
    if (begin.size() < 30) return false;
    const std::size_t length = static_cast<unsigned char>(begin[26]) +
                               256 * std::size_t{static_cast<unsigned char>(begin[27])};
    return begin.substr(30, length).ends_with(".npy");
}

bool is_zarr_array(const Store& store) {
    const auto text = store.get("zarr.json");
    if (!text) return store.size(".zarray").has_value();
    // A group may have the metadata of its arrays in its own.
    return zarr::parse_json(*text, fmt::format("{}: {}", kWhat, store.name()))["node_type"] ==
           "array";
}

} // namespace

std::string name_of(const File& file) {
    const auto* const store = std::get_if<std::shared_ptr<Store>>(&file);
    return store != nullptr ? (*store)->name() : fmt::format("'{}'", std::get<std::string>(file));
}

std::optional<FileState> state_of(const File& file, const std::string& variable) {
    const auto* const path = std::get_if<std::string>(&file);
    if (path == nullptr) return FileState{};
    const auto examined = [](const std::string& place) -> std::optional<FileState> {
        struct stat status {};
        if (::stat(place.c_str(), &status) != 0) return std::nullopt;
        const bool is_folder = S_ISDIR(status.st_mode);
        return FileState{is_folder ? 0 : static_cast<index_t>(status.st_size),
                         is_folder ? 0
                                   : static_cast<index_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                                         static_cast<index_t>(status.st_mtim.tv_nsec)};
    };
    const std::optional<FileState> own = examined(*path);
    std::error_code error;
    if (!own || !fs::is_directory(*path, error)) return own;
    const std::string folder = variable.empty() ? *path : *path + "/" + variable;
    for (const char* const metadata : {"zarr.json", ".zarray"})
        if (const auto state = examined(fmt::format("{}/{}", folder, metadata))) return state;
    return own;
}

StoredFile::StoredFile(const File& file) : where_(fmt::format("{}: {}", kWhat, name_of(file))) {
    const auto open_store = [&](const std::shared_ptr<Store>& store) {
        if (is_zarr_array(*store))
            unnamed_ = open_zarr_array(store);
        else
            group_ = open_zarr_group(store);
    };
    if (const auto* const store = std::get_if<std::shared_ptr<Store>>(&file)) {
        open_store(*store);
        return;
    }
    const std::string& path = std::get<std::string>(file);
    std::error_code error;
    if (fs::is_directory(path, error)) {
        open_store(directory_store(path));
        return;
    }
    const file::ReadFile opened(kWhat, path);
    if (!opened) throw FormatError(fmt::format("{}: there is no such file", where_));
    std::array<std::byte, 256> memory{};
    const std::span<std::byte> begin(
        memory.data(), static_cast<std::size_t>(std::min<index_t>(opened.size_bytes(), 256)));
    opened.read(0, begin);
    const std::string_view text = text_of(begin);
    if (text.starts_with("\x93NUMPY")) {
        unnamed_ = StoredArray{};
        unnamed_->values = load_npy(path);
        unnamed_->codecs = "npy";
    } else if (text.starts_with("PK\x03\x04") && is_npz(text)) {
        group_ = StoredGroup(std::make_shared<const NpzGroup>(path, where_), "");
    } else if (text.starts_with("PK")) {
        open_store(zip_store(path));
    } else {
        group_ = open_hdf5(path); // which says what is wrong with anything else
    }
}

std::string StoredFile::array_name(const std::string& variable) const {
    if (unnamed_) {
        if (!variable.empty())
            throw FormatError(
                fmt::format("{}: is one array without a name, and none '{}'", where_, variable));
        return {};
    }
    if (!variable.empty()) return variable;
    std::vector<std::string> names = group_->arrays();
    if (names.size() > 1) { // coordinates are called as an axis of another one
        std::vector<std::string> axes;
        for (const std::string& name : names)
            for (const std::string& axis : group_->array(name).dimension_names)
                if (axis != name) axes.push_back(axis);
        std::vector<std::string> left;
        for (const std::string& name : names)
            if (std::find(axes.begin(), axes.end(), name) == axes.end()) left.push_back(name);
        names = std::move(left);
    }
    if (names.size() != 1)
        throw FormatError(fmt::format("{}: has {} arrays ({}): which of them is the variable?",
                                      where_, names.size(), fmt::join(names, ", ")));
    return names[0];
}

StoredArray StoredFile::array(const std::string& name) const {
    return unnamed_ ? *unnamed_ : group_->array(name);
}

AnyTensor StoredFile::values(const std::string& name) const {
    return unnamed_ ? unnamed_->values : group_->values(name);
}

std::optional<StoredArray> StoredFile::coordinate(const std::string& name,
                                                  const std::string& beside) const {
    if (unnamed_ || name.empty()) return std::nullopt;
    const std::string path = beside.substr(0, beside.rfind('/') + 1) + name;
    if (!group_->has_array(path)) return std::nullopt;
    return group_->array(path);
}

std::shared_ptr<const AnyTensor> detached(const AnyTensor& values) {
    constexpr index_t kMostChunks = 16; // of each file, whose addresses are kept
    return hdf5::detach(values, kMostChunks) ? std::make_shared<const AnyTensor>(values) : nullptr;
}

} // namespace purview::archives
