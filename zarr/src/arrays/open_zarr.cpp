#include <purview/zarr/open_zarr.hpp>

#include "arrays/stored_tensor.hpp"
#include "metadata/store_metadata.hpp"
#include "stores/store_at.hpp"
#include "stores/store_keys.hpp"
#include "text/json_attributes.hpp"

#include <purview/base/errors.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

StoredArray open_array(const zarr::StoreMetadata& metadata, const std::string& path,
                       const std::shared_ptr<Store>& writable = nullptr) {
    const std::string where = metadata.where(path);
    const auto node = metadata.node(path);
    if (!node || !node->is_array)
        throw FormatError(
            fmt::format("{}: is {}", where, node ? "a group and no array" : "no array"));
    zarr::ArrayMetadata array = zarr::array_metadata(*node, where);
    if (writable != nullptr) array.codecs.require_encoder(where);
    return zarr::stored_array(metadata.store(), writable, path, std::move(array), node->value,
                              where);
}

class ZarrGroup final : public StoredGroup::Source {
public:
    ZarrGroup(std::shared_ptr<const Store> store, const std::string& root)
        : metadata_(std::move(store), root) {}

    Attributes attributes(const std::string& group) const override {
        const auto node = metadata_.node(group);
        return node ? zarr::attributes_of(node->attributes) : Attributes();
    }
    std::vector<std::string> arrays(const std::string& group) const override {
        return names(group, true);
    }
    std::vector<std::string> groups(const std::string& group) const override {
        return names(group, false);
    }
    StoredArray array(const std::string& path) const override {
        return open_array(metadata_, path);
    }
    void require_group(const std::string& path) const override {
        const auto node = metadata_.node(path);
        if (node && !node->is_array) return;
        throw FormatError(fmt::format("{}: is {}", metadata_.where(path),
                                      node ? "an array and no group" : "no group"));
    }

private:
    std::vector<std::string> names(const std::string& group, bool are_arrays) const {
        std::vector<std::string> result;
        for (const std::string& name : metadata_.names(group))
            if (metadata_.is_array(zarr::joined_key(group, name)) == are_arrays)
                result.push_back(name);
        std::sort(result.begin(), result.end());
        return result;
    }

    zarr::StoreMetadata metadata_;
};

} // namespace

StoredArray open_zarr_array(const std::shared_ptr<Store>& store, const std::string& name,
                            Access access) {
    const zarr::StoreMetadata metadata(store, name);
    if (access == Access::copy_on_write)
        throw ReadOnlyError(fmt::format("{}: copy_on_write is for files that are mapped: "
                                        "in_memory is a copy",
                                        metadata.where(name)));
    StoredArray array = open_array(metadata, name, access == Access::read_write ? store : nullptr);
    if (access == Access::in_memory) array.values = clone(array.values);
    return array;
}
StoredArray open_zarr_array(const std::string& path, Access access) {
    return open_zarr_array(access == Access::read_write ? zarr::writable_store_at(path, "open_zarr")
                                                        : zarr::store_at(path),
                           "", access);
}

AnyTensor open_zarr(const std::string& path, Access access) {
    return open_zarr_array(path, access).values;
}
AnyTensor open_zarr(const std::shared_ptr<Store>& store, const std::string& name, Access access) {
    return open_zarr_array(store, name, access).values;
}

StoredGroup open_zarr_group(const std::shared_ptr<Store>& store, const std::string& name) {
    return {std::make_shared<const ZarrGroup>(store, name), name};
}
StoredGroup open_zarr_group(const std::string& path) {
    return open_zarr_group(zarr::store_at(path));
}

} // namespace purview
