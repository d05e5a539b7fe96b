#include <purview/zarr/save_zarr.hpp>

#include "arrays/chunks_between.hpp"
#include "arrays/stored_tensor.hpp"
#include "metadata/array_keys.hpp"
#include "metadata/new_metadata.hpp"
#include "metadata/store_metadata.hpp"
#include "stores/store_at.hpp"
#include "stores/store_keys.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// The place of an array in a store, for the function `what`.
struct ArrayPlace {
    const char* what;
    const std::shared_ptr<Store>& store;
    const std::string& path;

    std::string where() const {
        return path.empty() ? fmt::format("{}: {}", what, store->name())
                            : fmt::format("{}: {}, '{}'", what, store->name(), path);
    }
    void put(const zarr::MetadataTexts& texts) const {
        for (const auto& [key, text] : texts)
            store->put(zarr::joined_key(path, key), std::as_bytes(std::span(text)));
    }
};

/// An array that has no metadata in its store yet.
struct NewArray {
    zarr::MetadataTexts texts;
    zarr::ArrayMetadata metadata;
    /// Of the arrays whose chunks are there and have to be erased before: one that is replaced, one that
    /// was not finished.
    std::vector<zarr::ArrayMetadata> replaced;

    /// A tensor whose chunks lie at `path` of the store.
    AnyTensor values_at(const ArrayPlace& place, const std::string& path) const {
        const auto& text = texts.front().second;
        const Json::Value known = zarr::parse_json(std::as_bytes(std::span(text)), place.where());
        return zarr::stored_array(place.store, place.store, path, metadata, known, place.where())
            .values;
    }
    void erase_replaced(const ArrayPlace& place) const {
        if (replaced.empty()) return;
        for (const zarr::ArrayMetadata& each : replaced)
            zarr::erase_array(*place.store, place.path, each);
        drop_cached_chunks();
    }
};

/// Checks that there is room for an array, and makes the groups above it.
NewArray new_array(const ArrayPlace& place, DType dtype, ShapeSpan shape,
                   const ZarrOptions& options, const AnyTensor* source) {
    if (!place.path.empty()) zarr::require_array_key(place.path, place.where());
    NewArray array;
    array.texts = zarr::metadata_texts(shape, dtype, options, place.where());
    array.metadata = zarr::metadata_of(array.texts, place.where());
    const auto there = zarr::StoreMetadata(place.store, place.path).node(place.path);
    if (there && !there->is_array) throw FormatError(fmt::format("{}: is a group", place.where()));
    if (there && !options.overwrite)
        throw FormatError(fmt::format("{}: is an array already; the option overwrite replaces it",
                                      place.where()));
    const bool has_left = zarr::has_chunks(*place.store, place.path, array.metadata);
    if (has_left && !options.overwrite)
        throw FormatError(fmt::format(
            "{}: has chunks of an array that was not finished; the option overwrite replaces them",
            place.where()));
    if (there && source != nullptr && zarr::reads_from(*source, *place.store, place.path))
        throw FormatError(
            fmt::format("{}: the tensor reads the array that it would replace", place.where()));
    if (there) array.replaced.push_back(zarr::array_metadata(*there, place.where()));
    if (has_left) array.replaced.push_back(array.metadata);
    for (const zarr::ArrayMetadata& each : array.replaced)
        zarr::require_chunks_alone(*place.store, place.path, each, place.where());
    zarr::update_groups(*place.store, place.path, options.format,
                        fmt::format("{}: {}", place.what, place.store->name()));
    return array;
}

void save(const ArrayPlace& place, const AnyTensor& x, const ZarrOptions& options) {
    require_host_reads(place.what, x.operand());
    const NewArray array = new_array(place, x.dtype(), x.shape(), options, &x);
    // What is replaced may be read by the tensor in ways that nobody sees here, so that it stays until
    // all is computed. One name for all: what a killed writer has left there is removed.
    const std::string beside = zarr::joined_key(place.path, ".purview-new");
    const bool replaces = !array.replaced.empty();
    bool is_erased = !replaces;
    try {
        if (replaces) place.store->erase_all(beside);
        const AnyTensor values = array.values_at(place, replaces ? beside : place.path);
        const auto between = zarr::ChunksBetween::stored(x, values);
        copy_operand((between ? between->values() : x).operand(), values.operand(), place.what);
        if (replaces) {
            is_erased = true;
            array.erase_replaced(place);
            for (const std::string& part : place.store->list(beside))
                place.store->move_all(zarr::joined_key(beside, part),
                                      zarr::joined_key(place.path, part));
            place.store->erase_all(beside);
        }
        place.put(array.texts);
    } catch (...) {
        try {
            if (replaces) place.store->erase_all(beside);
            if (is_erased) zarr::erase_array(*place.store, place.path, array.metadata);
        } catch (const Error&) {
            // What could not be written cannot always be removed; the first error says why.
        }
        throw;
    }
}

AnyTensor create(const ArrayPlace& place, DType dtype, ShapeSpan shape,
                 const ZarrOptions& options) {
    const NewArray array = new_array(place, dtype, shape, options, nullptr);
    array.erase_replaced(place);
    place.put(array.texts);
    return array.values_at(place, place.path);
}

void append(const ArrayPlace& place, const AnyTensor& x, int axis) {
    require_host_reads(place.what, x.operand());
    const auto node = zarr::StoreMetadata(place.store, place.path).node(place.path);
    if (!node || !node->is_array)
        throw FormatError(
            fmt::format("{}: is {}", place.where(), node ? "a group and no array" : "no array"));
    zarr::ArrayMetadata metadata = zarr::array_metadata(*node, place.where());
    metadata.codecs.require_encoder(place.where());
    const Shape before = metadata.shape;
    const auto rank = static_cast<int>(before.size());
    const auto k = static_cast<std::size_t>(checked_axis(axis, rank, place.what));
    const ShapeSpan added = x.operand().dims.max_shape();
    Shape fitting = to_shape(added);
    if (fitting.size() == before.size()) fitting[k] = before[k];
    if (fitting != before)
        throw ShapeError(fmt::format("{}: a tensor of shape {} does not continue {} along axis {}",
                                     place.where(), to_string(added), to_string(before), k));
    if (__builtin_add_overflow(before[k], added[k], &metadata.shape[k]))
        throw_overflow(place.what, before[k], added[k]);
    zarr::require_grid(metadata, place.where());
    const std::string key =
        zarr::joined_key(place.path, node->format == 3 ? "zarr.json" : ".zarray");
    const std::optional<Store::Bytes> old = place.store->get(key);
    if (!old) throw FormatError(fmt::format("{}: is no array any more", place.where()));
    const std::string text = zarr::with_shape(*old, metadata.shape, place.where());
    const Json::Value known = zarr::parse_json(std::as_bytes(std::span(text)), place.where());
    const AnyTensor whole =
        zarr::stored_array(place.store, place.store, place.path, metadata, known, place.where())
            .values;
    std::vector<TensorIndex> part(before.size(), TensorIndex(all));
    part[k] = range(before[k], metadata.shape[k]);
    copy_operand(x.operand(), select_operand(whole.operand(), part), place.what);
    zarr::update_groups(*place.store, place.path, node->format,
                        fmt::format("{}: {}", place.what, place.store->name()));
    place.put({{node->format == 3 ? "zarr.json" : ".zarray", text}});
    // Chunks are numbered anew, so that arrays that are open do not share what is cached.
    if (k != 0) drop_cached_chunks();
}

} // namespace

AnyTensor create_zarr(const std::shared_ptr<Store>& store, const std::string& name, DType dtype,
                      AxisValues shape, const ZarrOptions& options) {
    return create({"create_zarr", store, name}, dtype, shape, options);
}
AnyTensor create_zarr(const std::string& path, DType dtype, AxisValues shape,
                      const ZarrOptions& options) {
    const auto [store, name] = zarr::place_at(path, "create_zarr");
    return create_zarr(store, name, dtype, shape, options);
}

void SaveZarrFunction::save(const std::shared_ptr<Store>& store, const std::string& name,
                            const AnyTensor& x, const ZarrOptions& options) {
    purview::save({"save_zarr", store, name}, x, options);
}
void SaveZarrFunction::save(const std::string& path, const AnyTensor& x,
                            const ZarrOptions& options) {
    const auto [store, name] = zarr::place_at(path, "save_zarr");
    save(store, name, x, options);
}

void append_zarr(const std::shared_ptr<Store>& store, const std::string& name, const AnyTensor& x,
                 int axis) {
    append({"append_zarr", store, name}, x, axis);
}
void append_zarr(const std::string& path, const AnyTensor& x, int axis) {
    const auto [store, name] = zarr::place_at(path, "append_zarr");
    append_zarr(store, name, x, axis);
}

} // namespace purview
