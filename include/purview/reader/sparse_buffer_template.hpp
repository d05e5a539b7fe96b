#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/read_writer.hpp>
#include <purview/reader/sparse_pairs.hpp>
#include <purview/reader/sparse_store.hpp>

#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

// The class for all element types. A file that names a sparse buffer of a built-in type includes
// sparse_buffer.hpp, or would compile it once more.

namespace purview::inline v0_1 {

/// Sparse elements: ascending indexes without repeats, a value for each, and the fill, which all
/// other elements equal. Logically up to 2⁶² elements; takes 8 + sizeof(T) bytes per stored
/// element, or less with packed indexes (`PackedIndexes`).
///
/// Reading an element is a binary search; reading a block costs O(log stored + block). Writing one
/// element moves all stored ones behind it, so write in blocks: `write_block`, `scatter` and
/// `set_constant` cost O(stored + block). Writing the fill removes the stored element. A stored
/// element may equal the fill; results do not depend on that.
///
/// If a write throws, because copying or comparing elements throws or memory is exhausted, the
/// buffer is unchanged. A block to write may be part of the buffer's own elements. Memory is at
/// most about twice what the stored elements need.
template <ElementType T>
class PURVIEW_EXPORT SparseBuffer final : public ReadWriter<T> {
public:
    /// An empty one: all elements equal the fill. O(1). Throws `ShapeError` for a size outside of
    /// [0, 2⁶²].
    explicit SparseBuffer(index_t size, T fill = T{})
        : size_(size), fill_(std::move(fill)), store_(SparseValues<T>::type) {
        check_sparse_size("SparseBuffer", size);
    }
    /// An empty one with a number of another type as its fill. Throws `CastError` where that does
    /// not fit.
    template <ConvertedTo<T> U>
    SparseBuffer(index_t size, U fill) : SparseBuffer(size, converted<T>(fill)) {}

    SparseBuffer(const SparseBuffer&) = delete;
    SparseBuffer& operator=(const SparseBuffer&) = delete;

    /// From pairs in any order. O(n) if the indexes ascend, else a sort. Throws `ShapeError` for a
    /// size outside of [0, 2⁶²] or different numbers of indexes and values; `IndexError` naming the
    /// position of an index outside of [0, size), and of a duplicate unless `duplicates` says how
    /// to combine them.
    SparseBuffer(index_t size, std::vector<index_t> indexes, std::vector<T> values, T fill = T{},
                 Duplicates duplicates = Duplicates::error);

    /// Shares foreign memory without a copy: values at any stride, and ascending indexes without
    /// repeats, contiguous or strided (in this library's buffers, or wrapped by `Buffer` and
    /// `ConstBuffer` with an owner) or `PackedIndexes`. It is never written: the first write copies
    /// it. Throws `ShapeError` and `IndexError` as for pairs in any order, and `ShapeError` for
    /// other readers that are not in memory. O(stored).
    SparseBuffer(index_t size, ReaderPtr<index_t> indexes, ReaderPtr<T> values, T fill = T{});

    /// Takes over the first `stored` indexes and values, whose order the caller guarantees. O(1),
    /// unchecked: for results of operations.
    static std::shared_ptr<SparseBuffer> of_sorted(index_t size, BufferPtr<index_t> indexes,
                                                   BufferPtr<T> values, index_t stored, T fill);

    index_t size() const noexcept override { return size_; }
    Kind kind() const noexcept override { return Kind::sparse; }
    ReaderClass reader_class() const noexcept override { return ReaderClass::sparse_buffer; }
    SparsePairs pairs() const noexcept override {
        SparsePairs pairs{store_.indexes(), store_.values(), &fill_};
        pairs.are_checked = true;
        if (is_packed()) {
            pairs.packed = store_.index_memory().get();
            pairs.packed_count = stored();
        }
        return pairs;
    }

    /// The number of stored elements.
    index_t stored() const noexcept { return store_.stored(); }
    const T& fill() const noexcept { return fill_; }
    /// Whether the indexes are not a contiguous list: packed, or foreign memory at a stride. A
    /// write converts them to a list, O(stored).
    bool is_packed() const noexcept { return store_.is_packed(); }
    /// The indexes, ascending, without repeats. Valid until a write. Throws `ShapeError` if
    /// `is_packed()`: use `index_memory` then.
    std::span<const index_t> indexes() const;
    /// One value per index. Valid until a write. Throws `ShapeError` for foreign memory at a
    /// stride: use `pairs` then.
    std::span<const T> values() const;
    /// The readers that hold indexes and values: zero-copy access that shares ownership. Null if
    /// nothing has been stored. They may be longer than `stored()`, where there is room to grow.
    /// While somebody else holds them, writes go to a copy.
    const ReaderPtr<index_t>& index_memory() const noexcept { return store_.index_memory(); }
    ReaderPtr<T> value_memory() const noexcept {
        return std::static_pointer_cast<const Reader<T>>(store_.value_memory());
    }

    T read(index_t i) const override;
    void read_block(index_t begin, index_t step, std::span<T> out) const override;
    void gather(std::span<const index_t> indexes, std::span<T> out) const override;

    using Writer<T>::write;
    void write(index_t i, const T& value) override;
    void write_block(index_t begin, index_t step, std::span<const T> values) override;
    void scatter(std::span<const index_t> indexes, std::span<const T> values) override;

    /// Sets the elements at `indexes`; with duplicates the last wins. Sorts the indexes unless they
    /// ascend. Throws `IndexError` naming the position of one out of range, and `ShapeError` for
    /// different numbers of indexes and values; the buffer is unchanged then.
    void write_indexes(std::span<const index_t> indexes, std::span<const T> values);
    /// Sets the elements at `indexes`, which the caller guarantees to ascend without repeats:
    /// unchecked.
    void write_sorted_indexes(std::span<const index_t> indexes, std::span<const T> values);
    /// Sets the elements [begin, end) to `value`. If it is the fill, stored elements are removed,
    /// O(stored). Throws `IndexError`.
    void set_constant(index_t begin, index_t end, const T& value);
    template <ConvertedTo<T> U>
    void set_constant(index_t begin, index_t end, U value) {
        set_constant(begin, end, converted<T>(value));
    }
    /// Removes stored elements that equal the fill. O(stored).
    void prune();

private:
    index_t index(index_t position) const { return store_.index(position); }
    T stored_value(index_t position) const { return load_element<T>(store_.value(position)); }
    void check_range(index_t begin, index_t end) const;
    /// Whether a stored value is the same as the fill; 0 and -0 differ.
    bool is_fill(index_t position) const {
        if constexpr (std::floating_point<T>) {
            const T value = stored_value(position);
            return same_element(value, fill_) &&
                   (value != T{} || __builtin_signbit(value) == __builtin_signbit(fill_));
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            return same_element(stored_value(position), fill_);
        } else {
            return same_element(*static_cast<const T*>(store_.value(position)), fill_);
        }
    }
    /// Element `index`, given `position`, the number of stored elements before it.
    T element_at(index_t position, index_t index) const {
        return position < stored() && this->index(position) == index ? stored_value(position)
                                                                     : fill_;
    }

    void write_edits(std::span<SparseEdit> edits, std::span<const T> values);

    index_t size_;
    T fill_;
    SparseStore store_;
};

template <ElementType T>
using SparseBufferPtr = std::shared_ptr<SparseBuffer<T>>;

[[noreturn]] PURVIEW_EXPORT void throw_not_in_memory(const char* what, const char* part);
[[noreturn]] PURVIEW_EXPORT void throw_strided_values(index_t stride_bytes);
[[noreturn]] PURVIEW_EXPORT void throw_packed_indexes();
[[noreturn]] PURVIEW_EXPORT void throw_sparse_range(index_t begin, index_t end, index_t size);

template <ElementType T>
SparseBuffer<T>::SparseBuffer(index_t size, std::vector<index_t> indexes, std::vector<T> values,
                              T fill, Duplicates duplicates)
    : SparseBuffer(size, std::move(fill)) {
    const char* const what = "SparseBuffer";
    check_pair_count(what, std::ssize(indexes), std::ssize(values));
    const std::vector<index_t> order = sorted_pair_order(what, indexes, size);
    BufferPtr<index_t> own_indexes = allocate_uninitialized_buffer<index_t>(std::ssize(indexes));
    BufferPtr<T> own_values = allocate_uninitialized_buffer<T>(std::ssize(indexes));
    auto* const to_index = static_cast<index_t*>(own_indexes->writable_memory().data);
    auto* const to_value = static_cast<T*>(own_values->writable_memory().data);
    index_t count = 0;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const auto from = order.empty() ? i : static_cast<std::size_t>(order[i]);
        const index_t index = indexes[from];
        if (count > 0 && to_index[count - 1] == index) {
            T& stored = to_value[count - 1];
            if (duplicates == Duplicates::error)
                throw_duplicate_index(what, index, static_cast<index_t>(from));
            if (duplicates == Duplicates::last) {
                stored = values[from];
            } else {
                if constexpr (std::integral<T>)
                    stored = wrapping_sum<T>(stored, values[from]);
                else if constexpr (requires(const T& a, const T& b) { static_cast<T>(a + b); })
                    stored = static_cast<T>(stored + values[from]);
                else
                    throw_dtype_unsupported("SparseBuffer: the sum of duplicates", kDType<T>);
            }
            continue;
        }
        to_index[count] = index;
        to_value[count++] = values[from];
    }
    store_.adopt(std::move(own_indexes), std::move(own_values), count);
}

template <ElementType T>
SparseBuffer<T>::SparseBuffer(index_t size, ReaderPtr<index_t> indexes, ReaderPtr<T> values, T fill)
    : SparseBuffer(size, std::move(fill)) {
    const char* const what = "SparseBuffer";
    if (indexes == nullptr ||
        (!indexes->memory() && indexes->reader_class() != ReaderClass::packed_indexes))
        throw_not_in_memory(what, "indexes");
    if (values == nullptr || !values->memory()) throw_not_in_memory(what, "values");
    check_pair_count(what, indexes->size(), values->size());
    check_sparse_indexes(what, *indexes, size);
    store_.share(std::move(indexes), std::move(values));
}

template <ElementType T>
std::shared_ptr<SparseBuffer<T>>
SparseBuffer<T>::of_sorted(index_t size, BufferPtr<index_t> indexes, BufferPtr<T> values,
                           index_t stored, T fill) {
    auto result = std::make_shared<SparseBuffer>(size, std::move(fill));
    result->store_.adopt(std::move(indexes), std::move(values), stored);
    return result;
}

template <ElementType T>
std::span<const index_t> SparseBuffer<T>::indexes() const {
    if (is_packed()) throw_packed_indexes();
    return store_.indexes();
}

template <ElementType T>
std::span<const T> SparseBuffer<T>::values() const {
    const MemoryView view = store_.values();
    if (view.stride_bytes != static_cast<index_t>(sizeof(T)) ||
        reinterpret_cast<std::uintptr_t>(view.data) % alignof(T) != 0)
        throw_strided_values(view.stride_bytes);
    return {static_cast<const T*>(view.data), static_cast<std::size_t>(stored())};
}

template <ElementType T>
T SparseBuffer<T>::read(index_t i) const {
    PURVIEW_ASSERT(i >= 0 && i < size_);
    const index_t position = store_.position(i);
    return element_at(position, i);
}

template <ElementType T>
void SparseBuffer<T>::read_block(index_t begin, index_t step, std::span<T> out) const {
    if (step != 1) {
        index_t position = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const index_t at = begin + static_cast<index_t>(i) * step;
            position = store_.position(at, step > 0 ? position : 0);
            out[i] = element_at(position, at);
        }
        return;
    }
    for (T& element : out) element = fill_;
    const index_t from = store_.position(begin);
    const index_t to = store_.position(begin + static_cast<index_t>(out.size()), from);
    store_.each_index(from, to, [&](index_t p, index_t at) {
        out[static_cast<std::size_t>(at - begin)] = stored_value(p);
    });
}

template <ElementType T>
void SparseBuffer<T>::gather(std::span<const index_t> indexes, std::span<T> out) const {
    index_t position = 0;
    index_t previous = -1;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        position = store_.position(indexes[i], indexes[i] >= previous ? position : 0);
        previous = indexes[i];
        out[i] = element_at(position, previous);
    }
}

template <ElementType T>
void SparseBuffer<T>::check_range(index_t begin, index_t end) const {
    if (begin < 0 || begin > end || end > size_) throw_sparse_range(begin, end, size_);
}

template <ElementType T>
void SparseBuffer<T>::write(index_t i, const T& value) {
    PURVIEW_ASSERT(i >= 0 && i < size_);
    const index_t position = store_.position(i);
    const index_t end = position < stored() && index(position) == i ? position + 1 : position;
    const index_t count = same_element(value, fill_) ? 0 : 1;
    if (count == 0 && position == end) return;
    store_.replace(position, end, {i, count, {&value, 0}});
}

template <ElementType T>
void SparseBuffer<T>::write_block(index_t begin, index_t step, std::span<const T> values) {
    if (values.empty()) return;
    PURVIEW_ASSERT(begin >= 0 && begin < size_);
    PURVIEW_ASSERT(step != 1 || std::ssize(values) <= size_ - begin);
    if (step == 0) return write(begin, values.back());
    if (step != 1) {
        std::vector<index_t> indexes(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            indexes[i] = begin + static_cast<index_t>(i) * step;
        return write_indexes(indexes, values);
    }
    std::vector<index_t> kept; // positions in the block
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!same_element(values[i], fill_)) kept.push_back(static_cast<index_t>(i));
    const index_t from = store_.position(begin);
    const index_t to = store_.position(begin + static_cast<index_t>(values.size()), from);
    if (kept.empty() && from == to) return;
    store_.replace(from, to,
                   {begin, std::ssize(kept), {values.data(), index_t{sizeof(T)}}, kept.data()});
}

template <ElementType T>
void SparseBuffer<T>::scatter(std::span<const index_t> indexes, std::span<const T> values) {
    if (indexes.size() == 1) return write(indexes[0], values[0]);
    write_indexes(indexes, values);
}

template <ElementType T>
void SparseBuffer<T>::write_indexes(std::span<const index_t> indexes, std::span<const T> values) {
    const char* const what = "write_indexes";
    check_pair_count(what, std::ssize(indexes), std::ssize(values));
    const std::vector<index_t> order = sorted_pair_order(what, indexes, size_);
    std::vector<SparseEdit> edits;
    edits.reserve(indexes.size());
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const auto from = order.empty() ? i : static_cast<std::size_t>(order[i]);
        if (edits.empty() || edits.back().index != indexes[from])
            edits.push_back({indexes[from], static_cast<index_t>(from)});
        else
            edits.back().position = static_cast<index_t>(from);
    }
    write_edits(edits, values);
}

template <ElementType T>
void SparseBuffer<T>::write_sorted_indexes(std::span<const index_t> indexes,
                                           std::span<const T> values) {
    std::vector<SparseEdit> edits(indexes.size());
    for (std::size_t i = 0; i < indexes.size(); ++i)
        edits[i] = {indexes[i], static_cast<index_t>(i)};
    write_edits(edits, values);
}

template <ElementType T>
void SparseBuffer<T>::write_edits(std::span<SparseEdit> edits, std::span<const T> values) {
    for (SparseEdit& edit : edits)
        if (same_element(values[static_cast<std::size_t>(edit.position)], fill_))
            edit.position = -1;
    store_.merge(edits, values.data(), std::ssize(values));
}

template <ElementType T>
void SparseBuffer<T>::set_constant(index_t begin, index_t end, const T& value) {
    check_range(begin, end);
    const index_t from = store_.position(begin);
    const index_t to = store_.position(end, from);
    const index_t count = same_element(value, fill_) ? 0 : end - begin;
    if (count == 0 && from == to) return;
    store_.replace(from, to, {begin, count, {&value, 0}});
}

template <ElementType T>
void SparseBuffer<T>::prune() {
    index_t count = 0;
    for (index_t p = 0; p < stored(); ++p) count += is_fill(p) ? 0 : 1;
    if (count == stored()) return;
    std::vector<index_t> kept;
    kept.reserve(static_cast<std::size_t>(count));
    for (index_t p = 0; p < stored(); ++p)
        if (!is_fill(p)) kept.push_back(p);
    store_.keep(kept);
}

} // namespace purview
