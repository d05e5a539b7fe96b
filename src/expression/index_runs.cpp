#include "expression/index_runs.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include "expression/comparisons.hpp"

#include <algorithm>
#include <span>

namespace purview::inline v0_1 {
namespace {

constexpr std::size_t kMostRuns = 16;
constexpr int kMostNodes = 32;
/// Numbers stay below this, so that no sum or difference of two overflows.
constexpr index_t kMost = index_t{1} << 60;

__extension__ typedef __int128 Wide;

constexpr Progression constant(index_t value) { return {value, 0}; }
bool is_constant(Progression line) { return line.step == 0; }
Progression negated(Progression x) { return {-x.first, -x.step}; }
Progression added(Progression x, Progression y) { return {x.first + y.first, x.step + y.step}; }
Progression difference(Progression x, Progression y) { return added(x, negated(y)); }

index_t divide_up(index_t x, index_t y) { return x / y + (x % y > 0 ? 1 : 0); } // y > 0

class RunFinder {
public:
    explicit RunFinder(index_t count) : count_(count) {}

    std::optional<IndexRuns> find(const Operand& line) {
        const DType dtype = line.dtype();
        if (--nodes_ < 0 || (dtype != int64 && dtype != boolean) || !line.dims.is_strided())
            return {};
        const Node& node = *line.node;
        if (const auto* const number = node_as<Constant>(node))
            return in_one_run(constant(dtype == int64
                                           ? *static_cast<const index_t*>(number->value())
                                           : *static_cast<const bool*>(number->value())));
        if (const auto* const operation = node_as<Elementwise>(node))
            return of_operation(*operation, line.dims);
        const std::optional<Progression> all = progression_of(node);
        if (!all) return {};
        Wide first = line.dims.base();
        const index_t step = line.dims.strides()[0];
        first = first * all->step + all->first;
        const Wide by = static_cast<Wide>(step) * all->step;
        if (first < -kMost || first > kMost || by < -kMost || by > kMost) return {};
        return in_one_run({static_cast<index_t>(first), static_cast<index_t>(by)});
    }

private:
    using Lines = std::span<const Progression>;

    /// Places at which an operation is computed of one progression for each operand.
    struct Part {
        index_t begin;
        index_t end;
        Lines x;
    };

    std::optional<IndexRuns> in_one_run(Progression line) const {
        IndexRuns runs;
        if (!add(runs, count_, line)) return {};
        return runs;
    }

    /// False if the numbers are too large, or the runs too many.
    bool add(IndexRuns& runs, index_t end, Progression line) const {
        if (count_ == 1) line = constant(read_at(line, 0));
        const Wide reach = static_cast<Wide>(line.step) * count_;
        if (line.first < -kMost || line.first > kMost || reach < -kMost || reach > kMost)
            return false;
        const bool goes_on = !runs.empty() && runs.back().line.first == line.first &&
                             runs.back().line.step == line.step;
        if (goes_on)
            runs.back().end = end;
        else
            runs.push_back({end, line});
        return runs.size() <= kMostRuns;
    }

    std::optional<IndexRuns> of_operation(const Elementwise& operation, const Dimensions& view) {
        boost::container::small_vector<IndexRuns, 3> operands;
        for (std::size_t i = 0; i < operation.inputs().size(); ++i) {
            Operand operand = operation.operand(i);
            const bool same = operand.node->kind() == NodeKind::constant;
            if (!same) operand.dims = dimensions::compose(view, operand.dims);
            std::optional<IndexRuns> runs = find(operand);
            if (!runs) return {};
            operands.push_back(*std::move(runs));
        }
        const DType computed_in = operation.inputs().back().node->dtype();
        IndexRuns result;
        boost::container::small_vector<std::size_t, 3> run(operands.size(), 0);
        boost::container::small_vector<Progression, 3> lines(operands.size());
        for (index_t begin = 0; begin < count_;) {
            index_t end = count_;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                while (operands[i][run[i]].end <= begin) ++run[i];
                lines[i] = operands[i][run[i]].line;
                end = std::min(end, operands[i][run[i]].end);
            }
            if (!apply(operation.op(), computed_in, {begin, end, Lines(lines.data(), lines.size())},
                       result))
                return {};
            begin = end;
        }
        return result;
    }

    /// Adds the results of an operation. False for those that do not make progressions.
    bool apply(Op op, DType computed_in, const Part& part, IndexRuns& out) const {
        const Lines x = part.x;
        const auto put = [&](Progression line) { return add(out, part.end, line); };
        if (op == Op::choose) return put(x[0].first != 0 ? x[1] : x[2]);
        if (computed_in == boolean) switch (op) {
            case Op::cast:
            case Op::wrapping_cast: return put(x[0]);
            case Op::logical_not:
            case Op::bit_not: return put(constant(x[0].first == 0));
            case Op::logical_and:
            case Op::bit_and: return put(constant(x[0].first & x[1].first));
            case Op::logical_or:
            case Op::bit_or: return put(constant(x[0].first | x[1].first));
            default: return false;
            }
        const auto by_sign_of = [&](Progression line, auto result_of_sign) {
            return divide_by_sign(part, line, [&](index_t end, int sign) {
                return add(out, end, result_of_sign(sign));
            });
        };
        if (is_comparison(op))
            return by_sign_of(difference(x[0], x[1]),
                              [&](int sign) { return constant(holds(op, sign)); });
        switch (op) {
        case Op::negative: return put(negated(x[0]));
        case Op::absolute:
            return by_sign_of(x[0], [&](int sign) { return sign < 0 ? negated(x[0]) : x[0]; });
        case Op::add: return put(added(x[0], x[1]));
        case Op::subtract: return put(difference(x[0], x[1]));
        case Op::multiply:
            return is_constant(x[0])
                       ? put_multiple(part, x[1], x[0].first, out)
                       : is_constant(x[1]) && put_multiple(part, x[0], x[1].first, out);
        case Op::remainder: return is_constant(x[1]) && put_remainder(part, x[1].first, out);
        case Op::minimum:
            return by_sign_of(difference(x[0], x[1]),
                              [&](int sign) { return sign < 0 ? x[0] : x[1]; });
        case Op::maximum:
            return by_sign_of(difference(x[0], x[1]),
                              [&](int sign) { return sign < 0 ? x[1] : x[0]; });
        default: return false;
        }
    }

    /// Calls `f(end, sign)` for the parts in which the numbers of a line have one sign.
    template <typename F>
    bool divide_by_sign(const Part& part, Progression line, F&& f) const {
        index_t begin = part.begin;
        const auto until = [&](index_t end) {
            end = std::clamp(end, begin, part.end);
            if (end == begin) return true;
            const index_t value = read_at(line, begin);
            begin = end;
            return f(end, (value > 0) - (value < 0));
        };
        // Of a line that rises, negative numbers come before 0, and all others behind it.
        const Progression rising = line.step < 0 ? negated(line) : line;
        if (rising.step > 0 && !(until(divide_up(-rising.first, rising.step)) &&
                                 until(divide_up(1 - rising.first, rising.step))))
            return false;
        return until(part.end);
    }

    bool put_multiple(const Part& part, Progression line, index_t factor, IndexRuns& out) const {
        const Wide first = static_cast<Wide>(line.first) * factor;
        const Wide step = static_cast<Wide>(line.step) * factor;
        if (first < -kMost || first > kMost || step < -kMost || step > kMost) return false;
        return add(out, part.end, {static_cast<index_t>(first), static_cast<index_t>(step)});
    }

    /// Of numbers that are not negative, which every kind of remainder takes to the same.
    bool put_remainder(const Part& part, index_t divisor, IndexRuns& out) const {
        const Progression line = part.x[0];
        if (divisor <= 0 || read_at(line, part.begin) < 0 || read_at(line, part.end - 1) < 0)
            return false;
        for (index_t begin = part.begin; begin < part.end;) {
            const index_t below = read_at(line, begin) / divisor * divisor;
            index_t end = part.end;
            if (line.step > 0)
                end = divide_up(below + divisor - line.first, line.step);
            else if (line.step < 0)
                end = divide_up(line.first - below + 1, -line.step);
            end = std::min(end, part.end);
            if (!add(out, end, {line.first - below, line.step})) return false;
            begin = end;
        }
        return true;
    }

    index_t count_;
    int nodes_ = kMostNodes;
};

} // namespace

std::optional<IndexRuns> index_runs(const Operand& line) {
    return RunFinder(line.dims.max_shape()[0]).find(line);
}

} // namespace purview
