#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// Ascending positions in an `IndexSequence`: either a part of a list that the sequence owns
/// (borrowed), or one single position (held here).
class IndexPositions {
public:
    IndexPositions() = default;
    IndexPositions(const index_t* first, index_t count) noexcept : first_(first), count_(count) {}
    explicit IndexPositions(index_t only) noexcept : only_(only), count_(1) {}

    const index_t* begin() const noexcept { return first_ != nullptr ? first_ : &only_; }
    const index_t* end() const noexcept { return begin() + count_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }
    bool empty() const noexcept { return count_ == 0; }
    index_t operator[](std::size_t i) const noexcept { return begin()[i]; }

private:
    const index_t* first_ = nullptr;
    index_t only_ = 0;
    index_t count_ = 0;
};

/// An immutable sequence of indexes: what an index list or a mask is converted to when it becomes
/// part of a view. May be read from several threads at once. Reads are unchecked: positions outside
/// [0, size()) are undefined behaviour.
class PURVIEW_EXPORT IndexSequence {
public:
    virtual ~IndexSequence();

    virtual index_t size() const noexcept = 0;
    /// The index at a position. O(1).
    virtual index_t at(index_t position) const noexcept = 0;
    /// Writes the indexes at positions `begin`, `begin + 1`, … into `out`.
    virtual void read(index_t begin, std::span<index_t> out) const noexcept = 0;
    /// The smallest and the largest index; 0 when empty. O(1).
    virtual index_t(min)() const noexcept = 0;
    virtual index_t(max)() const noexcept = 0;

    /// How many positions hold `value`. The first inverse query (`count`, `find_all`) may build an
    /// index, in O(n log n) and n words of memory; later ones cost O(log n).
    virtual index_t count(index_t value) const = 0;
    /// The positions that hold `value`, ascending. Valid as long as the sequence lives.
    virtual IndexPositions find_all(index_t value) const = 0;
    /// Whether no value occurs twice. O(n), or O(n log n) for few values far from each other.
    virtual bool is_unique() const = 0;

    /// The indexes, if they are contiguous in memory; else null.
    virtual const index_t* data() const noexcept { return nullptr; }

protected:
    IndexSequence() = default;
    IndexSequence(const IndexSequence&) = delete;
    IndexSequence& operator=(const IndexSequence&) = delete;
};

/// How sequences are shared between views.
using IndexSequencePtr = std::shared_ptr<const IndexSequence>;

/// A list of indexes in memory. A permutation that sorts it is built once, by the first inverse
/// query.
class PURVIEW_EXPORT IndexList final : public IndexSequence {
public:
    explicit IndexList(std::vector<index_t> indexes);
    /// Views `indexes`, in memory that `owner` keeps alive and that nobody writes any more. O(n).
    IndexList(std::shared_ptr<const void> owner, std::span<const index_t> indexes);
    /// Views `indexes`, in memory that `owner` keeps alive, in O(1), given the smallest and the
    /// largest of them (both 0 if the list is empty).
    IndexList(std::shared_ptr<const void> owner, std::span<const index_t> indexes, index_t least,
              index_t greatest);
    ~IndexList() override;

    index_t size() const noexcept override { return static_cast<index_t>(indexes_.size()); }
    index_t at(index_t position) const noexcept override {
        return indexes_[static_cast<std::size_t>(position)];
    }
    void read(index_t begin, std::span<index_t> out) const noexcept override;
    index_t(min)() const noexcept override { return min_; }
    index_t(max)() const noexcept override { return max_; }
    index_t count(index_t value) const override;
    IndexPositions find_all(index_t value) const override;
    bool is_unique() const override;
    const index_t* data() const noexcept override { return indexes_.data(); }

private:
    struct Sorted;
    const Sorted& sorted() const;
    void find_extremes() noexcept;

    std::vector<index_t> own_;
    std::shared_ptr<const void> owner_;
    std::span<const index_t> indexes_;
    index_t min_ = 0;
    index_t max_ = 0;
    mutable std::atomic<const Sorted*> sorted_ = nullptr; ///< made by the first inverse query
};

/// The indexes as a shared `IndexList`.
PURVIEW_EXPORT IndexSequencePtr make_index_sequence(std::vector<index_t> indexes);
/// The indexes as a shared `IndexList`, without a copy: they lie in memory that `owner` keeps alive
/// and that nobody writes any more. O(n), as they are read once for their extremes.
PURVIEW_EXPORT IndexSequencePtr make_index_sequence(std::shared_ptr<const void> owner,
                                                    std::span<const index_t> indexes);
/// The indexes in memory that `owner` keeps alive as a shared `IndexList`, without a copy, in O(1),
/// given the smallest and the largest of them (both 0 if the list is empty).
PURVIEW_EXPORT IndexSequencePtr make_index_sequence(std::shared_ptr<const void> owner,
                                                    std::span<const index_t> indexes, index_t least,
                                                    index_t greatest);

/// The positions where a mask is true, ascending. The mask is read by this call; later changes to
/// it have no effect.
PURVIEW_EXPORT IndexSequencePtr index_sequence_from_mask(std::span<const bool> mask);
/// The positions of the nonzero bytes of a mask, ascending. The mask is read by this call.
PURVIEW_EXPORT IndexSequencePtr index_sequence_from_mask(std::span<const unsigned char> mask);

/// Whether two sequences hold the same indexes in the same order. O(n) unless they are the same
/// object.
PURVIEW_EXPORT bool same_indexes(const IndexSequence& a, const IndexSequence& b) noexcept;

} // namespace purview
