#pragma once

#include "metadata/array_metadata.hpp"
#include "text/json.hpp"

#include <purview/zarr/store.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::zarr {

/// The metadata of arrays and groups in a store: from keys of their own, or, where the group it was made for
/// has it consolidated, from there.
class StoreMetadata {
public:
    /// `root`: the group whose consolidated metadata is asked for.
    StoreMetadata(std::shared_ptr<const Store> store, std::string root);

    /// A node: an array or a group, in format 3 or 2.
    struct Node {
        int format = 3;
        bool is_array = false;
        Json::Value value;
        Json::Value attributes;
    };
    /// Nothing where there is neither. Throws `FormatError`.
    std::optional<Node> node(const std::string& path) const;
    /// Whether a node is an array; nothing where there is none. Of consolidated metadata nothing else is looked at.
    std::optional<bool> is_array(const std::string& path) const;
    /// The names of what lies right in a group.
    std::vector<std::string> names(const std::string& path) const;

    const std::shared_ptr<const Store>& store() const noexcept { return store_; }
    std::string where(const std::string& path) const;

private:
    std::optional<Json::Value> read(const std::string& key) const;
    std::optional<Json::Value> known(const std::string& path, const char* file) const;

    std::shared_ptr<const Store> store_;
    std::string root_;
    bool is_consolidated_ = false;
    /// By key; null: is not there. Where nothing is consolidated, what was read at first.
    std::map<std::string, Json::Value> known_;
};

/// What is known of the array that a node is. Throws `FormatError` and `DtypeError` beginning with `where`.
ArrayMetadata array_metadata(const StoreMetadata::Node& node, const std::string& where);

} // namespace purview::zarr
