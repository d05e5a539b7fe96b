#include <purview/base/errors.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/sparse/npz_arrays.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

#include "io/npy_array.hpp"
#include "stored_members.hpp"
#include "zip_archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace purview::inline v0_1 {
namespace {

using sparse::ZipMember;
using sparse::ZipReader;

constexpr std::string_view kSuffix = ".npy";

std::string without_suffix(std::string_view name) {
    return std::string(name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size())
                                               : name);
}

/// Whether a member is an array that Purview can read, as far as its first bytes tell. What is broken
/// is taken for one, so that it is not lost silently.
bool is_listed(const ZipReader& file, const std::string& name) {
    constexpr index_t kLongestPrefix = 4096; // members of a hostile file may share their bytes
    constexpr std::string_view kMagic = "\x93NUMPY";
    if (name.ends_with('/')) return false;
    try {
        ZipMember member = file.member(name);
        std::vector<std::byte> head(
            static_cast<std::size_t>(std::min(member.size(), kLongestPrefix)));
        member.read(head.data(), std::ssize(head));
        if (!std::string_view(reinterpret_cast<const char*>(head.data()), head.size())
                 .starts_with(kMagic))
            return false;
        if (npy_data_offset(head, member.where()) <= std::ssize(head))
            static_cast<void>(parse_npy_header(head, member.where()));
        return true;
    } catch (const DtypeError&) {
        return false;
    } catch (const FormatError&) {
        return true;
    }
}

std::optional<MappedFile> mapped(const std::string& path, Access access) {
    if (access == Access::in_memory) return std::nullopt;
    return MappedFile(path, access == Access::copy_on_write ? MapMode::copy_on_write
                                                            : MapMode::read_only);
}

} // namespace

struct NpzArchive::State {
    State(const std::string& path, Access access)
        : file(path, fmt::format("load_npz_arrays: '{}'", path)), mapping(mapped(path, access)) {
        if (mapping) stored = sparse::stored_members(mapping->bytes());
        for (const std::string& name : file.names())
            if (is_listed(file, name)) {
                const std::string shorter = without_suffix(name);
                // Where "x" is a member beside "x.npy", only the whole names tell them apart.
                names.push_back(shorter != name && file.has(shorter) ? name : shorter);
            }
    }

    std::mutex mutable reading{}; // libzip's archives are for one thread at a time
    ZipReader file;
    std::optional<MappedFile> mapping;
    std::map<std::string, sparse::StoredMember, std::less<>> stored;
    std::vector<std::string> names;
};

NpzArchive::NpzArchive(const std::string& path, Access access) {
    if (access == Access::read_write)
        throw Error(
            fmt::format("load_npz_arrays: '{}': what is written to an archive would not fit "
                        "its checksums; Access::copy_on_write keeps it in memory",
                        path));
    state_ = std::make_shared<const State>(path, access);
}

const std::vector<std::string>& NpzArchive::names() const noexcept { return state_->names; }

bool NpzArchive::contains(std::string_view name) const {
    const std::lock_guard lock(state_->reading);
    return state_->file.has(std::string(name)) ||
           state_->file.has(std::string(name).append(kSuffix));
}

AnyTensor NpzArchive::operator[](std::string_view name) const {
    const std::lock_guard lock(state_->reading);
    const ZipReader& file = state_->file;
    std::string member_name(name);
    if (!file.has(member_name)) member_name += kSuffix;
    if (!file.has(member_name))
        throw IndexError(fmt::format("{}: there is no array '{}', {}", file.where(), name,
                                     names().empty()
                                         ? "and no other one"
                                         : fmt::format("but {}", fmt::join(names(), ", "))));
    if (member_name.ends_with('/'))
        throw FormatError(fmt::format("{}, member '{}': is a folder", file.where(), member_name));
    const auto place = state_->stored.find(member_name);
    if (place != state_->stored.end())
        return npy::mapped_array(*state_->mapping, place->second.begin, place->second.bytes, {},
                                 fmt::format("{}, member '{}'", file.where(), member_name));
    ZipMember member = file.member(member_name);
    return npy::read_array([&](std::byte* out, index_t count) { member.read(out, count); },
                           member.size(), {}, member.where());
}

NpzArchive load_npz_arrays(const std::string& path, Access access) {
    return NpzArchive(path, access);
}

void save_npz_arrays(const std::string& path, const std::vector<NpzArray>& arrays,
                     Compression compression) {
    sparse::ZipWriter file("save_npz", path, compression == Compression::deflated);
    std::vector<AnyTensor> kept; // the archive borrows what it writes
    std::set<std::string> names;
    for (const NpzArray& array : arrays) {
        const std::string name = without_suffix(array.name);
        if (!names.insert(name).second)
            throw FormatError(fmt::format("save_npz: '{}': two arrays are named '{}'", path, name));
        const AnyTensor& given = array.values;
        const AnyTensor transposed = transpose(given);
        const bool column_major = !given.is_contiguous() && transposed.is_contiguous();
        std::string header = format_npy_header(
            {.dtype = given.dtype(), .column_major = column_major, .shape = given.shape()},
            fmt::format("save_npz: array '{}'", name));
        kept.push_back(contiguous(column_major ? transposed : given));
        const auto* const first = static_cast<const std::byte*>(contiguous_memory(kept.back()));
        file.add(name + std::string(kSuffix), std::move(header),
                 {first, static_cast<std::size_t>(kept.back().size_bytes())});
    }
    file.commit();
}

} // namespace purview
