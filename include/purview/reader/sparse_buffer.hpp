#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/packed_indexes.hpp>
#include <purview/reader/read_writer.hpp>
#include <purview/reader/sparse_pairs.hpp>
#include <purview/reader/sparse_store.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview {

/// Indexes, ascending and each once, their values, and a fill that all other elements equal. Logically up to
/// 2⁶² elements; takes 8 + sizeof(T) bytes for each stored one, or less of packed indexes (`PackedIndexes`).
///
/// Reading an element is a binary search; a block costs O(log stored + block). Writing one moves the stored ones
/// behind it, so write in blocks: `write_block`, `scatter` and `set_constant` cost O(stored + block). Writing the
/// fill removes what is stored there. A stored element may equal the fill, and never changes a result.
template <ElementType T>
class PURVIEW_EXPORT SparseBuffer final : public ReadWriter<T> {
public:
    /// Nothing stored. O(1). Throws `ShapeError` for a size outside of [0, 2⁶²].
    explicit SparseBuffer(index_t size, T fill = T{}) : size_(size), fill_(std::move(fill)) {
        check_sparse_size("SparseBuffer", size);
    }

    SparseBuffer(const SparseBuffer&) = delete;
    SparseBuffer& operator=(const SparseBuffer&) = delete;

    /// Pairs in any order. O(n) where they ascend, else a sort. Throws `ShapeError` for a size outside of [0, 2⁶²] or
    /// as many indexes as there are no values; `IndexError` naming the position of an index outside of
    /// [0, size), and of a duplicate unless `duplicates` says what it means.
    SparseBuffer(index_t size, std::vector<index_t> indexes, std::vector<T> values, T fill = T{},
                 Duplicates duplicates = Duplicates::error);

    /// Memory of others, which is not copied: values and indexes that ascend, each once, at any stride (contiguous ones of
    /// these buffers, or wrapped by `Buffer` and `ConstBuffer` with an owner), or `PackedIndexes`. It is never written: the
    /// first write copies it. Throws as above, and `ShapeError` for other readers that are not in memory. O(stored).
    SparseBuffer(index_t size, ReaderPtr<index_t> indexes, ReaderPtr<T> values, T fill = T{});

    /// The first `stored` of indexes and values whose order is known to be right. O(1), unchecked: for results.
    static std::shared_ptr<SparseBuffer> of_sorted(index_t size, BufferPtr<index_t> indexes,
                                                   BufferPtr<T> values, index_t stored, T fill);

    index_t size() const noexcept override { return size_; }
    Kind kind() const noexcept override { return Kind::sparse; }
    SparsePairs pairs() const noexcept override {
        SparsePairs pairs{store_.indexes(), store_.values(), &fill_};
        pairs.are_checked = true;
        if (is_packed()) {
            pairs.packed = store_.index_memory().get();
            pairs.packed_count = stored();
        }
        return pairs;
    }

    /// Elements that are stored.
    index_t stored() const noexcept { return store_.stored(); }
    const T& fill() const noexcept { return fill_; }
    /// Whether the indexes are no list: they are packed, or memory of others at a stride. A write makes them one, O(stored).
    bool is_packed() const noexcept { return store_.is_packed(); }
    /// Ascending, each once. Valid until a write. Throws `ShapeError` for packed ones: see `index_memory`.
    std::span<const index_t> indexes() const;
    /// One per index. Valid until a write. Throws `ShapeError` for strided memory of others: see `pairs`.
    std::span<const T> values() const;
    /// Who keeps indexes and values alive: the zero-copy way out. Null where nothing has been stored. Longer than
    /// `stored()` where there is room to grow. While somebody else holds them, writes go to a copy.
    const ReaderPtr<index_t>& index_memory() const noexcept { return store_.index_memory(); }
    const ReaderPtr<T>& value_memory() const noexcept { return store_.value_memory(); }

    T read(index_t i) const override;
    void read_block(index_t begin, index_t step, std::span<T> out) const override;
    void gather(std::span<const index_t> indexes, std::span<T> out) const override;

    void write(index_t i, const T& value) override;
    void write_block(index_t begin, index_t step, std::span<const T> values) override;
    void scatter(std::span<const index_t> indexes, std::span<const T> values) override;

    /// Sets the elements at `indexes`; with duplicates the last wins. Sorts them unless they ascend. Throws
    /// `IndexError` naming the position of one out of range, `ShapeError` for different counts, and then leaves
    /// everything as it was.
    void write_indexes(std::span<const index_t> indexes, std::span<const T> values);
    /// The same for indexes that the caller knows to ascend, each once: unchecked.
    void write_sorted_indexes(std::span<const index_t> indexes, std::span<const T> values);
    /// Sets the elements [begin, end). The fill is not stored: O(stored). Throws `IndexError`.
    void set_constant(index_t begin, index_t end, const T& value);
    /// Puts other pairs, ascending, in the place of those in [begin, end). Stores what it is given, fills too. Unchecked.
    void replace(index_t begin, index_t end, std::span<const index_t> indexes,
                 std::span<const T> values);
    /// Removes stored elements that equal the fill. O(stored).
    void prune();
    /// Room for so many stored elements.
    void reserve(index_t stored);

private:
    index_t index(index_t position) const { return store_.index(position); }
    T stored_value(index_t position) const { return store_.value(position); }
    void check_range(index_t begin, index_t end) const;
    /// Element `index`, `position` being how many stored ones lie before it.
    T element_at(index_t position, index_t index) const {
        return position < stored() && this->index(position) == index ? stored_value(position)
                                                                     : fill_;
    }

    index_t size_;
    T fill_;
    SparseStore<T> store_;
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
    store_.reserve(std::ssize(indexes));
    index_t count = 0;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const auto from = order.empty() ? i : static_cast<std::size_t>(order[i]);
        const index_t index = indexes[from];
        if (count > 0 && store_.own_indexes()[count - 1] == index) {
            T& stored = store_.own_values()[count - 1];
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
        store_.own_indexes()[count] = index;
        store_.own_values()[count++] = values[from];
    }
    store_.set_stored(count);
}

template <ElementType T>
SparseBuffer<T>::SparseBuffer(index_t size, ReaderPtr<index_t> indexes, ReaderPtr<T> values, T fill)
    : SparseBuffer(size, std::move(fill)) {
    const char* const what = "SparseBuffer";
    if (indexes == nullptr ||
        (!indexes->memory() && dynamic_cast<const PackedIndexes*>(indexes.get()) == nullptr))
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
void SparseBuffer<T>::replace(index_t begin, index_t end, std::span<const index_t> indexes,
                              std::span<const T> values) {
    const index_t from = store_.position(begin);
    const index_t to = store_.position(end, from);
    store_.make_gap(from, to, std::ssize(indexes));
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        store_.own_indexes()[from + static_cast<index_t>(i)] = indexes[i];
        store_.own_values()[from + static_cast<index_t>(i)] = values[i];
    }
}

template <ElementType T>
void SparseBuffer<T>::write(index_t i, const T& value) {
    PURVIEW_ASSERT(i >= 0 && i < size_);
    const T copy = value; // it may be one of those that move
    const index_t position = store_.position(i);
    const bool found = position < stored() && index(position) == i;
    if (same_element(copy, fill_)) {
        if (found) store_.make_gap(position, position + 1, 0);
        return;
    }
    store_.make_gap(position, position + (found ? 1 : 0), 1);
    store_.own_indexes()[position] = i;
    store_.own_values()[position] = copy;
}

template <ElementType T>
void SparseBuffer<T>::write_block(index_t begin, index_t step, std::span<const T> values) {
    if (values.empty()) return;
    std::vector<index_t> indexes;
    if (step == 0) return write(begin, values.back());
    if (step != 1) {
        indexes.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            indexes[i] = begin + static_cast<index_t>(i) * step;
        return write_indexes(indexes, values);
    }
    index_t count = 0;
    for (const T& value : values) count += same_element(value, fill_) ? 0 : 1;
    const index_t from = store_.position(begin);
    const index_t to = store_.position(begin + static_cast<index_t>(values.size()), from);
    if (count == 0 && from == to) return;
    store_.make_gap(from, to, count);
    index_t place = from;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (same_element(values[i], fill_)) continue;
        store_.own_indexes()[place] = begin + static_cast<index_t>(i);
        store_.own_values()[place++] = values[i];
    }
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
    std::vector<index_t> sorted;
    sorted.reserve(indexes.size());
    BufferPtr<T> elements = allocate_uninitialized_buffer<T>(std::ssize(indexes));
    T* const element = static_cast<T*>(elements->writable_memory().data);
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const auto from = order.empty() ? i : static_cast<std::size_t>(order[i]);
        if (sorted.empty() || sorted.back() != indexes[from]) sorted.push_back(indexes[from]);
        element[sorted.size() - 1] = values[from];
    }
    write_sorted_indexes(sorted, {element, sorted.size()});
}

template <ElementType T>
void SparseBuffer<T>::write_sorted_indexes(std::span<const index_t> indexes,
                                           std::span<const T> values) {
    if (indexes.empty()) return;
    store_.unpack();
    // Those behind the last stored one, or in the place of stored ones, move nothing.
    const index_t capacity = stored() + std::ssize(indexes);
    BufferPtr<index_t> merged_indexes = allocate_uninitialized_buffer<index_t>(capacity);
    BufferPtr<T> merged_values = allocate_uninitialized_buffer<T>(capacity);
    auto* const to_index = static_cast<index_t*>(merged_indexes->writable_memory().data);
    auto* const to_value = static_cast<T*>(merged_values->writable_memory().data);
    index_t count = 0;
    index_t own = 0;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        for (; own < stored() && index(own) < indexes[i]; ++own, ++count) {
            to_index[count] = index(own);
            to_value[count] = stored_value(own);
        }
        if (own < stored() && index(own) == indexes[i]) ++own;
        if (same_element(values[i], fill_)) continue;
        to_index[count] = indexes[i];
        to_value[count++] = values[i];
    }
    for (; own < stored(); ++own, ++count) {
        to_index[count] = index(own);
        to_value[count] = stored_value(own);
    }
    store_.adopt(std::move(merged_indexes), std::move(merged_values), count);
}

template <ElementType T>
void SparseBuffer<T>::set_constant(index_t begin, index_t end, const T& value) {
    check_range(begin, end);
    const T copy = value;
    const index_t from = store_.position(begin);
    const index_t to = store_.position(end, from);
    const index_t count = same_element(copy, fill_) ? 0 : end - begin;
    if (count == 0 && from == to) return;
    store_.make_gap(from, to, count);
    for (index_t i = 0; i < count; ++i) {
        store_.own_indexes()[from + i] = begin + i;
        store_.own_values()[from + i] = copy;
    }
}

template <ElementType T>
void SparseBuffer<T>::prune() {
    index_t kept = 0;
    for (index_t p = 0; p < stored(); ++p) kept += same_element(stored_value(p), fill_) ? 0 : 1;
    if (kept == stored()) return;
    SparseStore<T> pruned;
    pruned.reserve(kept);
    index_t place = 0;
    store_.each_index(0, stored(), [&](index_t p, index_t index) {
        T value = stored_value(p);
        if (same_element(value, fill_)) return;
        pruned.own_indexes()[place] = index;
        pruned.own_values()[place++] = std::move(value);
    });
    pruned.set_stored(kept);
    store_ = std::move(pruned);
}

template <ElementType T>
void SparseBuffer<T>::reserve(index_t stored) {
    store_.reserve(stored);
}

// Sparse buffers of the built-in types are compiled once, in src/reader/sparse_buffer.cpp.
#define PURVIEW_EXTERN_SPARSE_BUFFERS(T) extern template class SparseBuffer<T>;
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_SPARSE_BUFFERS)
#undef PURVIEW_EXTERN_SPARSE_BUFFERS

} // namespace purview
