#include "named_support.hpp"

#include <support/rounds.hpp>

#include <array>
#include <functional>
#include <random>
#include <vector>

namespace random_expressions_test {

namespace {

constexpr std::size_t kDims = 4;
using Assignment = std::array<pv::index_t, kDims>;

/// A tensor with dims, and what each element of it is, in the words of a loop.
struct Expression {
    pv::DimTensor<double> tensor;
    unsigned dims;
    std::function<double(const Assignment&)> value;
};

/// Random expressions over four dims: leaves bound by all kinds of indexes, arithmetic, masks, reductions.
class Grammar {
public:
    explicit Grammar(unsigned seed) : random_(seed), sized_first_(below(2) == 0) {
        for (std::size_t d = 0; d < kDims; ++d) sizes_[d] = 1 + static_cast<pv::index_t>(below(4));
        if (sized_first_) set_sizes();
    }

    Expression expression(int depth) {
        if (depth == 0) return leaf();
        switch (below(6)) {
        case 0: return reduced(expression(depth - 1));
        case 1: return masked(expression(depth - 1), expression(depth - 1));
        case 2: return contracted(depth);
        default: return combined(expression(depth - 1), expression(depth - 1));
        }
    }

    /// Whether all elements are what the loops say, in a random order of the dims.
    bool agrees(const Expression& e) {
        set_sizes();
        std::vector<std::size_t> order;
        for (std::size_t d = 0; d < kDims; ++d)
            if ((e.dims >> d & 1u) != 0) order.push_back(d);
        std::shuffle(order.begin(), order.end(), random_);
        const pv::Tensor<double> ordered = in_order(e.tensor, order);
        pv::index_t at = 0;
        return check(ordered, e, order, {}, 0, at) && at == ordered.size();
    }

private:
    std::size_t below(std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
    }
    void set_sizes() {
        for (std::size_t d = 0; d < kDims; ++d) dims_[d].set_size(sizes_[d]);
    }

    static pv::Tensor<double> in_order(pv::DimTensor<double> t, std::vector<std::size_t> order,
                                       const std::array<pv::Dim, kDims>& dims) {
        // Dims go to the left one by one: the last one first.
        for (std::size_t i = order.size(); i-- > 0;) t = t | pv::order(dims[order[i]]);
        return t;
    }
    pv::Tensor<double> in_order(const pv::DimTensor<double>& t,
                                const std::vector<std::size_t>& order) const {
        return in_order(t, order, dims_);
    }

    bool check(const pv::Tensor<double>& t, const Expression& e,
               const std::vector<std::size_t>& order, Assignment assignment, std::size_t depth,
               pv::index_t& at) {
        if (depth == order.size()) return t.read(at++) == e.value(assignment);
        bool same = true;
        const std::size_t d = order[depth];
        for (assignment[d] = 0; assignment[d] < sizes_[d]; ++assignment[d])
            same = check(t, e, order, assignment, depth + 1, at) && same;
        return same;
    }

    /// An axis, how it is indexed, and which of its elements that is.
    struct Axis {
        pv::index_t extent;
        pv::DimIndex index;
        unsigned dims;
        std::function<pv::index_t(const Assignment&)> position;
    };
    Axis axis() {
        const std::size_t d = below(kDims);
        const pv::index_t size = sizes_[d];
        const unsigned bit = 1u << d;
        switch (below(8)) {
        case 6: return computed_axis(d, below(kDims));
        case 0: {
            const auto shift = static_cast<pv::index_t>(below(3));
            return {size + shift, dims_[d] + shift, bit,
                    [=](const Assignment& at) { return at[d] + shift; }};
        }
        case 1:
            return {size, size - 1 - dims_[d], bit,
                    [=](const Assignment& at) { return size - 1 - at[d]; }};
        case 2:
            return {size, dims_[d] - 1, bit,
                    [=](const Assignment& at) { return (at[d] + size - 1) % size; }};
        case 3: {
            const std::size_t e = below(kDims);
            return {2 * size + sizes_[e], 2 * dims_[d] + dims_[e], bit | 1u << e,
                    [=](const Assignment& at) { return 2 * at[d] + at[e]; }};
        }
        default: return {size, dims_[d], bit, [=](const Assignment& at) { return at[d]; }};
        }
    }

    /// Read at indexes that lie in a matrix over two dims, or on the diagonal of one.
    Axis computed_axis(std::size_t d, std::size_t e) {
        const auto extent = 1 + static_cast<pv::index_t>(below(6));
        const pv::index_t rows = sizes_[d];
        const pv::index_t columns = sizes_[e];
        std::vector<std::int32_t> table;
        for (pv::index_t n = rows * columns; n > 0; --n)
            table.push_back(static_cast<std::int32_t>(
                static_cast<pv::index_t>(below(static_cast<std::size_t>(2 * extent))) - extent));
        const pv::DimTensor<std::int32_t> index =
            pv::tensor(std::vector<std::int32_t>(table), {rows, columns})(dims_[d], dims_[e]);
        return {extent, index.bound(), 1u << d | 1u << e, [=](const Assignment& at) {
                    const pv::index_t value =
                        table[static_cast<std::size_t>(at[d] * columns + at[e])];
                    return value < 0 ? value + extent : value;
                }};
    }

    Expression leaf() {
        std::vector<Axis> axes;
        pv::Shape shape;
        std::vector<pv::DimIndex> indexes;
        unsigned dims = 0;
        for (std::size_t n = 1 + below(3); n > 0; --n) {
            axes.push_back(axis());
            shape.push_back(axes.back().extent);
            indexes.push_back(axes.back().index);
            dims |= axes.back().dims;
        }
        pv::Tensor<double> t = counted(shape) % 5.0 - 2.0;
        if (below(3) == 0) t = t | pv::rotate(pv::Shape(shape.size(), 1));
        return {
            pv::DimTensor<double>(pv::index_with_dims(pv::DimOperand(t.operand(), {}), indexes)),
            dims, [axes, values = pv::to_vector(t)](const Assignment& at) {
                pv::index_t position = 0;
                for (const Axis& each : axes) position = position * each.extent + each.position(at);
                return values[static_cast<std::size_t>(position)];
            }};
    }

    Expression combined(Expression x, Expression y) {
        const unsigned dims = x.dims | y.dims;
        switch (below(4)) {
        case 0:
            return {x.tensor + y.tensor, dims,
                    [=](const Assignment& at) { return x.value(at) + y.value(at); }};
        case 1:
            return {x.tensor * y.tensor, dims,
                    [=](const Assignment& at) { return x.value(at) * y.value(at); }};
        case 2:
            return {pv::maximum(x.tensor, -y.tensor), dims,
                    [=](const Assignment& at) { return std::max(x.value(at), -y.value(at)); }};
        default: {
            const std::size_t d = below(kDims);
            return {x.tensor - dims_[d] * 3, x.dims | 1u << d, [=](const Assignment& at) {
                        return x.value(at) - static_cast<double>(3 * at[d]);
                    }};
        }
        }
    }

    Expression masked(Expression x, Expression y) {
        const std::size_t d = below(kDims);
        const std::size_t e = below(kDims);
        return {pv::where(dims_[d] <= dims_[e] + 1, x.tensor, y.tensor),
                x.dims | y.dims | 1u << d | 1u << e, [=](const Assignment& at) {
                    return at[d] <= at[e] + 1 ? x.value(at) : y.value(at);
                }};
    }

    Expression reduced(const Expression& x) {
        if (x.dims == 0) return x;
        set_sizes();
        std::size_t d = below(kDims);
        while ((x.dims >> d & 1u) == 0) d = below(kDims);
        const pv::index_t size = sizes_[d];
        const bool greatest = below(3) == 0;
        return {greatest ? x.tensor | pv::max(dims_[d]) : x.tensor | pv::sum(dims_[d]),
                x.dims & ~(1u << d), [=](Assignment at) {
                    at[d] = 0;
                    double result = x.value(at);
                    for (at[d] = 1; at[d] < size; ++at[d])
                        result = greatest ? std::max(result, x.value(at)) : result + x.value(at);
                    return result;
                }};
    }

    /// A sum of products, which is to become a call of BLAS where it can.
    Expression contracted(int depth) {
        const Expression x = expression(depth - 1);
        const Expression y = expression(depth - 1);
        return reduced({x.tensor * y.tensor, x.dims | y.dims,
                        [=](const Assignment& at) { return x.value(at) * y.value(at); }});
    }

    std::mt19937 random_;
    bool sized_first_;
    std::array<pv::Dim, kDims> dims_{pv::Dim("i"), pv::Dim("j"), pv::Dim("k"), pv::Dim("l")};
    std::array<pv::index_t, kDims> sizes_{};
};

} // namespace

TEST_CASE("every expression equals its loops") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed) {
        Grammar grammar(seed);
        const Expression e = grammar.expression(static_cast<int>(seed % 4));
        INFO("seed " << seed);
        CHECK(grammar.agrees(e));
    }
}

} // namespace random_expressions_test
