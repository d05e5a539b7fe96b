#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/expanding_window.hpp>
#include <purview/functional/variable_window.hpp>
#include <purview/reader/buffer.hpp>

#include <fmt/format.h>

#include <memory>

namespace purview {
namespace {

template <typename T>
T joined(Reduction reduction, T a, T b) {
    if constexpr (std::same_as<T, bool>) {
        return reduction == Reduction::minimum ? a && b : a || b;
    } else if constexpr (std::floating_point<T>) {
        switch (reduction) {
        case Reduction::sum: return a + b;
        case Reduction::product: return a * b;
        case Reduction::minimum: return b < a || b != b ? b : a;
        default: return a < b || b != b ? b : a;
        }
    } else {
        using U = std::uint64_t;
        switch (reduction) {
        case Reduction::sum: return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
        case Reduction::product: return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
        case Reduction::minimum: return b < a ? b : a;
        default: return a < b ? b : a;
        }
    }
}

/// The fold of a queue: two stacks, of which one holds the folds of what is left of it.
template <typename T>
class FoldedQueue {
public:
    FoldedQueue(Reduction reduction, const T* elements, index_t length)
        : reduction_(reduction),
          elements_(elements),
          front_(new T[static_cast<std::size_t>(length)]) {}

    /// Neither end may be less than the last time; not empty.
    T fold(index_t begin, index_t end) {
        for (; end_ < end; ++end_)
            back_ = end_ == turn_ ? elements_[end_] : joined(reduction_, back_, elements_[end_]);
        if (begin >= turn_) turn(begin);
        const T front = front_.get()[begin];
        return turn_ < end_ ? joined(reduction_, front, back_) : front;
    }

private:
    /// All elements from `begin` on become the front.
    void turn(index_t begin) {
        turn_ = end_;
        T folded = elements_[end_ - 1];
        for (index_t i = end_ - 1; i >= begin; --i) {
            if (i < end_ - 1) folded = joined(reduction_, elements_[i], folded);
            front_.get()[i] = folded;
        }
    }

    Reduction reduction_;
    const T* elements_;
    std::unique_ptr<T[]> front_; ///< of the elements from each one up to `turn_`
    T back_{};                   ///< of those from there
    index_t turn_ = 0;
    index_t end_ = 0;
};

} // namespace

void throw_keys_unsorted(index_t index) {
    throw Error(fmt::format(
        "variable_rolling_window: the keys have to ascend, and do not at index {}", index));
}

void require_keys(index_t keys, index_t length) {
    if (keys != length)
        throw ShapeError(fmt::format(
            "variable_rolling_window: {} keys are given for an axis of size {}", keys, length));
}

void throw_empty_width() {
    throw Error("variable_rolling_window: the width of the windows has to be greater than zero");
}

Operand folded_windows(Reduction reduction, const AxisParts& parts, const VariableWindows& windows,
                       DType dtype, bool averages) {
    const Evaluation source(cast_operand(parts.operand, dtype, Op::cast),
                            Reads::within_one_operation);
    return visit_dtype(dtype, "variable_rolling_window", [&]<typename T>(std::type_identity<T>) {
        MutableTensor<T> result = empty<T>(parts.operand.dims.max_shape());
        if (result.empty()) return result.operand();
        const MutableTensor<T> lane = empty<T>({parts.length});
        T* const elements = as_span(lane).data();
        T* out = as_span(result).data();
        for (index_t group = 0; group < parts.groups; ++group) {
            source.read(group * parts.length, parts.length, elements);
            FoldedQueue<T> queue(reduction, elements, parts.length);
            for (std::size_t i = 0; i < windows.begin.size(); ++i) {
                *out = queue.fold(windows.begin[i], windows.end[i]);
                if constexpr (std::floating_point<T>)
                    if (averages) *out /= static_cast<T>(windows.end[i] - windows.begin[i]);
                ++out;
            }
        }
        return result.operand();
    });
}

Operand cumulative_means(const AxisParts& parts, DType dtype) {
    const Operand sums = scanned_parts(Reduction::sum, parts, dtype);
    const auto divide = [&]<typename R>(std::type_identity<R>) {
        const MutableTensor<R> means(sums);
        if (means.empty()) return;
        R* out = as_span(means).data();
        for (index_t group = 0; group < parts.groups; ++group)
            for (index_t i = 1; i <= parts.length; ++i) *out++ /= static_cast<R>(i);
    };
    if (dtype == float32)
        divide(std::type_identity<float>{});
    else
        divide(std::type_identity<double>{});
    return sums;
}

} // namespace purview
