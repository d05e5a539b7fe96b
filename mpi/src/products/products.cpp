#include <purview/mpi/products.hpp>
#include <purview/mpi/reductions.hpp>

#include "distributions/derived.hpp"
#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/gathers.hpp"
#include "expressions/plan.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/functional/elementwise/operands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <set>

namespace purview::inline v0_1::mpi {
namespace {

/// About as many bytes as a panel of a factor has, and as the product of one of its slabs.
constexpr index_t kPanelBytes = index_t{1} << 24;
constexpr index_t kSlabBytes = index_t{1} << 24;

/// Coordinates that elements of a factor are read at, along one of its axes.
AxisShape axis_of(const AxisCoordinates& along, index_t& base, index_t& stride) {
    if (!along.list.empty()) return make_index_sequence(along.list);
    if (along.count > 0) base += along.first * stride;
    stride *= along.step;
    return along.count;
}

/// A factor of which each rank reads one panel after the other.
class Factor {
public:
    /// `is_left`: its rows are those of the result and its columns are summed over; else the other way round.
    Factor(Ranks& ranks, const char* what, const Operand& x, AxisCoordinates own, bool is_left,
           const Distribution& d)
        : ranks_(ranks), what_(what), own_(std::move(own)), is_left_(is_left) {
        collective(ranks, what, [&] { graph_.emplace(what, x, ranks, Graph::Evaluated()); });
        if (!graph_->has_gathers()) return;
        const Graph::Evaluated evaluated = evaluate_gathers(ranks, what, *graph_, d);
        graph_.emplace(what, x, ranks, evaluated);
    }

    /// Where owners change along the axis that is summed over.
    void add_cuts(std::set<index_t>& cuts) const {
        const std::size_t axis = is_left_ ? 1 : 0;
        for (const Source& source : graph_->sources()) {
            const Distribution& d = source.distribution;
            const bool is_same =
                std::ranges::equal(d.shape(), graph_->root().dims.max_shape()) && d.is_blocks();
            if (!is_same) continue;
            const AxisParts& parts = d.state().axes[axis];
            for (index_t place = 0; place < parts.places(); ++place)
                cuts.insert(parts.interval(place).end);
        }
    }

    /// A panel that has been planned, whose elements are fetched into memory.
    struct Panel {
        std::shared_ptr<const DistributedPlan> plan;
        std::vector<Operand> fetched;
        Operand operand;
    };
    Panel plan(Interval k) const {
        const ShapeSpan shape = graph_->root().dims.max_shape();
        index_t base = 0;
        index_t strides[] = {shape[1], 1};
        AxisCoordinates summed{k.begin, 1, k.size(), shape[is_left_ ? 1 : 0]};
        const AxisShape extents[] = {axis_of(is_left_ ? own_ : summed, base, strides[0]),
                                     axis_of(is_left_ ? summed : own_, base, strides[1])};
        const index_t counts[] = {is_left_ ? own_.count : k.size(),
                                  is_left_ ? k.size() : own_.count};
        const index_t offsets[] = {0, 0};
        Panel panel;
        panel.plan = std::make_shared<const DistributedPlan>(
            ranks_, what_, *graph_, Dimensions::raw(extents, strides, offsets, counts, base),
            DistributedPlan::Cut::no);
        collective(ranks_, what_, [&] { panel.fetched = panel.plan->memory(what_, *graph_); });
        return panel;
    }
    void fetch(Panel& panel, FunctionRef<void()> meanwhile) const {
        panel.plan->fetch(ranks_, what_, *graph_, panel.fetched, meanwhile);
        panel.operand = panel.plan->operand(*graph_, panel.fetched);
    }

private:
    Ranks& ranks_;
    const char* what_;
    AxisCoordinates own_;
    bool is_left_;
    std::optional<Graph> graph_;
};

/// `c += a · b`, or `c = a · b`, in slabs of rows. A product that is all of c takes its place.
void multiply(const Operand& a, const Operand& b, Operand& c, bool adds, Ranks& ranks) {
    const index_t rows = c.dims.max_shape()[0];
    const index_t columns = c.dims.max_shape()[1];
    const index_t slab = std::clamp<index_t>(
        kSlabBytes / std::max<index_t>(columns * c.dtype().size_bytes(), 1), 64, 4096);
    for (index_t row = 0; row < rows; row += slab) {
        const index_t end = std::min(row + slab, rows);
        const auto rows_of = [&](const Operand& x) {
            return Operand{x.node, part_of(x.dims, Box{{row, 0}, {end, x.dims.max_shape()[1]}})};
        };
        const AnyTensor product = any_sum_of_products("matmul", matmul_factors(rows_of(a), b));
        if (!adds && end - row == rows && product.operand().dims.is_identity() &&
            is_writable(product.operand())) {
            c.node = product.operand().node;
            return;
        }
        const Operand to = rows_of(c);
        purview::assign(adds ? (AnyTensor(to) + product).operand() : product.operand(), to);
        ranks.progress();
    }
}

Distribution default_distribution(const char* what, const Graph& x, const Graph& y,
                                  ShapeSpan shape) {
    for (const Graph* const graph : {&x, &y})
        if (!graph->sources().empty())
            return blocks_on(graph->sources().front().distribution.grid(), shape);
    throw DistributionError(
        fmt::format("{}: none of the factors is distributed: matmul(x, y, d) says where", what));
}

/// In the type that they are added up in.
Operand products_to_add(const char* what, ProductFactors factors) {
    if (is_complex(factors.x.dtype()) || is_complex(factors.y.dtype()))
        return any_binary(Op::multiply, {std::move(factors.x)}, {std::move(factors.y)}).operand();
    const DType common = promote(factors.x.dtype(), factors.y.dtype(), what);
    return visit_dtype(common, what, [&]<typename P>(std::type_identity<P>) {
        const DType type = kDType<Accumulated<P>>;
        return binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y), type, type);
    });
}

} // namespace

AnyDistributed matmul_any(const Operand& given_x, const Operand& given_y,
                          const std::optional<Distribution>& given_d) {
    constexpr const char* what = "matmul";
    const Communicator* communicator =
        given_d ? &given_d->communicator() : communicator_below(given_x);
    if (communicator == nullptr) communicator = communicator_below(given_y);
    if (communicator == nullptr)
        throw DistributionError(fmt::format(
            "{}: none of the factors is distributed: matmul(x, y, d) says where", what));
    Ranks& ranks = communicator->ranks();
    Operand x = given_x;
    Operand y = given_y;
    std::optional<Distribution> d = given_d;
    std::optional<Operand> part;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        if (x.dims.rank() != 2 || y.dims.rank() < 1 || y.dims.rank() > 2 ||
            x.dims.max_shape()[1] != y.dims.max_shape()[0])
            throw ShapeError(fmt::format(
                "{}: shapes {} and {} do not fit: [m, k] and [k, n], or [m, k] and [k]", what,
                purview::to_string(x.dims.max_shape()), purview::to_string(y.dims.max_shape())));
        const Graph left(what, x, ranks, {});
        const Graph right(what, y, ranks, {});
        Shape shape{x.dims.max_shape()[0]};
        if (y.dims.rank() == 2) shape.push_back(y.dims.max_shape()[1]);
        if (!d) d = default_distribution(what, left, right, shape);
        require_shape(what, shape, *d);
        describe(call, *d);
        call.add("of", x.dtype().name());
        call.add("and", y.dtype().name());
        call.add_hash(left.hash());
        call.add_hash(right.hash());
        // The type of the product is that of an empty one.
        const auto empty = [&](const Operand& of) {
            return new_elements(what, of.dtype(),
                                Shape(static_cast<std::size_t>(of.dims.rank()), 0));
        };
        Operand none = empty(y);
        if (y.dims.rank() == 1) none.dims = Dimensions::row_major(Shape{0, 0});
        const DType dtype = any_sum_of_products(what, matmul_factors(empty(x), none)).dtype();
        part = new_elements(what, dtype, d->local_shape());
    });
    // A vector is a matrix of one column.
    const DistributedRegion region = region_of_part(*d, ranks.rank());
    Operand c = *part;
    AxisCoordinates columns{0, 1, 1, 1};
    if (y.dims.rank() == 1) {
        y.dims = dimensions::compose(Dimensions::row_major(Shape{y.dims.size(), 1}), y.dims);
        c.dims = Dimensions::row_major(Shape{c.dims.size(), 1});
    } else {
        columns = region[1];
    }
    const Factor left(ranks, what, x, region[0], true, *d);
    const Factor right(ranks, what, y, columns, false, *d);

    // The same panels on all ranks; each begins with another one, so that no rank is asked by all at a time.
    const index_t k = x.dims.max_shape()[1];
    std::set<index_t> cuts{0, k};
    left.add_cuts(cuts);
    right.add_cuts(cuts);
    index_t longest = 1;
    for (int rank = 0; rank < ranks.size(); ++rank)
        for (const index_t extent : d->local_shape(rank)) longest = std::max(longest, extent);
    const index_t width = std::clamp<index_t>(
        kPanelBytes / (longest * std::max(x.dtype().size_bytes(), y.dtype().size_bytes())), 32,
        1024);
    std::vector<Interval> panels;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
        const index_t length = *std::next(cut) - *cut;
        const index_t count = (length + width - 1) / width;
        for (index_t i = 0; i < count; ++i)
            panels.push_back({*cut + length * i / count, *cut + length * (i + 1) / count});
    }
    const Shape place = d->state().places_of(ranks.rank());
    const index_t places = std::max<index_t>(*std::ranges::max_element(d->grid().extents()), 1);
    const index_t first =
        std::reduce(place.begin(), place.end()) % places * std::ssize(panels) / places;
    const auto panel_of = [&](index_t step) {
        return panels[static_cast<std::size_t>((first + step) % std::ssize(panels))];
    };

    std::optional<Factor::Panel> a;
    std::optional<Factor::Panel> b;
    std::exception_ptr thrown;
    bool adds = false;
    const auto multiply_ready = [&] {
        if (!a || thrown || c.dims.size() == 0) return;
        try {
            multiply(a->operand, b->operand, c, adds, ranks);
            adds = true;
        } catch (...) {
            thrown = std::current_exception();
        }
    };
    for (index_t step = 0; step < std::ssize(panels); ++step) {
        Factor::Panel next_a = left.plan(panel_of(step));
        Factor::Panel next_b = right.plan(panel_of(step));
        try {
            left.fetch(next_a, [&] { right.fetch(next_b, multiply_ready); });
        } catch (...) { // the others go on, and hear of it in the end
            if (!thrown) thrown = std::current_exception();
        }
        a = std::move(next_a);
        b = std::move(next_b);
    }
    collective(ranks, what, [&] {
        multiply_ready();
        if (thrown) std::rethrow_exception(thrown);
        if (panels.empty() && c.dims.size() > 0) // sums of nothing
            std::memset(leaf_of(c)->writable_memory().data, 0,
                        static_cast<std::size_t>(c.dims.size() * c.dtype().size_bytes()));
    });
    return AnyDistributed({c.node, part->dims}, *d);
}

Operand dot_any(const Operand& x, const Operand& y) {
    constexpr const char* what = "dot";
    const Communicator* communicator = communicator_below(x);
    if (communicator == nullptr) communicator = communicator_below(y);
    if (communicator == nullptr)
        throw DistributionError(fmt::format(
            "{}: neither factor is distributed: the function of this name for tensors in memory multiplies them",
            what));
    Operand products;
    const ExitNotice exit_notice(communicator->ranks(), what);
    agree(communicator->ranks(), what, [&](CallText& call) {
        ProductFactors factors = dot_factors(x, y);
        factors.x = widened_operand(std::move(factors.x));
        factors.y = widened_operand(std::move(factors.y));
        products = products_to_add(what, std::move(factors));
        call.add("of", x.dtype().name());
        call.add("and", y.dtype().name());
    });
    const ChosenReducer sum{&fold_reduction(Reduction::sum)};
    return reduce_whole(what, {&sum, 1}, products)[0];
}

} // namespace purview
