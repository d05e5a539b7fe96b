#include "expression/derivatives/row_products.hpp"

#include "expression/derivatives/dependence.hpp"
#include "expression/derivatives/led_views.hpp"
#include "expression/derivatives/numbers.hpp"

#include <purview/dimensions/transpose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/reduce.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::derivatives {

namespace {

/// What a step sums up of so few elements is summed up behind the loop: it stays in the cache until then, and steps that have no
/// reduction go from one to the next without being called.
constexpr index_t kMostOfSum = 4096;
/// And of so many bytes, all steps and sums of a loop together.
constexpr index_t kMostBytesOfSums = index_t{64} << 20;

} // namespace

std::optional<std::vector<RowProduct>> RowProducts::of(const Operand& x) {
    std::vector<RowProduct> terms;
    const std::size_t rows = rows_.size();
    if (add_terms(x, terms)) return terms;
    rows_.resize(rows);
    return std::nullopt;
}

/// Iterative, as sums may have many terms.
bool RowProducts::add_terms(const Operand& x, std::vector<RowProduct>& terms) {
    std::vector<Operand> left{x};
    while (!left.empty()) {
        const Operand each = std::move(left.back());
        left.pop_back();
        const auto* const operation = node_as<Elementwise>(*each.node);
        const bool are_two = operation != nullptr && operation->op() == Op::add && is_whole(each);
        if (are_two && !factor(each, false)) {
            left.push_back(operation->operand(1));
            left.push_back(operation->operand(0));
            continue;
        }
        std::optional<RowProduct> term = product(each);
        if (!term) return false;
        terms.push_back(std::move(*term));
    }
    return true;
}

std::optional<RowProduct> RowProducts::product(const Operand& x) {
    if (x.node->kind() == NodeKind::constant || !is_whole(x)) return std::nullopt;
    const index_t groups = size_of(*x.node);
    if (const auto row = factor(x, false)) return RowProduct{{*row}, groups};
    const auto* const fold = node_as<Reduce>(*x.node);
    if (fold != nullptr && (fold->reduction() != Reduction::sum || !is_whole(fold->operand())))
        return std::nullopt;
    const Operand& all = fold == nullptr ? x : fold->operand();
    const auto* const operation = node_as<Elementwise>(*all.node);
    if (operation == nullptr) return std::nullopt;
    // The groups are what the first axes have.
    index_t count = 1;
    for (const index_t extent : operation->shape())
        if (count < groups) count *= extent;
    if (count != groups) return std::nullopt;
    const std::size_t rows = rows_.size();
    if (auto factors = factors_of(*operation, groups))
        return RowProduct{std::move(*factors), groups};
    rows_.resize(rows);
    if (fold == nullptr || size_of(*operation) > kMostOfSum) return std::nullopt;
    const index_t bytes = size_of(*operation) * all.dtype().size_bytes();
    if (bytes > (kMostBytesOfSums - bytes_) / steps_) return std::nullopt;
    const auto row = factor(all, true);
    if (!row) return std::nullopt;
    bytes_ += bytes * steps_;
    return RowProduct{{*row}, groups};
}

/// The two rows that a product is made of, which have fewer elements than there are groups.
std::optional<std::vector<RowProduct::Factor>> RowProducts::factors_of(const Elementwise& operation,
                                                                       index_t groups) {
    if (operation.op() != Op::multiply) return std::nullopt;
    index_t of_rows = 0;
    std::vector<RowProduct::Factor> factors;
    for (std::size_t i = 0; i < 2; ++i) {
        const Operand each = operation.operand(i);
        if (each.node->kind() == NodeKind::constant) return std::nullopt;
        of_rows += size_of(*each.node);
        if (of_rows >= groups) return std::nullopt;
        std::optional<RowProduct::Factor> found = factor(each, true);
        if (!found) return std::nullopt;
        factors.push_back(std::move(*found));
    }
    return factors;
}

/// As a view of a row; of a further output, if it may become one.
std::optional<RowProduct::Factor> RowProducts::factor(const Operand& x, bool may_add) {
    const auto found = std::ranges::find_if(
        rows_, [&](const Operand& row) { return row.node == x.node && is_whole(row); });
    const auto number = static_cast<std::size_t>(found - rows_.begin());
    const index_t size = size_of(*x.node);
    if (found != rows_.end()) return RowProduct::Factor{number, x.dims, size};
    if (!may_add || !x.dtype().is_builtin()) return std::nullopt;
    rows_.push_back({x.node, Dimensions::row_major(own_shape(*x.node))});
    return RowProduct::Factor{number, x.dims, size};
}

Operand sum_of(const std::vector<RowProduct>& products, std::span<const Operand> rows,
               ShapeSpan shape) {
    std::optional<Operand> all;
    for (const RowProduct& product : products) {
        std::vector<Operand> factors;
        for (const RowProduct::Factor& factor : product.factors) {
            Operand seen = led_view(rows[factor.row], 1, factor.view, factor.size);
            // Steps are added up: behind the axes of the result.
            const ShapeSpan extents = seen.dims.max_shape();
            index_t count = 1, axes = 0;
            while (count < product.groups) count *= extents[static_cast<std::size_t>(++axes)];
            seen.dims = dimensions::move_axis(seen.dims, 0, axes);
            factors.push_back(std::move(seen));
        }
        const Numbers in(factors[0].dtype());
        const Operand term =
            factors.size() == 1 ? factors[0] : in.binary(Op::multiply, factors[0], factors[1]);
        const Operand sum = reduce_operand(Reduction::sum, term, product.groups, shape);
        all = all ? in.binary(Op::add, *all, sum) : sum;
    }
    return *all;
}

} // namespace purview::derivatives
