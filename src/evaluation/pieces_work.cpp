#include "evaluation/pieces_work.hpp"

#include <purview/evaluation/compiled.hpp>
#include <purview/expression/graph.hpp>

#include "dtype/element_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kFewBytes = index_t{256} << 10;

/// A box of an array: rows that lie side by side, `length` elements each, and where each begins.
class Box {
public:
    Box(ShapeSpan begin, ShapeSpan extents, ShapeSpan whole) {
        index_t stride = 1;
        std::size_t axis = whole.size();
        while (axis > 0 && extents[axis - 1] == whole[axis - 1]) stride *= whole[--axis];
        length_ = stride;
        if (axis > 0) {
            first_ = begin[--axis] * stride;
            length_ *= extents[axis];
            stride *= whole[axis];
        }
        while (axis > 0) {
            first_ += begin[--axis] * stride;
            outer_.push_back({extents[axis], stride});
            count_ *= extents[axis];
            stride *= whole[axis];
        }
    }

    bool is_line() const noexcept { return count_ == 1; }
    index_t first() const noexcept { return first_; }
    index_t size() const noexcept { return count_ * length_; }

    /// Copies the elements, which follow one another at `from`.
    void fill(const std::byte* from, std::byte* array, index_t element_bytes) const {
        const auto row = static_cast<std::size_t>(length_ * element_bytes);
        for (index_t i = 0; i < count_; ++i, from += row) {
            index_t at = first_;
            index_t rest = i;
            for (const Axis& axis : outer_) {
                at += rest % axis.extent * axis.stride;
                rest /= axis.extent;
            }
            std::memcpy(array + at * element_bytes, from, row);
        }
    }

private:
    struct Axis {
        index_t extent;
        index_t stride;
    };
    index_t first_ = 0;
    index_t length_ = 1;
    index_t count_ = 1;
    std::vector<Axis> outer_; ///< the innermost first
};

class PiecesWork final : public StageWork {
public:
    explicit PiecesWork(const Piecewise& pieces)
        : dtype_(pieces.dtype()),
          whole_({NodePtr(&pieces), Dimensions::row_major(pieces.shape())}) {
        for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
            const Operand& piece = pieces.operands()[i];
            pieces_.push_back(
                {Compiled(piece), Box(pieces.begins()[i], piece.dims.max_shape(), pieces.shape())});
        }
    }

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        const Destination& out = outs[0];
        if (out.memory() == nullptr) return whole_.run(bindings, out); // it lies elsewhere
        auto* const array = static_cast<std::byte*>(out.memory());
        const index_t bytes = dtype_.size_bytes();
        for (const auto& [work, box] : pieces_) {
            if (box.is_line()) {
                work.run(bindings, array + box.first() * bytes);
                continue;
            }
            ElementBlock elements(dtype_, box.size());
            work.run(bindings, elements.data());
            box.fill(elements.at(0), array, bytes);
        }
    }

    std::string describe(Bindings bindings) const override {
        const auto prepared = std::ranges::count_if(
            pieces_, [&](const Piece& piece) { return piece.work.is_prepared(bindings); });
        return fmt::format("way: in {} pieces, one after the other, {} of them prepared\n",
                           pieces_.size(), prepared);
    }

private:
    struct Piece {
        Compiled work;
        Box box;
    };
    DType dtype_;
    Compiled whole_;
    std::vector<Piece> pieces_;
};

} // namespace

bool are_few_pieces(const Piecewise& pieces) noexcept {
    return pieces.dtype().is_builtin() &&
           size_of(pieces) <= kFewBytes / pieces.dtype().size_bytes();
}

std::unique_ptr<const StageWork> pieces_work(const Piecewise& pieces) {
    return std::make_unique<PiecesWork>(pieces);
}

} // namespace purview
