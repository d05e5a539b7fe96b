#pragma once

#include <purview/base/checked.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_view.hpp>
#include <purview/reader/reader_iterator.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

class Backend; // evaluation/backend.hpp
class Chunks;  // reader/chunks.hpp

/// What a reader reveals of its elements beyond `read`; expressions are evaluated accordingly.
enum class Kind : std::uint8_t { constant, sparse, dense, computed };

/// Classes of readers that the library recognises.
enum class ReaderClass : std::uint8_t {
    other,
    strided,
    writable_strided,
    sparse_buffer,
    packed_indexes
};

/// A reader of unknown element type, as expressions hold it. Derive from `Reader<T>` instead.
class PURVIEW_EXPORT AnyReader {
public:
    AnyReader() = default;
    AnyReader(const AnyReader&) = default;
    AnyReader& operator=(const AnyReader&) = default;
    virtual ~AnyReader();

    virtual DType dtype() const noexcept = 0;
    virtual index_t size() const = 0;
    virtual Kind kind() const noexcept { return memory() ? Kind::dense : Kind::computed; }
    /// False: this reader may be called from one thread at a time only, the thread that evaluates.
    virtual bool is_thread_safe() const noexcept { return true; }
    /// The memory that holds the elements; a null view if they are not in memory.
    virtual MemoryView memory() const noexcept { return {}; }
    /// The stored pairs of a sparse reader; null for every other reader. The fill never changes.
    virtual SparsePairs pairs() const noexcept { return {}; }
    /// Identifies the library's own classes without run-time type information. Users do not
    /// override it.
    virtual ReaderClass reader_class() const noexcept { return ReaderClass::other; }
    /// The allocation that `memory` is part of.
    virtual StorageId storage() const noexcept { return {}; }
    /// Every allocation that a read may access, so that a write to one of them is recognised as
    /// overlapping. A reader made of others lists theirs.
    virtual std::vector<StorageId> storages() const;

    /// The length of the longest chain of readers that this one reads through: 0 for a reader that
    /// has its elements itself. A reader made of others returns one more than theirs
    /// (`nested_depth`). Bounded, because each level takes stack.
    virtual int depth() const noexcept { return 0; }

    /// Who works on the elements where they are, if they lie elsewhere: on a device, say. Null for
    /// what this process's processors read. A reader made of others returns theirs.
    virtual const Backend* backend() const noexcept { return nullptr; }

    /// The chunks that this reader reads. Null for a reader without (see `ChunkedReader`).
    virtual const Chunks* chunks() const noexcept { return nullptr; }

    /// Assigns elements `begin, begin + step, …` (`count` of them) to constructed elements at
    /// `out`.
    virtual void read_into(index_t begin, index_t step, index_t count, void* out) const = 0;
    /// Assigns the elements at `indexes` to constructed elements at `out`.
    virtual void gather_into(std::span<const index_t> indexes, void* out) const = 0;
};

/// The greatest allowed `AnyReader::depth`.
inline constexpr int kMaxReaderDepth = 100;

/// The depth of a reader that reads through one of depth `depth`. Throws `ShapeError` naming `what`
/// beyond `kMaxReaderDepth`.
PURVIEW_EXPORT int nested_depth(int depth, const char* what);

/// Data that can be read by index. Deriving needs only `size` and `read`; the block functions have
/// defaults that call `read`, and are worth overriding where a block is cheaper than its elements
/// one by one.
///
/// `read` must be pure in the sense that it can be called any number of times, in any order, and,
/// unless `is_thread_safe` says otherwise, from several threads. Indexes handed to it lie in [0,
/// size). A reader is itself a random-access range of its elements.
template <ElementType T>
class PURVIEW_EXPORT Reader : public AnyReader {
public:
    using value_type = T;
    using const_iterator = ReaderIterator<Reader<T>>;

    DType dtype() const noexcept final { return kDType<T>; }

    /// Element `i`; 0 <= i < size().
    virtual T read(index_t i) const = 0;

    /// Reads elements `begin, begin + step, …`, `out.size()` of them, into `out`.
    virtual void read_block(index_t begin, index_t step, std::span<T> out) const {
        // Not `begin += step`: past the last element that may overflow.
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = read(begin + static_cast<index_t>(i) * step);
    }

    /// Reads the elements at `indexes`, in their order, into `out`, which is as long as `indexes`.
    virtual void gather(std::span<const index_t> indexes, std::span<T> out) const {
        for (std::size_t i = 0; i < indexes.size(); ++i) out[i] = read(indexes[i]);
    }

    T operator[](index_t i) const {
        PURVIEW_ASSERT(i >= 0 && i < size());
        return read(i);
    }

    /// Element `i`, counting from the end if negative. Throws `IndexError` outside of [-size,
    /// size).
    T at(index_t i) const { return read(checked_index(i, size(), 0, "at")); }

    bool empty() const { return size() == 0; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size()}; }

    void read_into(index_t begin, index_t step, index_t count, void* out) const final {
        read_block(begin, step, {static_cast<T*>(out), static_cast<std::size_t>(count)});
    }
    void gather_into(std::span<const index_t> indexes, void* out) const final {
        gather(indexes, {static_cast<T*>(out), indexes.size()});
    }
};

/// How readers are shared: everything that reads from one co-owns it.
template <ElementType T>
using ReaderPtr = std::shared_ptr<const Reader<T>>;

} // namespace purview
