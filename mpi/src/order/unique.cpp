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

/// The columns of groups of equal elements: where the first one is, and how many there are.
constexpr WordColumn kColumns[] = {{MergedBy::minimum, WordType::int64},
                                   {MergedBy::sum, WordType::int64}};

/// The bits of -0; of integers, of which there is none, 0.
std::uint64_t negative_zero(DType type) noexcept {
    return type.is_floating() ? std::uint64_t{1} << (type.size_bytes() * 8 - 1) : 0;
}

/// The distinct elements of a rank's part, and then of all.
class DistinctElements {
public:
    DistinctElements(const char* what, const AnyDistributed& x, bool with_indexes)
        : what_(what), x_(x), columns_(kColumns, with_indexes ? 2 : 1) {}

    void find_own(int rank) {
        const Operand& part = x_.local_operand();
        const ShapeSpan shape = part.dims.max_shape();
        if (part.dims.size() == 0) return;
        const RowGroups groups(part, true);
        own_.set_keys(what_, groups.keys());
        own_.add_column(groups.fold(
            GroupFold::of_minimum,
            reshape(AnyTensor(purview::arange<std::int64_t>(part.dims.size())), shape).operand()));
        if (columns_.size() > 1) {
            own_.add_column(groups.counts());
            numbers_ = groups.numbers();
        }
        Shape axes(shape.size(), 0);
        std::iota(axes.begin(), axes.end(), index_t{0});
        const PlacesInWhole places(x_.distribution(), rank, axes,
                                   {Shape(shape.size(), 0), Shape(shape.begin(), shape.end())});
        // Twice the index, and one more of -0, so that the first one says which of the zeros it is.
        for (std::size_t g = 0; g < own_.keys.size(); ++g)
            own_.words[g] =
                2 * static_cast<std::uint64_t>(places(static_cast<index_t>(own_.words[g]))) +
                (own_.keys[g] == negative_zero(x_.dtype()) ? 1 : 0);
        all_ = own_;
    }

    void merge(Ranks& ranks) { merge_all(ranks, what_, columns_, all_); }

    UniqueOfAny results() {
        const std::uint64_t negative = negative_zero(x_.dtype());
        for (std::size_t g = 0; g < all_.keys.size(); ++g) {
            const bool is_negative = all_.words[g] % 2 != 0;
            all_.words[g] /= 2;
            if (is_negative || all_.keys[g] == negative) all_.keys[g] = is_negative ? negative : 0;
        }
        UniqueOfAny result{all_.keys_in_memory(what_, x_.dtype()), {}, {}, {}};
        if (columns_.size() == 1) return result;
        result.first_indexes = integers(all_.column(0));
        result.counts = integers(all_.column(1));
        result.inverse.emplace(inverse(), x_.distribution());
        return result;
    }

private:
    Operand integers(std::span<const std::uint64_t> words) const {
        const index_t shape[] = {std::ssize(words)};
        Operand result = new_elements(what_, int64, shape);
        std::ranges::copy(words, reinterpret_cast<std::uint64_t*>(memory_of(result)));
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
    std::span<const WordColumn> columns_;
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
