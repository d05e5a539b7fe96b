#include "engine/selecting/decided_mask.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/reader/chunks.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kExact = 9007199254740992.0; ///< integers up to it are float64s
constexpr NumberBounds kAnything{-kInfinity, kInfinity, true};
constexpr NumberBounds kFalse{0, 0, false};
constexpr NumberBounds kTrue{1, 1, false};
constexpr NumberBounds kEither{0, 1, false};
constexpr int kMostOperations = 200;

/// Whether it is seen what an operation makes of bounds.
constexpr bool is_understood(Op op) {
    switch (op) {
    case Op::cast:
    case Op::logical_not:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or: return true;
    default: return false;
    }
}

NumberBounds joined(const NumberBounds& a, const NumberBounds& b) {
    return {std::min(a.least, b.least), std::max(a.greatest, b.greatest),
            a.may_be_nan || b.may_be_nan};
}

/// Whether the elements of an operand of rank 1 are those of its node, in order.
bool is_as_stored(const Operand& x, index_t size) {
    return x.dims.rank() == 1 && x.dims.base() == 0 && x.dims.max_shape()[0] == size &&
           (x.dims.is_contiguous() || x.dims.is_plain_line());
}

/// The chunks of a column, if it has bounds.
const Chunks* bounded_chunks(const Operand& x) {
    const auto* const leaf = node_as<Leaf>(*x.node);
    const Chunks* const chunks = leaf == nullptr ? nullptr : leaf->reader().chunks();
    if (chunks == nullptr || chunks->grid().shape.size() != 1 ||
        !is_as_stored(x, chunks->grid().shape[0]))
        return nullptr;
    return chunks;
}

NumberBounds bounds_of_constant(const Constant& constant) {
    NumberBounds result = kAnything;
    if (!constant.dtype().is_builtin()) return result;
    visit_dtype(constant.dtype(), "mask", [&]<typename T>(std::type_identity<T>) {
        const auto number = static_cast<double>(*static_cast<const T*>(constant.value()));
        const bool is_exact = std::is_floating_point_v<T> || std::abs(number) < kExact;
        if (std::isnan(number)) return;
        result = {is_exact ? number : std::nextafter(number, -kInfinity),
                  is_exact ? number : std::nextafter(number, kInfinity), false};
    });
    return result;
}

/// What the rows from `begin` to `end` of an operand lie within.
class Judge {
public:
    Judge(index_t begin, index_t end) : begin_(begin), end_(end) {}

    NumberBounds operator()(const Operand& x) const {
        if (const auto* const constant = node_as<Constant>(*x.node))
            return bounds_of_constant(*constant);
        if (const Chunks* const chunks = bounded_chunks(x)) return of_chunks(*chunks);
        if (const Piecewise* const pieces = piecewise_of(x)) return of_pieces(x, *pieces);
        const auto* const operation = node_as<Elementwise>(*x.node);
        if (operation == nullptr || !is_understood(operation->op()) ||
            operation->shape().size() != 1 || !is_as_stored(x, operation->shape()[0]))
            return kAnything;
        return of_operation(*operation);
    }

private:
    NumberBounds of_chunks(const Chunks& chunks) const {
        const index_t rows = chunks.grid().chunk[0];
        NumberBounds all{kInfinity, -kInfinity, false};
        for (index_t c = begin_ / rows; c * rows < end_; ++c) {
            const auto bounds = chunks.bounds_of_chunk(ShapeSpan(&c, 1));
            if (!bounds || !(bounds->least <= bounds->greatest)) return kAnything;
            all = joined(all, *bounds);
        }
        return all;
    }

    NumberBounds of_pieces(const Operand& x, const Piecewise& pieces) const {
        if (pieces.shape().size() != 1 || !is_as_stored(x, pieces.shape()[0])) return kAnything;
        NumberBounds all{kInfinity, -kInfinity, false};
        for (std::size_t p = 0; p < pieces.operands().size(); ++p) {
            const Operand& piece = pieces.operands()[p];
            const index_t first = pieces.begins()[p][0];
            const index_t last = first + piece.dims.max_shape()[0];
            if (last <= begin_ || first >= end_) continue;
            const Judge inside(std::max(begin_, first) - first, std::min(end_, last) - first);
            all = joined(all, inside(piece));
        }
        return all;
    }

    NumberBounds of_operation(const Elementwise& operation) const {
        const auto operand = [&](std::size_t number) { return (*this)(operation.operand(number)); };
        switch (operation.op()) {
        case Op::cast: return of_cast(operation);
        case Op::logical_not: {
            const NumberBounds x = operand(0);
            return {1 - x.greatest, 1 - x.least, false};
        }
        case Op::less: return less(operand(0), operand(1));
        case Op::greater: return less(operand(1), operand(0));
        case Op::less_equal: return less_equal(operand(0), operand(1));
        case Op::greater_equal: return less_equal(operand(1), operand(0));
        case Op::equal: return equal(operand(0), operand(1));
        case Op::not_equal: {
            const NumberBounds same = equal(operand(0), operand(1));
            return {1 - same.greatest, 1 - same.least, false};
        }
        case Op::logical_and:
        case Op::logical_or: {
            const NumberBounds a = operand(0);
            const NumberBounds b = operand(1);
            return operation.op() == Op::logical_and
                       ? NumberBounds{std::min(a.least, b.least), std::min(a.greatest, b.greatest),
                                      false}
                       : NumberBounds{std::max(a.least, b.least), std::max(a.greatest, b.greatest),
                                      false};
        }
        default: return operation.dtype() == boolean ? kEither : kAnything;
        }
    }

    /// To wider types, which hold all numbers of the other, or float64, which rounds without changing their order.
    NumberBounds of_cast(const Elementwise& operation) const {
        const Operand from = operation.operand(0);
        const DType to = operation.dtype();
        const auto is_unsigned = [](DType type) {
            return type == uint8 || type == uint16 || type == uint32 || type == uint64;
        };
        const bool is_wider = from.dtype().is_integer() == to.is_integer() &&
                              is_unsigned(from.dtype()) == is_unsigned(to) &&
                              from.dtype() != boolean && to != boolean &&
                              from.dtype().size_bytes() <= to.size_bytes();
        if (from.dtype() == to || to == float64 || is_wider) return (*this)(from);
        return to == boolean ? kEither : kAnything;
    }

    static NumberBounds less(const NumberBounds& a, const NumberBounds& b) {
        if (a.least >= b.greatest) return kFalse;
        return a.greatest < b.least && !a.may_be_nan && !b.may_be_nan ? kTrue : kEither;
    }
    static NumberBounds less_equal(const NumberBounds& a, const NumberBounds& b) {
        if (a.least > b.greatest) return kFalse;
        return a.greatest <= b.least && !a.may_be_nan && !b.may_be_nan ? kTrue : kEither;
    }
    static NumberBounds equal(const NumberBounds& a, const NumberBounds& b) {
        if (a.greatest < b.least || b.greatest < a.least) return kFalse;
        const bool is_one = a.least == a.greatest && b.least == b.greatest && a.least == b.least;
        return is_one && !a.may_be_nan && !b.may_be_nan ? kTrue : kEither;
    }

    index_t begin_;
    index_t end_;
};

/// Where chunks with bounds begin, in what a mask is made of.
class Cuts {
public:
    explicit Cuts(const Operand& mask) { append(mask, 0); }

    /// Ascending, with both ends; empty where there are no bounds, or more operations than are worth a look.
    std::vector<index_t> take(index_t size) {
        if (cuts_.empty() || left_ < 0) return {};
        cuts_.push_back(0);
        cuts_.push_back(size);
        std::ranges::sort(cuts_);
        cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
        return std::move(cuts_);
    }

private:
    void append(const Operand& x, index_t first) {
        if (--left_ < 0) return;
        if (const Chunks* const chunks = bounded_chunks(x)) {
            const index_t none = 0;
            if (!chunks->bounds_of_chunk(ShapeSpan(&none, 1))) return;
            for (index_t at = 0; at < chunks->grid().shape[0]; at += chunks->grid().chunk[0])
                cuts_.push_back(first + at);
        } else if (const Piecewise* const pieces = piecewise_of(x)) {
            if (pieces->shape().size() != 1 || !is_as_stored(x, pieces->shape()[0])) return;
            left_ += static_cast<int>(pieces->operands().size());
            for (std::size_t p = 0; p < pieces->operands().size(); ++p)
                append(pieces->operands()[p], first + pieces->begins()[p][0]);
        } else if (const auto* const operation = node_as<Elementwise>(*x.node)) {
            if (!is_understood(operation->op()) || operation->shape().size() != 1 ||
                !is_as_stored(x, operation->shape()[0]))
                return;
            for (std::size_t number = 0; number < operation->inputs().size(); ++number)
                append(operation->operand(number), first);
        }
    }

    std::vector<index_t> cuts_{};
    int left_ =
        kMostOperations; ///< operands that may be looked at: those that are shared are seen again and again
};

} // namespace

Operand decided_mask(const Operand& mask) {
    if (mask.dims.rank() != 1 || node_as<Elementwise>(*mask.node) == nullptr) return mask;
    const index_t size = mask.dims.max_shape()[0];
    const std::vector<index_t> cuts = Cuts(mask).take(size);
    if (cuts.empty()) return mask;

    std::vector<Operand> pieces;
    std::vector<Shape> begins;
    bool is_decided = false;
    const auto append = [&](index_t begin, index_t end, const NumberBounds& bounds) {
        begins.push_back({begin});
        const bool is_constant = bounds.least == bounds.greatest;
        is_decided = is_decided || is_constant;
        pieces.push_back(
            is_constant ? constant_operand<bool>(bounds.least != 0, Shape{end - begin})
                        : Operand{mask.node, dimensions::select(mask.dims, 0, range(begin, end))});
    };
    NumberBounds last = kEither;
    index_t begin = 0;
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
        const NumberBounds here = Judge(cuts[c], cuts[c + 1])(mask);
        if (c > 0 && (here.least != last.least || here.greatest != last.greatest)) {
            append(begin, cuts[c], last);
            begin = cuts[c];
        }
        last = here;
    }
    append(begin, size, last);
    return is_decided
               ? piecewise_operand("argfilter", std::move(pieces), std::move(begins), Shape{size})
               : mask;
}

} // namespace purview::engine
