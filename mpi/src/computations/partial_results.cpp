#include "computations/partial_results.hpp"

#include "functional/reductions/typed_memory.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/graph.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace purview::inline v0_1::mpi {
namespace {

template <typename T>
T joined(Reduction reduction, T left, T right) {
    if constexpr (std::is_same_v<T, bool>) {
        const bool is_any = reduction == Reduction::any_of || reduction == Reduction::maximum ||
                            reduction == Reduction::sum;
        return is_any ? left || right : left && right;
    } else {
        switch (reduction) {
        case Reduction::sum: return static_cast<T>(left + right);
        case Reduction::product: return static_cast<T>(left * right);
        case Reduction::minimum: return left != left || left <= right ? left : right; // NaN wins
        default: return left != left || left >= right ? left : right;
        }
    }
}

void join_elements(Reduction reduction, DType dtype, std::byte* left, const std::byte* right,
                   index_t count) {
    visit_dtype(dtype, "join", [&]<typename T>(std::type_identity<T>) {
        T* const to = reinterpret_cast<T*>(left);
        const T* const from = reinterpret_cast<const T*>(right);
        for (index_t i = 0; i < count; ++i) to[i] = joined(reduction, to[i], from[i]);
    });
}

constexpr std::size_t kAlignment = alignof(std::max_align_t);

} // namespace

NodePtr PartialResults::add(Reduction reduction, const Operand& results) {
    left_.push_back({reduction, results});
    return results.node;
}

void PartialResults::join_for(const Operand& e) {
    if (left_.empty()) return;
    for (const Node* const node : nodes_below({&e, 1}))
        if (std::ranges::any_of(left_,
                                [&](const Partial& p) { return p.results.node.get() == node; }))
            return join();
}

void PartialResults::join() {
    if (left_.empty()) return;
    const ExitNotice exit_notice(ranks_, what_);
    std::vector<std::size_t> begins, sizes;
    std::size_t end = 0;
    for (const Partial& partial : left_) {
        begins.push_back(end);
        sizes.push_back(static_cast<std::size_t>(partial.results.dims.size() *
                                                 partial.results.dtype().size_bytes()));
        end = (end + sizes.back() + kAlignment - 1) / kAlignment * kAlignment;
    }
    std::vector<std::byte> bytes(end);
    for (std::size_t i = 0; i < left_.size(); ++i)
        std::memcpy(bytes.data() + begins[i], memory_of(left_[i].results), sizes[i]);
    ranks_.join(what_, ranks_.all(), bytes, Carries::elements,
                [&](std::byte* left, const std::byte* right) {
                    for (std::size_t i = 0; i < left_.size(); ++i)
                        join_elements(left_[i].reduction, left_[i].results.dtype(),
                                      left + begins[i], right + begins[i],
                                      left_[i].results.dims.size());
                });
    for (std::size_t i = 0; i < left_.size(); ++i)
        std::memcpy(memory_of(left_[i].results), bytes.data() + begins[i], sizes[i]);
    left_.clear();
}

Operand neutral_constant(Reduction reduction, DType dtype, ShapeSpan shape) {
    return visit_dtype(dtype, "join", [&]<typename T>(std::type_identity<T>) {
        using Limits = std::numeric_limits<T>;
        switch (reduction) {
        case Reduction::sum:
        case Reduction::any_of: return constant_operand(T{}, shape);
        case Reduction::product:
        case Reduction::all_of: return constant_operand(static_cast<T>(1), shape);
        case Reduction::minimum:
            return constant_operand(Limits::has_infinity ? Limits::infinity() : Limits::max(),
                                    shape);
        case Reduction::maximum:
            return constant_operand(
                static_cast<T>(Limits::has_infinity ? -Limits::infinity() : Limits::lowest()),
                shape);
        }
        __builtin_unreachable();
    });
}

} // namespace purview
