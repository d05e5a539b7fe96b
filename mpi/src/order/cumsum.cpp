// Defines purview/mpi/order.hpp.

#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/order.hpp>

#include "distributions/axis_parts.hpp"
#include "distributions/derived.hpp"
#include "distributions/describe.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "messages/ranks.hpp"
#include "order/whole_lanes.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/scans.hpp>

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// Integers wrap.
template <typename T>
T sum_of_two(T a, T b) noexcept {
    if constexpr (std::integral<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}

/// Where the scans of lanes lie: one lane after the other, or, where many lanes are beside each other, rows of their elements.
struct LaneLayout {
    index_t lanes;
    index_t length;
    index_t inner; ///< lanes beside each other

    index_t last(index_t lane) const noexcept {
        return lane / inner * inner * length + (length - 1) * inner + lane % inner;
    }
};

/// The scans of lanes, and what is added to them.
template <typename T>
class LaneSums {
public:
    LaneSums(T* sums, const LaneLayout& layout)
        : sums_(sums),
          layout_(layout),
          own_(static_cast<std::size_t>(layout.lanes), T{}),
          lower_(own_),
          received_(own_) {
        for (std::size_t lane = 0; layout.length > 0 && lane < own_.size(); ++lane)
            own_[lane] = sums[layout.last(static_cast<index_t>(lane))];
    }

    /// Adds up the lanes of lower ranks of the group, in ⌈log₂ P⌉ steps: in each, ranks have the sums of twice as many.
    void exchange(Ranks& ranks, const char* what, const Group& group) {
        const index_t bytes = layout_.lanes * index_t{sizeof(T)};
        for (int step = 1; step < group.size(); step *= 2) {
            const bool sends = group.place + step < group.size();
            const bool receives = group.place >= step;
            const Outgoing out{sends ? group[group.place + step] : 0, own_.data(), bytes};
            const Incoming in{receives ? group[group.place - step] : 0, received_.data(), bytes};
            ranks.exchange(what, std::span(&out, sends ? 1 : 0), std::span(&in, receives ? 1 : 0),
                           Carries::elements);
            if (!receives) continue;
            for (std::size_t lane = 0; lane < own_.size(); ++lane) {
                lower_[lane] =
                    step == 1 ? received_[lane] : sum_of_two(received_[lane], lower_[lane]);
                own_[lane] = sum_of_two(received_[lane], own_[lane]);
            }
        }
    }

    void add_lower() const {
        const index_t inner = layout_.inner; // elements of a row, each of another lane
        const index_t rows = layout_.lanes / inner * layout_.length;
        parallel_ranges(rows, 4096 / inner + 1, static_cast<double>(rows * inner),
                        [&](index_t begin, index_t end) {
                            for (index_t row = begin; row < end; ++row) {
                                const T* const lower = lower_.data() + row / layout_.length * inner;
                                T* const sums = sums_ + row * inner;
                                for (index_t i = 0; i < inner; ++i)
                                    sums[i] = sum_of_two(lower[i], sums[i]);
                            }
                        });
    }

private:
    T* sums_;
    LaneLayout layout_;
    std::vector<T> own_; ///< of this rank, and of lower ones
    std::vector<T> lower_;
    std::vector<T> received_;
};

} // namespace

AnyDistributed cumsum_any(const AnyDistributed& given, index_t axis, NanRule nan) {
    constexpr const char* what = "cumsum";
    const AnyDistributed x = parts_in_memory(what, given);
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    std::size_t a = 0;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        a = static_cast<std::size_t>(checked_axis(axis, static_cast<int>(x.shape().size()), what));
        visit_dtype(x.dtype(), what, [](auto) {});
        describe(call, x);
        call.add("along axis", static_cast<index_t>(a));
        call.add("", nan == NanRule::skip ? "skip_nan" : "keep_nan");
    });
    const auto axis_number = static_cast<index_t>(a);
    if (!d.state().axes[a].is_blocks()) {
        const AnyDistributed y = redistribute_any(x, in_blocks_along(d, axis_number));
        return redistribute_any(cumsum_any(y, axis, nan), d);
    }
    std::optional<purview::AxisParts> parts;
    std::optional<Operand> sums;
    collective(ranks, what, [&] {
        parts = axis_parts(what, x.local_operand(), static_cast<index_t>(a));
        sums = scanned(what, Reduction::sum, *parts, nan);
    });
    const AnyDistributed result(parts->restored(*sums), d);
    if (!is_divided(d, a)) return result;
    visit_dtype(sums->dtype(), what, [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>) { // which sums are not
            std::optional<LaneSums<T>> lanes;
            Group group;
            collective(ranks, what, [&] {
                group = ranks_along(d, {&axis_number, 1}, ranks.rank());
                const bool one_by_one = sums->dims.is_contiguous();
                lanes.emplace(
                    reinterpret_cast<T*>(memory_of(*sums)),
                    LaneLayout{parts->groups, parts->length, one_by_one ? 1 : parts->inner()});
            });
            lanes->exchange(ranks, what, group);
            collective(ranks, what, [&] {
                if (group.place > 0) lanes->add_lower();
            });
        }
    });
    return result;
}

} // namespace purview
