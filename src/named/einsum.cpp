#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/named/einsum.hpp>
#include <purview/named/order.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace purview::inline v0_1 {
namespace {

/// The letters of one operand, or of the result, and the position of `...` among them.
struct Term {
    std::string letters;
    std::optional<std::size_t> ellipsis;
};

/// A parsed formula: `bqhf,bkhf->bhqk`.
struct Formula {
    std::vector<Term> inputs;
    std::optional<Term> output;
};

class FormulaParser {
public:
    explicit FormulaParser(std::string_view text) : text_(text) {}

    Formula parse() {
        Formula formula;
        Term term;
        bool in_output = false;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == ' ') continue;
            if (c == ',' && !in_output) {
                formula.inputs.push_back(std::exchange(term, {}));
            } else if (c == '-' && !in_output && text_.substr(at_, 2) == "->") {
                formula.inputs.push_back(std::exchange(term, {}));
                in_output = true;
                ++at_;
            } else if (c == '.' && !term.ellipsis && text_.substr(at_, 3) == "...") {
                term.ellipsis = term.letters.size();
                at_ += 2;
            } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
                term.letters += c;
            } else {
                throw FormatError(fmt::format("einsum: '{}' is not expected at position {} of '{}'",
                                              c, at_, text_));
            }
        }
        if (in_output)
            formula.output = std::move(term);
        else
            formula.inputs.push_back(std::move(term));
        return formula;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

/// The letters of a formula as dims, and the operands bound to them.
class Letters {
public:
    Letters(const Formula& formula, const std::vector<DimOperand>& operands) {
        for (std::size_t n = 0; n < operands.size(); ++n) check(formula.inputs[n], operands[n], n);
        for (std::size_t n = 0; n < operands.size(); ++n) {
            std::vector<DimIndex> indexes;
            const Term& term = formula.inputs[n];
            for (std::size_t at = 0; at <= term.letters.size(); ++at) {
                if (term.ellipsis == at) indexes.emplace_back(TensorIndex(ellipsis));
                if (at < term.letters.size()) indexes.emplace_back(dim(term.letters[at]));
            }
            bound_.push_back(index_with_dims(operands[n], indexes, {}, "einsum"));
        }
    }

    bool has(char letter) const { return find(letter) != nullptr; }
    const Dim& dim(char letter) const { return find(letter)->dim; }
    const std::string& all() const noexcept { return order_; }
    std::vector<DimOperand>& bound() noexcept { return bound_; }

private:
    struct Entry {
        char letter;
        Dim dim;
        std::size_t operand; // the operand that gave the size
    };

    const Entry* find(char letter) const {
        for (const Entry& entry : entries_)
            if (entry.letter == letter) return &entry;
        return nullptr;
    }

    void check(const Term& term, const DimOperand& x, std::size_t operand) {
        const ShapeSpan shape = x.operand.dims.max_shape().subspan(x.dims.size());
        const std::size_t named = term.letters.size();
        if (term.ellipsis ? named > shape.size() : named != shape.size())
            throw ShapeError(fmt::format(
                "einsum: operand {} has shape {}, and the formula names {} of its axes: '{}'",
                operand, to_string(shape), named, term.letters));
        const std::size_t left_over = shape.size() - named;
        for (std::size_t at = 0; at < named; ++at) {
            const std::size_t axis = term.ellipsis && at >= *term.ellipsis ? at + left_over : at;
            const char letter = term.letters[at];
            const index_t size = shape[axis];
            if (const Entry* const known = find(letter)) {
                if (known->dim.size() != size)
                    throw DimError(fmt::format(
                        "einsum: '{}' has size {} in operand {} and size {} in operand {}", letter,
                        known->dim.size(), known->operand, size, operand));
            } else {
                entries_.push_back({letter, Dim(std::string_view(&letter, 1), size), operand});
                order_ += letter;
            }
        }
    }

    std::vector<Entry> entries_;
    std::string order_;
    std::vector<DimOperand> bound_;
};

/// The result of a formula without `->`: the axes of `...`, then the letters that occur once.
Term implied_output(const Formula& formula) {
    std::string every;
    Term output;
    for (const Term& input : formula.inputs) {
        every += input.letters;
        if (input.ellipsis) output.ellipsis = 0;
    }
    for (const char letter : every)
        if (std::ranges::count(every, letter) == 1) output.letters += letter;
    std::ranges::sort(output.letters);
    return output;
}

void check_output(const Term& output, const Letters& letters, bool any_ellipsis) {
    for (const char letter : output.letters) {
        if (!letters.has(letter))
            throw DimError(
                fmt::format("einsum: the result has '{}', and no operand has it", letter));
        if (std::ranges::count(output.letters, letter) > 1)
            throw DimError(fmt::format("einsum: the result has '{}' twice", letter));
    }
    if (any_ellipsis && !output.ellipsis)
        throw DimError("einsum: an operand has '...', and the result has not");
}

/// The lazy product of all operands, over the union of their dims.
DimOperand product_of(const std::vector<DimOperand>& operands, DType dtype) {
    std::vector<const DimOperand*> pointers;
    for (const DimOperand& operand : operands) pointers.push_back(&operand);
    std::vector<Operand> aligned(operands.size());
    DimVector dims = align_dims(pointers, aligned);
    Operand product = std::move(aligned[0]);
    for (std::size_t n = 1; n < aligned.size(); ++n)
        product =
            binary_operand(Op::multiply, std::move(product), std::move(aligned[n]), dtype, dtype);
    return {cast_operand(std::move(product), dtype, Op::cast), std::move(dims)};
}

/// The sum over all axes except the first ones, which have the shape `kept`.
Operand summed(const Operand& x, ShapeSpan kept) {
    const Dimensions dims = Dimensions::row_major(kept);
    if (x.node->reads(Below::symbol)) return reduce_operand(Reduction::sum, x, dims.size(), kept);
    if (is_sparse(x) && x.dims.size() > 0)
        return visit_dtype(x.dtype(), "einsum", [&]<typename R>(std::type_identity<R>) {
            return over<R>(std::static_pointer_cast<SparseBuffer<R>>(
                               reduce_sparse(Reduction::sum, x, dims.size())),
                           dims)
                .operand();
        });
    Operand results = results_like("einsum", x, x.dtype(), kept);
    reduce_groups(Reduction::sum, x, dims.size(), results);
    return results;
}

} // namespace

DimOperand einsum_operand(std::string_view text, std::vector<DimOperand> operands, DType result) {
    const Formula formula = FormulaParser(text).parse();
    if (formula.inputs.size() != operands.size())
        throw ShapeError(fmt::format("einsum: '{}' is of {} operands, and {} are given", text,
                                     formula.inputs.size(), operands.size()));
    for (DimOperand& operand : operands) operand = settled(operand);
    Letters letters(formula, operands);
    const bool any_ellipsis = std::ranges::any_of(
        formula.inputs, [](const Term& input) { return input.ellipsis.has_value(); });
    const Term output = formula.output ? *formula.output : implied_output(formula);
    check_output(output, letters, any_ellipsis);

    const DimOperand product = product_of(letters.bound(), result);
    const index_t left_over = rank_of(product);
    std::vector<OrderedAxis> axes;
    const auto place_left_over = [&] {
        for (index_t axis = 0; axis < left_over; ++axis) axes.emplace_back(axis);
    };
    for (std::size_t at = 0; at <= output.letters.size(); ++at) {
        if (output.ellipsis == at) place_left_over();
        if (at < output.letters.size()) axes.emplace_back(letters.dim(output.letters[at]));
    }
    const std::size_t kept = axes.size();
    for (const char letter : letters.all())
        if (output.letters.find(letter) == std::string::npos)
            axes.emplace_back(letters.dim(letter));
    DimOperand ordered = order_dims(product, std::span<const OrderedAxis>(axes));
    if (axes.size() > kept)
        ordered.operand = summed(
            ordered.operand, ordered.operand.dims.max_shape().first(ordered.dims.size() + kept));
    return ordered;
}

DType einsum_dtype(const std::vector<DType>& dtypes) {
    DType common = dtypes[0];
    for (const DType dtype : dtypes) common = promote(common, dtype, "einsum");
    return visit_dtype(common, "einsum", []<typename T>(std::type_identity<T>) -> DType {
        return kDType<Accumulated<T>>;
    });
}

} // namespace purview
