#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>
#include <purview/functional/statistics/as_of.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/tensor/as_span.hpp>

#include "dtype/element_block.hpp"
#include "dtype/known_times.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

namespace purview::inline v0_1 {
namespace {

constexpr std::uint64_t kFarthestKeys = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product_at_most(std::uint64_t a, std::uint64_t b) {
    return a != 0 && b > kFarthestKeys / a ? kFarthestKeys : a * b;
}

/// An element as a stream prints it.
std::string printed_element(const Operand& x, index_t row) {
    ElementBlock element(x.dtype(), 1);
    Evaluation(x, Reads::within_one_operation).read(row, 1, element.data());
    std::ostringstream out;
    x.dtype().descriptor().print(out, element.data());
    return std::move(out).str();
}

template <typename T>
bool is_nan_key(T key) {
    if constexpr (std::floating_point<T>) return key != key;
    return false;
}

bool is_time_type(DType dtype) { return dtype.counted_in() != dtype; }

/// The keys of one side: as numbers in memory, and as they were given for messages.
template <typename T>
struct SideOfKeys {
    const char* name;
    const Operand& given;
    std::span<const T> keys;

    void check() const {
        const bool has_nat = is_time_type(given.dtype());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto row = static_cast<index_t>(i);
            if (is_nan_key(keys[i]) || (has_nat && keys[i] == std::numeric_limits<T>::lowest()))
                throw Error(
                    fmt::format("as_of: the {} key of row {} is {}, which is neither before "
                                "nor after another one",
                                name, row, printed_element(given, row)));
            if (i > 0 && keys[i] < keys[i - 1])
                throw Error(fmt::format(
                    "as_of: the {} keys have to ascend, and row {} has {} behind {}", name, row,
                    printed_element(given, row), printed_element(given, row - 1)));
        }
    }
};

/// The group of each row, and how many there are.
struct NumberedSides {
    Tensor<std::int64_t> numbers = zeros<std::int64_t>(
        {0}); ///< of the rows on the left, then of those on the right; empty: all rows are one group
    index_t groups = 1;
};

void check_by(const char* name, const std::vector<AnyTensor>& columns, const Operand& keys) {
    for (const AnyTensor& column : columns)
        if (column.rank() != 1 || column.size() != keys.dims.size())
            throw ShapeError(
                fmt::format("as_of: a column of {} has the shape {}, and the keys have "
                            "{}",
                            name, to_string(column.shape()), to_string(keys.dims.max_shape())));
}

NumberedSides numbered_sides(const Operand& left, const Operand& right,
                             const AsOfOptions& options) {
    if (options.left_by.size() != options.right_by.size())
        throw ShapeError(fmt::format("as_of: left_by has {} columns, and right_by {}",
                                     options.left_by.size(), options.right_by.size()));
    check_by("left_by", options.left_by, left);
    check_by("right_by", options.right_by, right);
    if (options.left_by.empty()) return {};
    std::vector<KeyedRows> columns;
    for (std::size_t c = 0; c < options.left_by.size(); ++c) {
        const AnyTensor both = joined_any(
            Joining::concat, {options.left_by[c].operand(), options.right_by[c].operand()}, 0);
        columns.push_back(keyed_rows(clone(both).operand(), false));
    }
    const RowGroups groups = rows_by_all(columns, false);
    return {Tensor<std::int64_t>(groups.numbers()), groups.size()};
}

/// Whether keys are near enough, and which of two is nearer.
template <typename T>
class Distances {
public:
    explicit Distances(const AsOfOptions& options, DType keys) {
        if (!options.tolerance) return;
        const AsOfTolerance& tolerance = *options.tolerance;
        if (tolerance.is_duration() != is_time_type(keys))
            throw Error(fmt::format("as_of: the tolerance is a {}, and the keys are {}",
                                    tolerance.is_duration() ? "duration" : "number", keys.name()));
        std::int64_t numerator = is_time_type(keys) ? 0 : 1;
        std::int64_t denominator = 1;
        for_each_time([&]<typename Time>(std::type_identity<Time>) {
            if (keys != kDType<Time>) return;
            numerator = kTick<Time>.numerator;
            denominator = kTick<Time>.denominator;
        });
        if (numerator == 0) throw_dtype_unsupported("as_of with a tolerance", keys);
        if constexpr (std::floating_point<T>)
            farthest_ = tolerance.value();
        else
            farthest_ = tolerance.in_units(numerator, denominator);
        limited_ = true;
    }

    using Distance = std::conditional_t<std::floating_point<T>, double, std::uint64_t>;
    /// Of a key that is not before another one.
    static Distance between(T from, T to) {
        if constexpr (std::floating_point<T>) // infinities are 0 apart
            return from == to ? 0. : static_cast<double>(to) - static_cast<double>(from);
        else
            return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    }
    bool allow(T from, T to) const { return !limited_ || between(from, to) <= farthest_; }

private:
    bool limited_ = false;
    Distance farthest_ = 0;
};

/// The rows on the right that the keys on the left match.
template <typename T>
class Matching {
public:
    Matching(std::span<const T> left, std::span<const T> right, const NumberedSides& groups,
             bool exact, const Distances<T>& distances)
        : left_(left),
          right_(right),
          numbers_(as_span(groups.numbers)),
          groups_(groups.groups),
          exact_(exact),
          distances_(distances) {}

    void backward(std::int64_t* out) const {
        std::vector<std::int64_t> last(static_cast<std::size_t>(groups_), -1);
        std::size_t r = 0;
        for (std::size_t l = 0; l < left_.size(); ++l) {
            while (r < right_.size() && (exact_ ? right_[r] <= left_[l] : right_[r] < left_[l])) {
                last[group(left_.size() + r)] = static_cast<std::int64_t>(r);
                ++r;
            }
            const std::int64_t row = last[group(l)];
            out[l] = row >= 0 && distances_.allow(right(row), left_[l]) ? row : -1;
        }
    }
    void forward(std::int64_t* out) const {
        std::vector<std::int64_t> next(static_cast<std::size_t>(groups_), -1);
        std::size_t behind = right_.size();
        for (std::size_t l = left_.size(); l-- > 0;) {
            while (behind > 0 &&
                   (exact_ ? left_[l] <= right_[behind - 1] : left_[l] < right_[behind - 1])) {
                --behind;
                next[group(left_.size() + behind)] = static_cast<std::int64_t>(behind);
            }
            const std::int64_t row = next[group(l)];
            out[l] = row >= 0 && distances_.allow(left_[l], right(row)) ? row : -1;
        }
    }
    void nearest(std::int64_t* out) const {
        std::vector<std::int64_t> later(left_.size());
        backward(out);
        forward(later.data());
        for (std::size_t l = 0; l < left_.size(); ++l)
            if (later[l] >= 0 && (out[l] < 0 || Distances<T>::between(left_[l], right(later[l])) <
                                                    Distances<T>::between(right(out[l]), left_[l])))
                out[l] = later[l];
    }

private:
    std::size_t group(std::size_t row) const {
        return numbers_.empty() ? 0 : static_cast<std::size_t>(numbers_[row]);
    }
    T right(std::int64_t row) const { return right_[static_cast<std::size_t>(row)]; }

    std::span<const T> left_;
    std::span<const T> right_;
    std::span<const std::int64_t> numbers_;
    index_t groups_;
    bool exact_;
    const Distances<T>& distances_;
};

} // namespace

AsOfTolerance::AsOfTolerance(double value, std::int64_t numerator, std::int64_t denominator)
    : value_(value), numerator_(numerator), denominator_(denominator) {
    if (!(value >= 0))
        throw Error(fmt::format("as_of: the tolerance is {}, and has to be at least 0", value));
}

std::uint64_t AsOfTolerance::in_units(std::int64_t numerator, std::int64_t denominator) const {
    const auto wide = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    const std::uint64_t own = is_duration() ? wide(numerator_) : 1;
    const std::uint64_t own_parts = is_duration() ? wide(denominator_) : 1;
    if (!count_) {
        const double units = value_ * static_cast<double>(own) / static_cast<double>(own_parts) *
                             static_cast<double>(denominator) / static_cast<double>(numerator);
        return units >= 0x1p64 ? kFarthestKeys : static_cast<std::uint64_t>(units);
    }
    // count · own / own_parts · denominator / numerator, shortened first
    const std::uint64_t a = std::gcd(own, wide(numerator));
    const std::uint64_t b = std::gcd(wide(denominator), own_parts);
    const std::uint64_t times = product_at_most(own / a, wide(denominator) / b);
    const std::uint64_t parts = product_at_most(own_parts / b, wide(numerator) / a);
    const std::uint64_t whole = product_at_most(*count_ / parts, times);
    const std::uint64_t rest = product_at_most(*count_ % parts, times) / parts;
    return whole > kFarthestKeys - rest ? kFarthestKeys : whole + rest;
}

MutableTensor<std::int64_t> as_of_rows(const Operand& left, const Operand& right,
                                       const AsOfOptions& options) {
    require_one_axis("as_of", AnyTensor(left));
    require_one_axis("as_of", AnyTensor(right));
    require_host_reads("as_of", left);
    require_host_reads("as_of", right);
    const auto counted = [](const Operand& x) { return widened_operand(times_as_counts(x)); };
    if ((is_time_type(left.dtype()) || is_time_type(right.dtype())) &&
        left.dtype() != right.dtype())
        throw DtypeError(
            fmt::format("as_of: the keys are {} on the left and {} on the right; times "
                        "have one type",
                        left.dtype().name(), right.dtype().name()));
    WeakOperand from{counted(left), false};
    WeakOperand to{counted(right), false};
    const DType compute = computed_dtype("as_of", from, to);
    const NumberedSides groups = numbered_sides(left, right, options);
    MutableTensor<std::int64_t> result = empty<std::int64_t>({left.dims.size()});
    std::int64_t* const out = as_span(result).data();
    visit_dtype(compute, "as_of", [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> left_keys = in_memory<T>("as_of", from.operand);
        const Tensor<T> right_keys = in_memory<T>("as_of", to.operand);
        SideOfKeys<T>{"left", left, as_span(left_keys)}.check();
        SideOfKeys<T>{"right", right, as_span(right_keys)}.check();
        const Distances<T> distances(options, left.dtype());
        const Matching<T> matching(as_span(left_keys), as_span(right_keys), groups,
                                   options.allow_exact_matches, distances);
        switch (options.direction) {
        case AsOf::backward: return matching.backward(out);
        case AsOf::forward: return matching.forward(out);
        case AsOf::nearest: return matching.nearest(out);
        }
    });
    return brought_to(left, result);
}

} // namespace purview
