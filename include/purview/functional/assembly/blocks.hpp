#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/copy.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {

/// An operand cut into blocks of one shape, in row-major order.
class PURVIEW_EXPORT OperandBlocks {
public:
    /// Throws `ShapeError` for extents below 1 or another number of them than of axes.
    OperandBlocks(const Operand& x, ShapeSpan block);

    const Operand& operand() const noexcept { return x_; }
    index_t count() const noexcept { return count_; }
    /// Where a block begins.
    Shape begin(index_t number) const;
    /// The elements of a block: a view. The chunks that the next one reads are announced.
    Operand part(index_t number) const;

private:
    Operand view(index_t number) const;

    Operand x_;
    Shape block_;
    Shape counts_; ///< of blocks along each axis
    index_t count_;
};

/// A part of a tensor: where it begins, and its elements, in memory of its own.
template <typename Values>
struct Block {
    Shape begin;
    Values values;
};

/// What `blocks` returns: an input range of `Block`s, each of which is read when it is come to.
template <typename Values>
class Blocks {
public:
    class Iterator {
    public:
        using value_type = Block<Values>;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        explicit Iterator(const OperandBlocks& blocks) : blocks_(&blocks) { read(); }
        const Block<Values>& operator*() const noexcept { return *block_; }
        const Block<Values>* operator->() const noexcept { return &*block_; }
        Iterator& operator++() {
            ++number_;
            read();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator& x, std::default_sentinel_t) noexcept {
            return x.number_ == x.blocks_->count();
        }

    private:
        void read() {
            block_.reset();
            if (number_ == blocks_->count()) return;
            const Operand part = blocks_->part(number_);
            if constexpr (TypedTensor<Values>)
                block_.emplace(Block<Values>{blocks_->begin(number_),
                                             dense_copy<typename Values::value_type>(part)});
            else
                block_.emplace(
                    Block<Values>{blocks_->begin(number_), dense_clone_tensor(AnyTensor(part))});
        }

        const OperandBlocks* blocks_;
        index_t number_ = 0;
        std::optional<Block<Values>> block_;
    };

    explicit Blocks(OperandBlocks blocks) : blocks_(std::move(blocks)) {}

    /// Reads the first block.
    Iterator begin() const { return Iterator(blocks_); }
    std::default_sentinel_t end() const noexcept { return {}; }
    /// The number of blocks.
    index_t size() const noexcept { return blocks_.count(); }

private:
    OperandBlocks blocks_;
};

/// `for (const auto& block : blocks(z, {64, 64, 64}))`: any tensor or expression in blocks of a shape, in row-major
/// order: `block.begin`, and `block.values` in new memory, a `MutableTensor<T>`, or an `AnyTensor` of one. Blocks at the
/// end of an axis are smaller; extents beyond it mean all of it. What the next block reads of arrays in chunks is
/// announced before a block is read (`will_read`), so that it comes meanwhile. A block that is made of whole chunks
/// reads each once.
///
/// Lazy: reads a block when the loop comes to it. Keeps what `z` reads. Throws `ShapeError` for extents below 1 or
/// another number of them than of axes; reading throws what reading elements throws.
struct BlocksFunction {
    template <array_like X>
        requires(!HasDims<std::remove_cvref_t<X>>)
    auto operator()(X&& given, AxisValues shape) const {
        const auto& x = lasting_tensor(std::forward<X>(given));
        OperandBlocks made(x.operand(), shape);
        if constexpr (typed_array<X>)
            return Blocks<MutableTensor<ElementOrVoid<X>>>(std::move(made));
        else
            return Blocks<AnyTensor>(std::move(made));
    }
};
inline constexpr BlocksFunction blocks;

} // namespace purview
