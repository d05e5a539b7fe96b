#include "engine/contract/contract_many.hpp"

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/contract/blas.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/reduce/reduced_source.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// For up to this many factors the best order is found, for more a good one.
constexpr std::size_t kBestOrder = 8;

/// A part of a product: the axes that it has, and how much of it is stored.
struct ProductPart {
    AxisSet axes = 0;
    bool is_sparse = false;
    double density = 1; ///< of what is stored, if it is sparse
};

class PairOrdering {
public:
    /// `gemm` is the cost of a multiplication in a matrix product. Of sparse products, what one factor
    /// does not store is 0 whatever the others are; of products of floats, that may be NaN.
    PairOrdering(ShapeSpan shape, AxisSet kept, std::vector<ProductPart> factors, double gemm,
                 bool is_sparse)
        : shape_(shape),
          kept_(kept),
          parts_(std::move(factors)),
          gemm_(gemm),
          is_sparse_(is_sparse) {}

    PairOrder run() { return parts_.size() <= kBestOrder ? best() : greedy(); }

private:
    double size_of(AxisSet axes) const { return static_cast<double>(extent_of(shape_, axes)); }
    double stored_of(const ProductPart& part) const { return size_of(part.axes) * part.density; }
    double cost_of(const ProductPart& x, const ProductPart& y, const ProductPart& result) const {
        const AxisSet whole = x.axes | y.axes;
        const double products = size_of(whole) * x.density * y.density;
        const double moved =
            costs::kPartElement * (stored_of(x) + stored_of(y) + stored_of(result));
        const bool is_matrix_product =
            whole != result.axes && ((x.axes & ~y.axes) != 0 || (y.axes & ~x.axes) != 0);
        const double each = x.is_sparse || y.is_sparse ? costs::kStoredProduct
                            : is_matrix_product        ? gemm_
                                                       : costs::kLoopedProduct;
        return costs::kPartStep + moved + products * each;
    }
    /// What the product of two parts is, after it was summed over all axes but `kept`.
    ProductPart product_of(const ProductPart& x, const ProductPart& y, AxisSet kept) const {
        const bool both = x.is_sparse && y.is_sparse;
        if (!both && !(is_sparse_ && (x.is_sparse || y.is_sparse))) return {kept};
        const double summed = size_of((x.axes | y.axes) & ~kept);
        return {kept, true, std::min(1., x.density * y.density * summed)};
    }

    struct Subset {
        ProductPart part;
        double cost = std::numeric_limits<double>::infinity();
        std::size_t left = 0;
    };

    /// Dynamic programming over all subsets of the factors, from small to large.
    PairOrder best() const {
        const std::size_t count = parts_.size();
        const std::size_t whole = (std::size_t{1} << count) - 1;
        std::vector<Subset> subsets(whole + 1);
        for (std::size_t set = 1; set <= whole; ++set) {
            AxisSet inside = 0;
            AxisSet outside = kept_;
            for (std::size_t i = 0; i < count; ++i)
                (set >> i & 1 ? inside : outside) |= parts_[i].axes;
            Subset& subset = subsets[set];
            if (std::has_single_bit(set)) {
                subset.cost = 0;
                subset.part = parts_[static_cast<std::size_t>(std::countr_zero(set))];
                continue;
            }
            // Each split once: the left side has the last factor.
            const std::size_t last = std::bit_floor(set);
            for (std::size_t left = set; left > 0; left = (left - 1) & set) {
                const std::size_t right = set & ~left;
                if ((left & last) == 0 || right == 0) continue;
                const ProductPart& x = subsets[left].part;
                const ProductPart& y = subsets[right].part;
                const ProductPart product = product_of(x, y, inside & outside);
                const double cost =
                    subsets[left].cost + subsets[right].cost + cost_of(x, y, product);
                if (cost < subset.cost) {
                    subset.cost = cost;
                    subset.part = product;
                    subset.left = left;
                }
            }
        }
        PairOrder order;
        order.cost = subsets[whole].cost;
        add_steps(subsets, whole, order);
        return order;
    }
    /// Appends the steps of a subset, and returns the number of its result. Recursion is at most as
    /// deep as there are factors, kBestOrder.
    std::size_t add_steps(const std::vector<Subset>& subsets, std::size_t set,
                          PairOrder& order) const {
        if (std::has_single_bit(set)) return static_cast<std::size_t>(std::countr_zero(set));
        const std::size_t y = add_steps(subsets, subsets[set].left, order);
        const std::size_t x = add_steps(subsets, set & ~subsets[set].left, order);
        order.steps.push_back({x, y, subsets[set].part.axes});
        return parts_.size() + order.steps.size() - 1;
    }

    /// Greedily: the cheapest pair comes next.
    PairOrder greedy() {
        std::vector<std::size_t> left(parts_.size());
        std::iota(left.begin(), left.end(), std::size_t{0});
        PairOrder order;
        while (left.size() > 1) {
            PairStep step{};
            ProductPart made;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < left.size(); ++i)
                for (std::size_t j = i + 1; j < left.size(); ++j) {
                    AxisSet outside = kept_;
                    for (const std::size_t other : left)
                        if (other != left[i] && other != left[j]) outside |= parts_[other].axes;
                    const ProductPart& x = parts_[left[i]];
                    const ProductPart& y = parts_[left[j]];
                    const ProductPart product = product_of(x, y, (x.axes | y.axes) & outside);
                    const double cost = cost_of(x, y, product);
                    if (cost >= least) continue;
                    least = cost;
                    made = product;
                    step = {left[i], left[j], product.axes};
                }
            std::erase_if(left, [&](std::size_t part) { return part == step.x || part == step.y; });
            left.push_back(parts_.size());
            parts_.push_back(made);
            order.cost += least;
            order.steps.push_back(step);
        }
        return order;
    }

    ShapeSpan shape_;
    AxisSet kept_; ///< axes of the result
    std::vector<ProductPart> parts_;
    double gemm_;
    bool is_sparse_;
};

/// A sum of a product of several factors: which axes each factor has, and which of them other
/// factors or the result need.
class ManyFactors {
public:
    ManyFactors(const Operand& source, const ProductTree& tree, index_t groups)
        : tree_(tree),
          dtype_(source.dtype()),
          shape_(source.dims.max_shape()),
          is_sparse_(is_sparse(source)) {
        const std::size_t kept = kept_axes(shape_, groups);
        for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
            if (shape_[axis] == 1) continue;
            all_ |= AxisSet{1} << axis;
            if (axis < kept) kept_ |= AxisSet{1} << axis;
        }
        for (const Operand& factor : tree.factors) whole_.push_back(axes_of(factor));
        for (std::size_t i = 0; i < whole_.size(); ++i) {
            AxisSet outside = kept_;
            for (std::size_t j = 0; j < whole_.size(); ++j)
                if (j != i) outside |= whole_[j];
            needed_.push_back(whole_[i] & outside);
        }
    }

    /// The order in which to sum; none where one loop over all factors is better.
    std::optional<PairOrder> order() const {
        const AxisSet found =
            std::accumulate(whole_.begin(), whole_.end(), AxisSet{0}, std::bit_or{});
        if (found != all_ || whole_.size() < 2) return {};
        const bool floats = (dtype_ == float32 || dtype_ == float64) && blas() != nullptr;
        const double gemm = !floats
                                ? costs::kLoopedProduct
                                : costs::kBlasRealByte * static_cast<double>(dtype_.size_bytes());
        std::vector<ProductPart> parts;
        double alone = 0; // of sums in one factor
        for (std::size_t i = 0; i < whole_.size(); ++i) {
            const auto size = static_cast<double>(extent_of(shape_, whole_[i]));
            ProductPart& part = parts.emplace_back(needed_[i]);
            double stored = size;
            if (const Operand& factor = tree_.factors[i];
                storage_kind_of(*factor.node) == Kind::sparse) {
                part.is_sparse = true;
                stored = std::min(size, static_cast<double>(stored_below(factor)));
                part.density =
                    std::min(1., stored / static_cast<double>(extent_of(shape_, needed_[i])));
            }
            if (needed_[i] != whole_[i])
                alone += costs::kPartStep +
                         (part.is_sparse ? costs::kStoredProduct : costs::kLoopedProduct) * stored;
        }
        PairOrder order = PairOrdering(shape_, kept_, std::move(parts), gemm, is_sparse_).run();
        order.cost += alone;
        const double loop = costs::kLoopedProduct * static_cast<double>(whole_.size() - 1) *
                            static_cast<double>(extent_of(shape_, all_));
        if (order.cost >= loop) return {};
        return order;
    }

    void run(const PairOrder& order,
             FunctionRef<NodePtr(const Operand&, index_t, bool)> sum) const {
        std::vector<Operand> parts = tree_.factors;
        std::vector<AxisSet> axes = whole_;
        if (tree_.scale != 1) {
            const auto smallest = std::ranges::min_element(
                whole_, {}, [&](AxisSet set) { return extent_of(shape_, set); });
            Operand& factor = parts[static_cast<std::size_t>(smallest - whole_.begin())];
            const Operand own = on_axes(factor, *smallest, 0);
            factor = spread(scaled(own, tree_.scale).node, *smallest);
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (needed_[i] == whole_[i]) continue;
            parts[i] = spread(
                sum(on_axes(parts[i], needed_[i], whole_[i]), extent_of(shape_, needed_[i]), false),
                needed_[i]);
            axes[i] = needed_[i];
        }
        for (std::size_t i = 0; i < order.steps.size(); ++i) {
            const PairStep& step = order.steps[i];
            const AxisSet whole = axes[step.x] | axes[step.y];
            Operand product = elementwise<2>(Op::multiply, dtype_,
                                             {on_axes(parts[step.x], step.kept, whole),
                                              on_axes(parts[step.y], step.kept, whole)});
            const bool last = i + 1 == order.steps.size();
            NodePtr node = sum(product, extent_of(shape_, step.kept), last);
            if (last) break;
            parts.push_back(spread(std::move(node), step.kept));
            axes.push_back(step.kept);
        }
    }

private:
    /// A part along the axes `kept`, then those of `whole` that are summed.
    static Operand on_axes(const Operand& part, AxisSet kept, AxisSet whole) {
        return over_axes(part, in_order({kept, whole & ~kept}));
    }
    /// A node whose elements are in row-major order over `axes`, seen from the root.
    Operand spread(NodePtr node, AxisSet axes) const {
        return {std::move(node), packed_over(shape_, in_order({axes}))};
    }

    const ProductTree& tree_;
    DType dtype_;
    ShapeSpan shape_;
    bool is_sparse_;
    AxisSet kept_ = 0; ///< axes of the result
    AxisSet all_ = 0;  ///< that are longer than 1
    std::vector<AxisSet> whole_;
    std::vector<AxisSet> needed_; ///< without the axes that are summed in this factor only
};

} // namespace

std::optional<PairOrder> order_of_pairs(const Operand& source, const ProductTree& tree,
                                        index_t groups) {
    return ManyFactors(source, tree, groups).order();
}

void visit_pairs(const Operand& source, const ProductTree& tree, index_t groups,
                 const PairOrder& order, FunctionRef<NodePtr(const Operand&, index_t, bool)> sum) {
    ManyFactors(source, tree, groups).run(order, sum);
}

void contract_many(const Operand& source, const ProductTree& tree, index_t groups,
                   const PairOrder& order, const PartSums& sums, void* out) {
    visit_pairs(source, tree, groups, order,
                [&](const Operand& product, index_t count, bool last) -> NodePtr {
                    if (!last) return sums.made(product, count);
                    sums.into(product, count, out);
                    return nullptr;
                });
}

std::shared_ptr<AnyReader> contract_many_sparse(const Operand& source, const ProductTree& tree,
                                                index_t groups, const PairOrder& order,
                                                const PartSums& sums) {
    std::shared_ptr<AnyReader> result;
    visit_pairs(source, tree, groups, order,
                [&](const Operand& product, index_t count, bool last) -> NodePtr {
                    if (!last) return sums.made(product, count);
                    if (is_sparse(product)) result = sums.sparse(product, count);
                    return nullptr;
                });
    return result;
}

NodePtr PartSums::made(const Operand& source, index_t groups) const {
    if (is_sparse(source)) return make_node<Leaf>(sparse(source, groups));
    void* place = nullptr;
    NodePtr node = new_memory_leaf(source.dtype(), groups, place);
    into(source, groups, place);
    return node;
}

} // namespace purview::engine
