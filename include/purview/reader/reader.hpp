#pragma once

#include <purview/base/checked.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_view.hpp>
#include <purview/reader/reader_iterator.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <memory>
#include <span>
#include <vector>

namespace purview {

/// What a reader can reveal beyond `read`, which is how expressions treat it.
enum class Kind : std::uint8_t { constant, sparse, dense, computed };

/// Readers of the library that other parts of it know by their class.
enum class ReaderClass : std::uint8_t {
    other,
    strided,
    writable_strided,
    sparse_buffer,
    packed_indexes
};

/// A reader of unknown element type: what expressions hold. Derive from `Reader<T>` instead.
class PURVIEW_EXPORT AnyReader {
public:
    AnyReader() = default;
    AnyReader(const AnyReader&) = default;
    AnyReader& operator=(const AnyReader&) = default;
    virtual ~AnyReader();

    virtual DType dtype() const noexcept = 0;
    virtual index_t size() const = 0;
    virtual Kind kind() const noexcept { return memory() ? Kind::dense : Kind::computed; }
    /// False: this reader may be called from one thread at a time only, the calling one.
    virtual bool is_thread_safe() const noexcept { return true; }
    /// The memory the elements lie in, if they do.
    virtual MemoryView memory() const noexcept { return {}; }
    /// The pairs that a sparse reader holds; null for every other. The fill never changes.
    virtual SparsePairs pairs() const noexcept { return {}; }
    /// For the library's own classes, so that they are known without run-time type information; leave it be.
    virtual ReaderClass reader_class() const noexcept { return ReaderClass::other; }
    /// The allocation that memory belongs to.
    virtual StorageId storage() const noexcept { return {}; }
    /// Every allocation that reading may look into, so that a write to one of them is recognised as
    /// overlapping. A reader made of others lists theirs.
    virtual std::vector<StorageId> storages() const;

    /// How many readers below read through each other: 0 for one that has its elements. A reader made of others adds one
    /// to theirs (`one_deeper`), as each takes stack.
    virtual int depth() const noexcept { return 0; }

    /// Assigns elements `begin, begin + step, …` (`count` of them) to constructed elements at `out`.
    virtual void read_into(index_t begin, index_t step, index_t count, void* out) const = 0;
    /// Assigns the elements at `indexes` to constructed elements at `out`.
    virtual void gather_into(std::span<const index_t> indexes, void* out) const = 0;
};

/// The most readers that may read through each other.
inline constexpr int kMaxReaderDepth = 100;

/// The depth of a reader made of one of this depth. Throws `ShapeError` naming `what` beyond `kMaxReaderDepth`.
PURVIEW_EXPORT int one_deeper(int depth, const char* what);

/// Data you can read by index. Deriving needs only `size` and `read`; the block forms have defaults
/// in terms of `read`, and are worth overriding when a block can be had cheaper than its elements.
///
/// `read` must be pure in the sense that it can be called any number of times, in any order, and,
/// unless `is_thread_safe` says otherwise, from several threads. Indexes handed to it lie in [0, size).
/// A reader is itself a random-access range of its elements.
template <ElementType T>
class PURVIEW_EXPORT Reader : public AnyReader {
public:
    using value_type = T;
    using const_iterator = ReaderIterator<Reader<T>>;

    DType dtype() const noexcept final { return kDType<T>; }

    /// Element `i`; 0 <= i < size().
    virtual T read(index_t i) const = 0;

    /// Elements `begin, begin + step, …` into `out`, which says how many.
    virtual void read_block(index_t begin, index_t step, std::span<T> out) const {
        // Not `begin += step`: past the last element that may overflow.
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = read(begin + static_cast<index_t>(i) * step);
    }

    /// The elements at `indexes`, in their order. `out` has as many entries.
    virtual void gather(std::span<const index_t> indexes, std::span<T> out) const {
        for (std::size_t i = 0; i < indexes.size(); ++i) out[i] = read(indexes[i]);
    }

    T operator[](index_t i) const {
        PURVIEW_ASSERT(i >= 0 && i < size());
        return read(i);
    }

    /// Element `i`, counting from the end if negative. Throws `IndexError` outside of [-size, size).
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

/// How readers are shared: nothing that reads one outlives it.
template <ElementType T>
using ReaderPtr = std::shared_ptr<const Reader<T>>;

} // namespace purview
