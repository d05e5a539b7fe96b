#pragma once

#include <purview/base/intrusive_pointer.hpp>
#include <purview/base/range_concepts.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/element.hpp>
#include <purview/tensor/operand_reader.hpp>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview {

/// What the iterators over one tensor share: the tensor, and its expression, compiled once.
template <ElementType T>
class TensorCursor {
public:
    /// With `gives_elements`, iterators give references (`Element`), else values.
    TensorCursor(const Operand& operand, bool gives_elements)
        : operand_(operand), leaf_(leaf_of(operand_)) {
        if (leaf_ == nullptr && gives_elements)
            reader_ = std::make_shared<const OperandReader<T>>(operand_);
        else if (leaf_ == nullptr)
            evaluation_.emplace(operand_);
        writable_ = leaf_ != nullptr && leaf_->writer() != nullptr && operand_.dims.is_unique();
    }

    T read(index_t position) const {
        if (leaf_ == nullptr) {
            T value{};
            evaluation_->read(position, 1, &value);
            return value;
        }
        const index_t address = operand_.dims.global_to_local(position);
        if (!leaf_->memory()) return static_cast<const Reader<T>&>(leaf_->reader()).read(address);
        return load_element<T>(static_cast<const std::byte*>(leaf_->memory().data) +
                               address * leaf_->memory().stride_bytes);
    }

    bool is_computed() const noexcept { return leaf_ == nullptr; }
    index_t size() const noexcept { return operand_.dims.size(); }
    /// Precondition: `is_computed()`.
    void read(index_t begin, index_t count, T* out) const { evaluation_->read(begin, count, out); }

    using Place = typename Element<T>::Place;

    /// The element at `position` of a computed tensor. Precondition: `is_computed()` and
    /// `gives_elements`.
    [[gnu::noinline]] Element<T> element(index_t position) const {
        return computed_element<T>(reader_, position);
    }
    /// Precondition: not `is_computed()`.
    [[gnu::noinline]] Place place(index_t position) const {
        return place_of(*leaf_, operand_.dims.global_to_local(position), writable_);
    }

    /// The place of an address in a leaf. Without `writable`, it is read-only.
    static Place place_of(const Leaf& leaf, index_t address, bool writable) {
        const MutableMemoryView memory = leaf.writable_memory();
        if (writable && memory)
            return {static_cast<std::byte*>(memory.data) + address * memory.stride_bytes};
        return {nullptr, static_cast<const Reader<T>*>(&leaf.reader()),
                writable ? static_cast<Writer<T>*>(leaf.writer()) : nullptr, address};
    }

private:
    // Not inlined: most iterators have no cursor, and algorithms copy iterators all the time.
    [[gnu::noinline]] friend void intrusive_ptr_add_ref(const TensorCursor* cursor) noexcept {
        cursor->references_.fetch_add(1, std::memory_order_relaxed);
    }
    [[gnu::noinline]] friend void intrusive_ptr_release(const TensorCursor* cursor) noexcept {
        if (cursor->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete cursor;
    }

    mutable std::atomic<std::uint32_t> references_{1}; // the first reference is that of the
                                                       // cursor's maker
    Operand operand_;
    const Leaf* leaf_;
    bool writable_ = false;
    std::optional<Evaluation> evaluation_;
    std::shared_ptr<const OperandReader<T>> reader_; ///< only for references to elements of a
                                                     ///< computed tensor
};

/// The block of elements that a read-only iterator over a computed tensor reads from. All are
/// computed when the first of them is read. Copies of an iterator share the block: it is filled
/// once, by the first reader, and reused for other positions only by a sole owner.
template <ElementType T>
class ElementsAhead {
public:
    /// The block of a new iterator: its first element only.
    ElementsAhead(const IntrusivePointer<const TensorCursor<T>>& cursor, index_t begin)
        : ElementsAhead(cursor, begin, cursor->is_computed() && begin < cursor->size() ? 1 : 0) {}
    ElementsAhead(IntrusivePointer<const TensorCursor<T>> cursor, index_t begin, index_t count)
        : cursor_(std::move(cursor)),
          values_(new T[static_cast<std::size_t>(count)]()),
          begin_(begin),
          count_(count),
          room_(count) {}

    bool holds(index_t position) const noexcept {
        return static_cast<std::uint64_t>(position) - static_cast<std::uint64_t>(begin_) <
               static_cast<std::uint64_t>(count_);
    }
    T read(index_t position) const {
        if (holds(position) && state_.load(std::memory_order_acquire) == State::filled)
            return values_.get()[position - begin_];
        return room_ == 0 ? cursor_->read(position) : compute(position);
    }
    const TensorCursor<T>& cursor() const noexcept { return *cursor_; }

    /// The block for `position`, at which an iterator has arrived by a step. Blocks grow as long as
    /// all elements before were read, so that a walk that ends early has computed little in vain.
    /// Takes over the caller's reference to `now`.
    [[gnu::noinline]] static const ElementsAhead* after(const ElementsAhead* now,
                                                        index_t position) noexcept {
        const bool follows = position == now->begin_ + now->count_ &&
                             now->state_.load(std::memory_order_acquire) == State::filled;
        const index_t left = now->cursor_->size() - position;
        index_t count =
            follows && now->count_ < kMost / kGrowthFactor ? now->count_ * kGrowthFactor : kMost;
        if (!follows) count = 1;
        if (count > left) count = left;
        if (count <= 0 || position < 0) return now; // at the end, where there are no elements
        if (count <= now->room_ && now->references_.load(std::memory_order_acquire) == 1) {
            auto* const mine = const_cast<ElementsAhead*>(now);
            mine->begin_ = position;
            mine->count_ = count;
            mine->state_.store(State::empty, std::memory_order_relaxed);
            return now;
        }
        try {
            const auto* const next = new ElementsAhead(now->cursor_, position, count);
            intrusive_ptr_release(now);
            return next;
        } catch (...) { // out of memory: elements are computed one by one
            return now;
        }
    }

private:
    enum class State : std::uint8_t { empty, being_filled, filled, one_by_one };

    static constexpr index_t kGrowthFactor = 8;
    static constexpr index_t kBytes = 8192;
    static constexpr index_t kMost = sizeof(T) < kBytes / 512 ? 512
                                     : sizeof(T) < kBytes     ? kBytes / sizeof(T)
                                                              : 1;

    [[gnu::noinline]] T compute(index_t position) const {
        State empty = State::empty;
        if (holds(position) && state_.compare_exchange_strong(empty, State::being_filled)) {
            try {
                cursor_->read(begin_, count_, values_.get());
                state_.store(State::filled, std::memory_order_release);
                return values_.get()[position - begin_];
            } catch (...) { // possibly because of an element that nobody reads
                state_.store(State::one_by_one, std::memory_order_release);
            }
        }
        return cursor_->read(position);
    }

    [[gnu::noinline]] friend void intrusive_ptr_add_ref(const ElementsAhead* ahead) noexcept {
        ahead->references_.fetch_add(1, std::memory_order_relaxed);
    }
    [[gnu::noinline]] friend void intrusive_ptr_release(const ElementsAhead* ahead) noexcept {
        if (ahead->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete ahead;
    }

    mutable std::atomic<std::uint32_t> references_{1};
    mutable std::atomic<State> state_{State::empty};
    IntrusivePointer<const TensorCursor<T>> cursor_;
    std::unique_ptr<T[]> values_;
    index_t begin_;
    index_t count_;
    index_t room_;
};

/// What reading an element of a read-only tensor gives: a copy. One of a class is const, so that
/// writing to it does not compile.
template <ElementType T>
using ReadElement = std::conditional_t<std::is_class_v<T>, const T, T>;

/// A random-access iterator over a tensor's elements in row-major order; a writable one gives
/// `Element<T>`s. If the elements lie in memory at one stride, it walks over them and borrows them;
/// otherwise it shares ownership of what it reads, and a step costs a division per axis. A computed
/// tensor is computed in blocks while steps go forward one by one (each element once; an element
/// already computed does not show later writes), and otherwise element by element. Copies are
/// independent, and elements of one iterator may be read by several threads. Elements given by a
/// temporary iterator, as in `*t.begin()`, and copies of elements may outlive the tensor; those
/// given by a named iterator borrow as the iterator does, so that loops and algorithms pay nothing
/// for ownership.
template <ElementType T, bool Writable = false>
class TensorIterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    /// A writable iterator claims C++17's random-access category, as `ElementIterator` does.
    using iterator_category =
        std::conditional_t<Writable, std::random_access_iterator_tag, std::input_iterator_tag>;
    using value_type = T;
    using difference_type = index_t;
    using reference = std::conditional_t<Writable, Element<T>, ReadElement<T>>;
    using pointer = void;

    TensorIterator() = default;
    TensorIterator(const Operand& operand, index_t position) : position_(position) {
        const Leaf* const leaf = leaf_of(operand);
        const Dimensions& dims = operand.dims;
        const bool one_stride = dims.is_contiguous() || (dims.rank() == 1 && dims.is_strided());
        if (leaf != nullptr && leaf->memory() && one_stride &&
            (!Writable || is_writable(*leaf, dims))) {
            stride_bytes_ =
                leaf->memory().stride_bytes * (dims.is_contiguous() ? 1 : dims.strides()[0]);
            data_ = static_cast<const std::byte*>(leaf->memory().data) +
                    (dims.size() > 0 ? dims.base() * leaf->memory().stride_bytes : 0);
        } else {
            IntrusivePointer<const TensorCursor<T>> cursor(new TensorCursor<T>(operand, Writable),
                                                           false);
            if constexpr (Writable)
                cursor_ = std::move(cursor);
            else
                cursor_ = Source(new ElementsAhead<T>(cursor, position), false);
        }
    }

    reference operator*() const& { return get<false>(position_); }
    reference operator*() const&& { return get<true>(position_); }
    reference operator[](index_t n) const& { return get<false>(position_ + n); }
    reference operator[](index_t n) const&& { return get<true>(position_ + n); }

    TensorIterator& operator++() noexcept {
        ++position_;
        if constexpr (!Writable)
            if (data_ == nullptr) [[unlikely]]
                step();
        return *this;
    }
    TensorIterator& operator--() noexcept { return *this -= 1; }
    TensorIterator operator++(int) noexcept {
        TensorIterator old = *this;
        ++*this;
        return old;
    }
    TensorIterator operator--(int) noexcept {
        TensorIterator old = *this;
        --*this;
        return old;
    }
    TensorIterator& operator+=(index_t n) noexcept {
        position_ += n;
        return *this;
    }
    TensorIterator& operator-=(index_t n) noexcept {
        position_ -= n;
        return *this;
    }

    friend TensorIterator operator+(TensorIterator it, index_t n) noexcept { return it += n; }
    friend TensorIterator operator+(index_t n, TensorIterator it) noexcept { return it += n; }
    friend TensorIterator operator-(TensorIterator it, index_t n) noexcept { return it -= n; }
    friend index_t operator-(const TensorIterator& a, const TensorIterator& b) noexcept {
        return a.position_ - b.position_;
    }
    friend bool operator==(const TensorIterator& a, const TensorIterator& b) noexcept {
        return a.position_ == b.position_;
    }
    friend std::strong_ordering operator<=>(const TensorIterator& a,
                                            const TensorIterator& b) noexcept {
        return a.position_ <=> b.position_;
    }

    friend T iter_move(const TensorIterator& it) {
        if constexpr (Writable)
            return (*it).take();
        else
            return *it;
    }
    friend void iter_swap(const TensorIterator& a, const TensorIterator& b) requires Writable {
        swap(*a, *b);
    }

private:
    /// Read-only iterators read through blocks of computed elements.
    using Source = IntrusivePointer<
        std::conditional_t<Writable, const TensorCursor<T>, const ElementsAhead<T>>>;

    // `*this` is not passed to the function, so that the iterator stays in registers.
    void step() noexcept requires(!Writable) {
        if (cursor_ && !cursor_->holds(position_) && cursor_->cursor().is_computed())
            cursor_ = Source(ElementsAhead<T>::after(cursor_.detach(), position_), false);
    }

    static bool is_writable(const Leaf& leaf, const Dimensions& dims) {
        return leaf.writable_memory() && dims.is_unique();
    }

    template <bool Registered>
    reference get(index_t position) const {
        if (data_ == nullptr) {
            if constexpr (!Writable)
                return cursor_->read(position);
            else if (cursor_->is_computed())
                return cursor_->element(position);
            else
                return element<Registered>(cursor_->place(position));
        }
        const std::byte* const address = data_ + position * stride_bytes_;
        if constexpr (!Writable)
            return load_element<T>(address);
        else
            return element<Registered>({const_cast<std::byte*>(address)});
    }

    template <bool Registered>
    static Element<T> element(const typename Element<T>::Place& place) {
        if constexpr (Registered)
            return Element<T>::registered(place);
        else
            return Element<T>::borrowed(place);
    }

    // The member that steps change comes first: if it shared a wide load with its neighbours when
    // the iterator is copied, that load would wait for the preceding store.
    index_t position_ = 0;
    const std::byte* data_ = nullptr;
    index_t stride_bytes_ = 0;
    Source cursor_;
};

} // namespace purview
