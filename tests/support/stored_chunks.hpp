#pragma once

#include <support/reader_laws.hpp>
#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/wrap.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace oracle {

/// Chunks in a map, as a file may hold them. Those that are not there are all fill. Counts its calls.
template <typename T>
class StoredChunks final : public purview::ChunkedBuffer<T> {
public:
    using Place = std::vector<purview::index_t>;

    explicit StoredChunks(purview::ChunkGrid grid, T fill = T())
        : purview::ChunkedBuffer<T>(std::move(grid)), fill_(std::move(fill)) {}
    StoredChunks(purview::ChunkGrid grid, T fill, std::shared_ptr<purview::ChunkStore> store)
        : purview::ChunkedBuffer<T>(std::move(grid), std::move(store)), fill_(std::move(fill)) {}

    bool read_chunk(purview::ShapeSpan at, std::span<T> out) const override {
        ++reads;
        if (before_read) before_read(at);
        const std::scoped_lock lock(mutex_);
        const auto found = chunks_.find(Place(at.begin(), at.end()));
        if (found == chunks_.end()) return false;
        std::copy(found->second.begin(), found->second.end(), out.begin());
        return true;
    }
    T fill() const override { return fill_; }
    void write_chunk(purview::ShapeSpan at, std::span<const T> elements) override {
        ++writes;
        reader_laws::Values<T> copy(std::ssize(elements));
        std::copy(elements.begin(), elements.end(), copy.begin());
        const std::scoped_lock lock(mutex_);
        chunks_[Place(at.begin(), at.end())] = std::move(copy);
    }
    void erase_chunk(purview::ShapeSpan at) override {
        ++erased;
        const std::scoped_lock lock(mutex_);
        chunks_.erase(Place(at.begin(), at.end()));
    }
    std::size_t stored() const { return chunks_.size(); }

    mutable std::atomic<int> reads = 0;
    std::atomic<int> writes = 0;
    std::atomic<int> erased = 0;
    std::function<void(purview::ShapeSpan)> before_read;

private:
    T fill_;
    mutable std::mutex mutex_;
    std::map<Place, reader_laws::Values<T>> chunks_;
};

/// Chunks that are written in shards: `StoredChunks` of a multiple of their shape.
template <typename T>
class ShardedChunks final : public purview::ChunkedBuffer<T> {
public:
    ShardedChunks(purview::ChunkGrid grid, purview::index_t chunks_per_axis, T fill)
        : purview::ChunkedBuffer<T>(grid), shards(multiplied(grid, chunks_per_axis), fill) {}

    bool read_chunk(purview::ShapeSpan at, std::span<T> out) const override {
        const purview::Shape& chunk = this->grid().chunk;
        const purview::Shape& shard = shards.grid().chunk;
        std::vector<purview::index_t> place;
        for (std::size_t k = 0; k < at.size(); ++k) place.push_back(at[k] * chunk[k] / shard[k]);
        reader_laws::Values<T> elements(shards.elements_per_chunk());
        if (!shards.read_chunk(place, elements)) return false;
        for (std::size_t i = 0; i < out.size(); ++i) {
            auto rest = static_cast<purview::index_t>(i);
            purview::index_t from = 0;
            purview::index_t below = 1;
            for (std::size_t k = at.size(); k-- > 0; rest /= chunk[k]) {
                from += (at[k] * chunk[k] % shard[k] + rest % chunk[k]) * below;
                below *= shard[k];
            }
            out[i] = elements[from];
        }
        return true;
    }
    T fill() const override { return shards.fill(); }
    purview::Chunks& written_chunks() noexcept override { return shards; }
    void write_chunk(purview::ShapeSpan, std::span<const T>) override {
        throw purview::ReadOnlyError("a chunk was written without its shard");
    }
    void erase_chunk(purview::ShapeSpan) override {
        throw purview::ReadOnlyError("a chunk was erased without its shard");
    }

    StoredChunks<T> shards;

private:
    static purview::ChunkGrid multiplied(purview::ChunkGrid grid, purview::index_t factor) {
        for (purview::index_t& extent : grid.chunk) extent *= factor;
        return grid;
    }
};

/// The same elements in chunks and in memory.
template <typename T>
struct Twins {
    /// `element(i)` gives element i in row-major order. Chunks that are all fill are not stored.
    template <std::invocable<purview::index_t> Element>
    Twins(const purview::Shape& shape, const purview::Shape& chunk, Element element, T fill = T())
        : stored(std::make_shared<StoredChunks<T>>(purview::ChunkGrid{shape, chunk}, fill)),
          memory(purview::empty<T>(shape)),
          chunks(purview::tensor(stored, shape)) {
        for (purview::index_t i = 0; T & each : purview::as_span(memory)) each = element(i++);
        purview::copy(memory, chunks);
        forget();
    }

    /// Nothing is in the cache, and no read counted.
    void forget() const {
        purview::drop_cached_chunks();
        stored->reads = 0;
    }
    /// How many chunks `work` reads, of which none is in the cache.
    template <std::invocable Work>
    int reads_of(Work work) const {
        forget();
        work();
        return stored->reads;
    }

    std::shared_ptr<StoredChunks<T>> stored;
    purview::MutableTensor<T> memory;
    purview::MutableTensor<T> chunks;
};

} // namespace oracle
