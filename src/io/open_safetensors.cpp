#include <purview/io/open_safetensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/reader/mapped_file.hpp>

#include "base/descriptor.hpp"
#include "base/quoted_text.hpp"
#include "expression/stored_leaf.hpp"
#include "io/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace purview::inline v0_1 {
namespace {

MappedFile mapped_whole(const std::string& path) {
    file::require_path("open_safetensors", "open", path);
    return MappedFile(path);
}

} // namespace

struct SafetensorsFile::State {
    explicit State(const std::string& path)
        : where(fmt::format("open_safetensors: '{}'", path)),
          file(mapped_whole(path)),
          header(safetensors::parse_header(file.bytes(), where)) {
        for (const SafetensorsEntry& each : header.entries) by_name.emplace(each.name, &each);
    }

    const SafetensorsEntry* find(std::string_view name) const {
        const auto found = by_name.find(name);
        return found == by_name.end() ? nullptr : found->second;
    }

    std::string where;
    MappedFile file;
    safetensors::Header header;
    std::map<std::string_view, const SafetensorsEntry*> by_name;
};

SafetensorsFile::SafetensorsFile(const std::string& path)
    : state_(std::make_shared<const State>(path)) {}

const std::vector<SafetensorsEntry>& SafetensorsFile::entries() const noexcept {
    return state_->header.entries;
}

std::vector<std::string> SafetensorsFile::names() const {
    std::vector<std::string> names;
    names.reserve(entries().size());
    for (const SafetensorsEntry& each : entries()) names.push_back(each.name);
    return names;
}

bool SafetensorsFile::contains(std::string_view name) const {
    return state_->find(name) != nullptr;
}

const SafetensorsMetadata& SafetensorsFile::metadata() const noexcept {
    return state_->header.metadata;
}

AnyTensor SafetensorsFile::array(std::string_view name, std::optional<DType> wanted) const {
    const auto where = [&] {
        return fmt::format("{}: array {}", state_->where, file::quoted_text(name));
    };
    const SafetensorsEntry* const entry = state_->find(name);
    if (entry == nullptr)
        throw IndexError(fmt::format("{} is none of the {} there", where(), size()));
    const std::optional<DType> dtype = safetensors::dtype_named(entry->type);
    if (!dtype)
        throw DtypeError(fmt::format("{} has elements of the type {}, which Purview does not have",
                                     where(), file::quoted_text(entry->type)));
    if (wanted && *wanted != *dtype)
        throw DtypeError(
            fmt::format("{} holds {} and not {}", where(), dtype->name(), wanted->name()));
    const MappedFile& file = state_->file;
    const index_t element_bytes = dtype->size_bytes();
    const StoredMemory elements{
        .dtype = *dtype,
        .data = const_cast<std::byte*>(file.bytes().data() + entry->offset), // is not written
        .size = entry->bytes / element_bytes,
        .stride_bytes = element_bytes,
        .swapped = std::endian::native == std::endian::big && element_bytes > 1,
        .writable = false};
    return AnyTensor(
        Operand{leaf_over_stored("open_safetensors", elements, file.owner(), file.storage()),
                Dimensions::row_major(entry->shape)});
}

SafetensorsFile open_safetensors(const std::string& path) { return SafetensorsFile(path); }

} // namespace purview
