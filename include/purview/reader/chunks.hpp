#pragma once

#include <purview/dtype/dtype.hpp>

#include <memory>
#include <optional>
#include <span>

namespace purview::inline v0_1 {

/// A shape cut into chunks of one shape; chunks at the end of an axis may reach beyond the shape.
struct ChunkGrid {
    Shape shape;
    Shape chunk;
};

/// What numbers lie within, both ends included; bools count as 0 and 1.
struct NumberBounds {
    double least; ///< rounded down, where it is no float64
    double greatest;
    bool may_be_nan; ///< whether some may lie nowhere
};

struct ChunkTable; // src/reader/cached_chunk.hpp

/// Identifies what is stored: readers of one store share the chunks that are cached, so all of them have one grid.
class PURVIEW_EXPORT ChunkStore {
public:
    ChunkStore();
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;
    /// Its cached chunks are dropped.
    ~ChunkStore();

private:
    friend class ChunkCache;
    std::unique_ptr<ChunkTable> table_;
};

/// Chunks of unknown element type. Derive from `ChunkedReader<T>` or `ChunkedBuffer<T>` instead. Elements have the
/// row-major indexes of the shape; chunks are numbered row-major, too. `at` is a chunk's place in the grid of chunks.
class PURVIEW_EXPORT Chunks {
public:
    /// Throws `ShapeError` unless both shapes of the grid have one rank and chunks have extents from 1 on, and where
    /// a size overflows. A null store: one of its own.
    explicit Chunks(ChunkGrid grid, std::shared_ptr<ChunkStore> store = nullptr);
    virtual ~Chunks();

    const ChunkGrid& grid() const noexcept { return grid_; }
    /// The number of chunks along each axis, and of all.
    ShapeSpan counts() const noexcept { return counts_; }
    index_t count() const noexcept { return count_; }
    /// Elements of a chunk, also those beyond the shape; elements of the shape.
    index_t elements_per_chunk() const noexcept { return elements_per_chunk_; }
    index_t element_count() const noexcept { return element_count_; }
    const std::shared_ptr<ChunkStore>& store() const noexcept { return store_; }

    virtual DType element_type() const noexcept = 0;
    /// Assigns all elements of a chunk, row-major, to constructed elements; false, with nothing assigned: all are the
    /// fill.
    virtual bool read_chunk_into(ShapeSpan at, void* out) const = 0;
    /// Assigns the fill to a constructed element.
    virtual void fill_into(void* out) const = 0;
    /// What the elements of a chunk lie within, those beyond the shape apart, where that is known without reading it: chunks that a
    /// comparison is false for are not read to find where it is true. Nothing by default, and for elements that are no numbers.
    virtual std::optional<NumberBounds> bounds_of_chunk(ShapeSpan at) const;
    /// This chunk will be read soon. Must not block.
    virtual void will_read(ShapeSpan at) const;
    /// False: `read_chunk_into` may be called from one thread at a time only, the thread that evaluates.
    virtual bool chunks_are_thread_safe() const noexcept { return true; }

    /// Whether chunks can be written; a reader's cannot.
    virtual bool can_write() const noexcept { return false; }
    virtual void write_chunk_from(ShapeSpan at, const void* elements);
    /// Makes all elements of a chunk the fill.
    virtual void erase_chunk_at(ShapeSpan at);
    /// Whether elements of a chunk beyond the shape may be somebody's, as the stored array may have become longer: then
    /// such a chunk is read before it is written.
    virtual bool keeps_beyond_shape() const noexcept { return false; }
    /// The same elements in the chunks that are written at once, of a multiple of this chunk shape: shards. Whatever is
    /// written to this is written to those; what is cached of the chunks in them is dropped then.
    virtual Chunks& written_chunks() noexcept { return *this; }

    /// Elements through the cache (`memory_limit`): each chunk is looked up once per call.
    void read_elements(index_t begin, index_t step, index_t count, void* out) const;
    void gather_elements(std::span<const index_t> indexes, void* out) const;
    /// Written chunks of which only a part is assigned are read first, under a lock for each; those that become the
    /// fill are erased.
    void write_elements(index_t begin, index_t step, index_t count, const void* values);
    void scatter_elements(std::span<const index_t> indexes, const void* values);

protected:
    Chunks(const Chunks&) = default;
    Chunks& operator=(const Chunks&) = delete;

private:
    ChunkGrid grid_;
    Shape counts_;
    index_t count_;
    index_t elements_per_chunk_;
    index_t element_count_;
    std::shared_ptr<ChunkStore> store_;
};

} // namespace purview
