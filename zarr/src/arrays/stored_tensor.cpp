#include "arrays/stored_tensor.hpp"

#include "arrays/read_ahead.hpp"
#include "arrays/stored_chunks.hpp"
#include "stores/store_keys.hpp"
#include "text/json_attributes.hpp"

#include "dtype/stored_types.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::zarr {
namespace {

/// Chunks in a store, or the shards that they are written in.
template <ElementType T>
class ZarrArray final : public ChunkedBuffer<T> {
public:
    enum class Cut : bool { chunks, shards };
    ZarrArray(std::shared_ptr<const StoredChunks> stored, std::shared_ptr<ChunkStore> store,
              Cut cut)
        : ChunkedBuffer<T>(cut == Cut::chunks ? stored->grid() : stored->written_grid(),
                           std::move(store)),
          stored_(std::move(stored)),
          cut_(cut) {
        const FillValue& fill = stored_->metadata().fill;
        if constexpr (std::is_same_v<T, std::string>)
            fill_ = fill.text;
        else
            std::memcpy(static_cast<void*>(&fill_), fill.bytes.data(), sizeof(T));
        if (const int threads = stored_->concurrency(); threads > 0 && cut == Cut::chunks)
            ahead_.emplace(*this, threads);
    }
    ZarrArray(const ZarrArray&) = delete;
    ZarrArray& operator=(const ZarrArray&) = delete;
    ~ZarrArray() override {
        // Its threads ask whether it is there, as long as there are any.
        if (ahead_) ahead_->stop();
    }
    void write_to(std::shared_ptr<ZarrArray> shards) { shards_ = std::move(shards); }

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        if (cut_ == Cut::shards) return stored_->read_whole(at, out.data());
        if (ahead_) ahead_->drop(at);
        return stored_->read(at, out.data());
    }
    void will_read(ShapeSpan at) const override {
        if (cut_ == Cut::shards) return;
        if (ahead_)
            ahead_->want(at);
        else
            stored_->will_read(at);
    }
    T fill() const override { return fill_; }
    Chunks& written_chunks() noexcept override {
        return shards_ == nullptr ? static_cast<Chunks&>(*this) : *shards_;
    }
    bool keeps_beyond_shape() const noexcept override { return true; }
    void write_chunk(ShapeSpan at, std::span<const T> elements) override {
        stored_->write(at, elements.data());
    }
    void erase_chunk(ShapeSpan at) override {
        if (stored_->metadata().fill.is_defined) return stored_->erase(at);
        const auto count = static_cast<std::size_t>(this->elements_per_chunk());
        const auto elements = std::make_unique<T[]>(count); // std::vector packs bools
        std::fill_n(elements.get(), count, fill_);
        stored_->write(at, elements.get());
    }

private:
    std::shared_ptr<const StoredChunks> stored_;
    Cut cut_;
    T fill_{};
    std::shared_ptr<ZarrArray> shards_;
    mutable std::optional<ReadAhead> ahead_;
};

/// Objects for all arrays that are open, by the places of their stores and by what else tells them apart.
class KnownStores {
public:
    using Key = std::pair<std::string, std::string>;
    std::shared_ptr<ChunkStore> get(Key key) {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
        std::weak_ptr<ChunkStore>& found = known_[std::move(key)];
        std::shared_ptr<ChunkStore> store = found.lock();
        if (store == nullptr) found = store = std::make_shared<ChunkStore>();
        return store;
    }
    /// Of all arrays at a place.
    std::vector<std::shared_ptr<ChunkStore>> at(const std::string& place) {
        const std::lock_guard lock(mutex_);
        std::vector<std::shared_ptr<ChunkStore>> found;
        for (const auto& [key, store] : known_)
            if (key.first == place)
                if (std::shared_ptr<ChunkStore> open = store.lock())
                    found.push_back(std::move(open));
        return found;
    }

private:
    std::mutex mutex_;
    std::map<Key, std::weak_ptr<ChunkStore>> known_;
};
KnownStores& known_stores() {
    static KnownStores stores;
    return stores;
}

/// One text for each place of an array, whatever store it is opened by.
std::string place_of(const Store& store, const std::string& path) {
    const std::string identity = store.identity();
    return joined_key(identity.empty() ? fmt::format("object {}", static_cast<const void*>(&store))
                                       : identity,
                      path);
}

/// What chunks depend on: not attributes, nor how long the first axis is, so that an array that was made
/// longer has the chunks of before.
std::string grid_text(Json::Value array) {
    for (const char* const name : {"attributes", "dimension_names", "consolidated_metadata"})
        array.removeMember(name);
    if (array["shape"].isArray() && !array["shape"].empty()) array["shape"][0] = 0;
    return json_text(array);
}

/// xarray writes `_FillValue` of format 2 as the array's fill value alone, and that of floats, in format 3,
/// as the base64 of a double.
std::optional<Attributes::Number> missing_number(const ArrayMetadata& array,
                                                 const Json::Value& node) {
    std::optional<Attributes::Number> missing;
    const DType dtype = array.codecs.type.dtype;
    const bool is_number = dtype.is_builtin() || dtype == float16 || dtype == bfloat16;
    if (!is_number || dtype == boolean) return missing;
    const Json::Value& text = array.attributes["_FillValue"];
    std::string bytes;
    if (text.isString() && !dtype.is_integer() && read_base64(text.asString(), bytes) &&
        bytes.size() == sizeof(double)) {
        std::uint64_t bits = 0;
        for (std::size_t k = sizeof bits; k-- > 0;)
            bits = bits << 8 | static_cast<unsigned char>(bytes[k]);
        return std::bit_cast<double>(bits);
    }
    if (node["zarr_format"] != 2 || node["fill_value"].isNull()) return missing;
    visit_stored_dtype(dtype, "open_zarr", [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_arithmetic_v<T> || kIsFloat16<T>) {
            T fill;
            std::memcpy(static_cast<void*>(&fill), array.fill.bytes.data(), sizeof(T));
            missing = Attributes::exactly(fill);
        }
    });
    return missing;
}

} // namespace

StoredArray stored_array(std::shared_ptr<const Store> store, std::shared_ptr<Store> writable,
                         const std::string& path, ArrayMetadata array, const Json::Value& node,
                         const std::string& where) {
    StoredArray result;
    result.dimension_names = array.dimension_names;
    result.attributes = attributes_of(array.attributes);
    result.codecs = array.codecs.names;
    result.missing = missing_number(array, node);
    const DType dtype = array.codecs.type.dtype;
    const std::string place = place_of(*store, path);
    const std::string grid = grid_text(node);
    const bool can_write = writable != nullptr;
    const auto chunks = std::make_shared<const StoredChunks>(std::move(store), std::move(writable),
                                                             path, std::move(array), where);
    result.shard_shape = chunks->written_grid().chunk;
    result.chunk_shape = chunks->grid().chunk;
    const auto make = [&]<typename T>(std::type_identity<T>) -> AnyTensor {
        using Array = ZarrArray<T>;
        const ShapeSpan shape = chunks->metadata().shape;
        const auto elements =
            std::make_shared<Array>(chunks, known_stores().get({place, grid}), Array::Cut::chunks);
        if (!can_write) return tensor(std::shared_ptr<const Array>(elements), AxisValues(shape));
        if (result.shard_shape != result.chunk_shape)
            elements->write_to(std::make_shared<Array>(
                chunks, known_stores().get({place, "shards of " + grid}), Array::Cut::shards));
        return tensor(elements, AxisValues(shape));
    };
    result.values = dtype == kDType<std::string> ? make(std::type_identity<std::string>{})
                                                 : visit_stored_dtype(dtype, "open_zarr", make);
    return result;
}

bool reads_from(const AnyTensor& tensor, const Store& store, const std::string& path) {
    const std::vector<StorageId> read = storages_below(tensor.operand());
    const auto open = known_stores().at(place_of(store, path));
    return std::any_of(read.begin(), read.end(), [&](const StorageId& storage) {
        return std::any_of(open.begin(), open.end(),
                           [&](const auto& each) { return each.get() == storage.address; });
    });
}

} // namespace purview::zarr
