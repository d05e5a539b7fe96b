#pragma once

#include <purview/reader/chunks.hpp>
#include <purview/reader/read_writer.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// What `ChunkedReader` and `ChunkedBuffer` have in common; `Base` is a reader.
template <typename Base>
class PURVIEW_EXPORT ChunkedElements : public Base, public Chunks {
public:
    using T = typename Base::value_type;

    explicit ChunkedElements(ChunkGrid grid, std::shared_ptr<ChunkStore> store = nullptr)
        : Chunks(std::move(grid), std::move(store)) {}

    /// Assigns all elements of the chunk at `at` in the grid of chunks, row-major, those beyond the shape, too; false,
    /// with nothing assigned: all are `fill()`. Called for a chunk that is not cached, from any number of threads,
    /// unless `is_thread_safe` says otherwise. What it throws reaches whoever wanted the chunk.
    virtual bool read_chunk(ShapeSpan at, std::span<T> out) const = 0;
    virtual T fill() const { return T(); }

    index_t size() const final { return this->element_count(); }
    T read(index_t i) const final {
        T element{};
        read_elements(i, 1, 1, &element);
        return element;
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const final {
        read_elements(begin, step, static_cast<index_t>(out.size()), out.data());
    }
    void gather(std::span<const index_t> indexes, std::span<T> out) const final {
        gather_elements(indexes, out.data());
    }
    const Chunks* chunks() const noexcept final { return this; }
    /// What is stored: readers of one store are seen to overlap.
    std::vector<StorageId> storages() const override { return {{this->store().get(), 1}}; }

    DType element_type() const noexcept final { return kDType<T>; }
    bool chunks_are_thread_safe() const noexcept final { return this->is_thread_safe(); }
    bool read_chunk_into(ShapeSpan at, void* out) const final {
        return read_chunk(at,
                          {static_cast<T*>(out), static_cast<std::size_t>(elements_per_chunk())});
    }
    void fill_into(void* out) const final { *static_cast<T*>(out) = fill(); }
};

/// A reader of what is stored in chunks: derive, and define `read_chunk`. Elements are read through the process's cache of
/// chunks, which keeps what was read within `memory_limit()`. `tensor(reader, reader->grid().shape)` has its shape.
template <ElementType T>
class PURVIEW_EXPORT ChunkedReader : public ChunkedElements<Reader<T>> {
public:
    using ChunkedElements<Reader<T>>::ChunkedElements;
};

/// A `ChunkedReader` that can be written: define `write_chunk` and `erase_chunk`, too.
template <ElementType T>
class PURVIEW_EXPORT ChunkedBuffer : public ChunkedElements<ReadWriter<T>> {
public:
    using ChunkedElements<ReadWriter<T>>::ChunkedElements;
    using Writer<T>::write;

    /// Stores all elements of a chunk, those beyond the shape, too. Different chunks may be written by several threads.
    virtual void write_chunk(ShapeSpan at, std::span<const T> elements) = 0;
    /// From now on, `read_chunk` returns false for this chunk.
    virtual void erase_chunk(ShapeSpan at) = 0;

    void write(index_t i, const T& value) final { this->write_elements(i, 1, 1, &value); }
    void write_block(index_t begin, index_t step, std::span<const T> values) final {
        this->write_elements(begin, step, static_cast<index_t>(values.size()), values.data());
    }
    void scatter(std::span<const index_t> indexes, std::span<const T> values) final {
        this->scatter_elements(indexes, values.data());
    }

    bool can_write() const noexcept final { return true; }
    void write_chunk_from(ShapeSpan at, const void* elements) final {
        write_chunk(at, {static_cast<const T*>(elements),
                         static_cast<std::size_t>(this->elements_per_chunk())});
    }
    void erase_chunk_at(ShapeSpan at) final { erase_chunk(at); }
};

} // namespace purview
