// Defines purview/mpi/order.hpp.

#include <purview/mpi/order.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "order/partial_groups.hpp"
#include "reductions/places_in_whole.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/row_groups.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// Of groups of equal elements: where the first one is, and how many there are.
GroupReducers reducers_of(bool with_indexes) {
    const auto of = [](Reduction reduction) {
        return fold_reduction(reduction).reducer(int64, false);
    };
    GroupReducers reducers;
    reducers.push_back(of(Reduction::minimum));
    if (with_indexes) reducers.push_back(of(Reduction::sum));
    return reducers;
}

/// The bits of -0; of integers, of which there is none, 0.
std::uint64_t negative_zero(DType type) noexcept {
    return type.is_floating() ? std::uint64_t{1} << (type.size_bytes() * 8 - 1) : 0;
}

/// The distinct elements of a rank's part, and then of all.
class DistinctElements {
public:
    DistinctElements(const char* what, const AnyDistributed& x, bool with_indexes)
        : what_(what), x_(x), reducers_(reducers_of(with_indexes)) {
        own_.states.resize(reducers_.size());
    }

    void find_own(int rank) {
        const Operand& part = x_.local_operand();
        const ShapeSpan shape = part.dims.max_shape();
        if (part.dims.size() == 0) return;
        const RowGroups groups(part, true);
        own_.set_keys(what_, groups.keys());
        const auto set = [&](std::size_t reducer, const Operand& states) {
            own_.states[reducer].resize(own_.keys.size() * sizeof(std::int64_t));
            read_all(states, own_.states[reducer].data());
        };
        set(0,
            groups.fold(Reduction::minimum,
                        reshape(AnyTensor(purview::arange<std::int64_t>(part.dims.size())), shape)
                            .operand()));
        if (with_indexes()) {
            set(1, groups.counts());
            numbers_ = groups.numbers();
        }
        Shape axes(shape.size(), 0);
        std::iota(axes.begin(), axes.end(), index_t{0});
        const PlacesInWhole places(x_.distribution(), rank, axes,
                                   {Shape(shape.size(), 0), Shape(shape.begin(), shape.end())});
        // Twice the index, and one more of -0, so that the first one says which of the zeros it is.
        const std::span<std::int64_t> first = own_.integers(0);
        for (std::size_t g = 0; g < own_.keys.size(); ++g)
            first[g] = 2 * places(first[g]) + (own_.keys[g] == negative_zero(x_.dtype()) ? 1 : 0);
        all_ = own_;
    }

    void merge(Ranks& ranks) { merge_all(ranks, what_, reducers_, all_); }

    UniqueOfAny results() {
        const std::uint64_t negative = negative_zero(x_.dtype());
        const std::span<std::int64_t> first = all_.integers(0);
        for (std::size_t g = 0; g < all_.keys.size(); ++g) {
            const bool is_negative = first[g] % 2 != 0;
            first[g] /= 2;
            if (is_negative || all_.keys[g] == negative) all_.keys[g] = is_negative ? negative : 0;
        }
        UniqueOfAny result{all_.keys_in_memory(what_, x_.dtype()), {}, {}, {}};
        if (!with_indexes()) return result;
        result.first_indexes = integers(first);
        result.counts = integers(all_.integers(1));
        result.inverse.emplace(inverse(), x_.distribution());
        return result;
    }

private:
    bool with_indexes() const noexcept { return reducers_.size() > 1; }
    Operand integers(std::span<const std::int64_t> elements) const {
        const index_t shape[] = {std::ssize(elements)};
        Operand result = new_elements(what_, int64, shape);
        std::ranges::copy(elements, reinterpret_cast<std::int64_t*>(memory_of(result)));
        return result;
    }

    /// For each element of this rank's part its position among those of all.
    Operand inverse() const {
        Operand result = new_elements(what_, int64, x_.distribution().local_shape());
        if (!numbers_) return result;
        std::vector<std::int64_t> positions;
        for (const std::uint64_t key : own_.order)
            positions.push_back(std::ranges::lower_bound(all_.order, key) - all_.order.begin());
        auto* const out = reinterpret_cast<std::int64_t*>(memory_of(result));
        read_all(*numbers_, out);
        for (index_t i = 0; i < result.dims.size(); ++i)
            out[i] = positions[static_cast<std::size_t>(out[i])];
        return result;
    }

    const char* what_;
    const AnyDistributed& x_;
    GroupReducers reducers_;
    PartialGroups own_;
    std::optional<Operand> numbers_; ///< of the groups of this rank's elements
    PartialGroups all_;
};

} // namespace

UniqueOfAny unique_any(const AnyDistributed& x, bool with_indexes) {
    const char* const what = with_indexes ? "unique_all" : "unique";
    Ranks& ranks = x.distribution().communicator().ranks();
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        visit_dtype(x.dtype(), what, [](auto) {});
        describe(call, x);
    });
    DistinctElements elements(what, x, with_indexes);
    collective(ranks, what, [&] { elements.find_own(ranks.rank()); });
    elements.merge(ranks);
    std::optional<UniqueOfAny> results;
    collective(ranks, what, [&] { results = elements.results(); });
    return *std::move(results);
}

} // namespace purview
