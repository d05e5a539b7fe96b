#include <purview/base/checked.hpp>
#include <purview/named/dim_tensor.hpp>

#include <purview/tensor/description.hpp>
#include <purview/tensor/symbol.hpp>

#include "named/align.hpp"
#include "named/positional.hpp"

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

Shape AnyDimTensor::shape() const {
    const DimOperand x = settled();
    return to_shape(x.operand.dims.max_shape().subspan(x.dims.size()));
}

index_t AnyDimTensor::extent(index_t axis) const {
    return shape()[static_cast<std::size_t>(checked_axis(axis, rank(), "extent"))];
}

index_t AnyDimTensor::size() const {
    index_t size = 1;
    for (const index_t extent : shape()) size *= extent;
    return size;
}

Operand AnyDimTensor::operand() const {
    if (!bound_.dims.empty())
        throw DimError(fmt::format("the dims {} of this tensor are bound: call order first",
                                   to_string(bound_.dims)));
    return settled().operand;
}

TensorDescription AnyDimTensor::description() const { return AnyTensor(operand()).description(); }

DimOperand combine_operands(std::span<const DimOperand* const> operands,
                            const OperandFunction& function) {
    DimOperand result({}, joined_dims(operands));
    const int rank = largest_rank(operands);
    // Most operands fit as they are; `changed` has the others.
    boost::container::small_vector<const Operand*, 3> aligned;
    boost::container::small_vector<Operand, 3> changed;
    changed.reserve(operands.size());
    for (const DimOperand* const x : operands) {
        if (named::is_aligned(*x, result.dims, rank)) {
            aligned.push_back(&x->operand);
            continue;
        }
        changed.push_back({x->operand.node, named::aligned_dims(*x, result.dims, rank)});
        aligned.push_back(&changed.back());
    }
    const auto call = [&] {
        return function.call(function.function, {aligned.data(), aligned.size()});
    };
    try {
        result.operand = call();
    } catch (const ShapeError&) {
        changed.clear();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            changed.push_back(
                named::positional_stand_in(operands[i]->operand, operands[i]->dims.size()));
            aligned[i] = &changed.back();
        }
        static_cast<void>(call());
        throw;
    }
    return result;
}

namespace {

/// A function of operands that a deferred operation keeps.
class KeptFunction {
public:
    explicit KeptFunction(const OperandFunction& function)
        : function_(function), kept_(function.copy(function.function), function.destroy) {
        function_.function = kept_.get();
    }
    DimOperand operator()(std::span<DimOperand> settled) const {
        std::vector<const DimOperand*> operands;
        for (const DimOperand& x : settled) operands.push_back(&x);
        return combine_operands(operands, function_);
    }

private:
    OperandFunction function_;
    std::unique_ptr<const void, void (*)(const void*) noexcept> kept_;
};

} // namespace

DimOperand combine_or_defer(DType dtype, std::span<const DimOperand* const> operands,
                            const OperandFunction& function) {
    if (std::ranges::none_of(operands, [](const DimOperand* x) { return x->is_deferred(); }))
        return combine_operands(operands, function);
    std::vector<DimOperand> copies;
    for (const DimOperand* const x : operands) copies.push_back(*x);
    KeptFunction compute(function);
    if (settle_ready(copies)) return compute(copies);
    DimVector needs = needs_of(copies);
    return defer(dtype, joined_dims(operands), largest_rank(operands), std::move(copies),
                 std::move(needs), std::move(compute));
}

namespace {

class PlacesOverDims final : public TextPlaces {
public:
    explicit PlacesOverDims(const DimOperand& texts) : texts_(texts) {}
    std::string place_of(std::string_view text) const override {
        const DimOperand x = settled(texts_);
        std::vector<std::string> names;
        for (const Dim& dim : x.dims) names.push_back(dim.name());
        return place_of_text(x.operand, text, names);
    }

private:
    DimOperand texts_;
};

} // namespace

TextPlacesPtr places_in(const DimOperand& texts) {
    return std::make_shared<const PlacesOverDims>(texts);
}

std::ostream& operator<<(std::ostream& out, const AnyDimTensor& tensor) {
    const DimOperand x = tensor.settled();
    if (x.operand.node->reads(Below::symbol))
        out << AnySymbol(x.operand);
    else
        out << AnyTensor(x.operand);
    if (x.dims.empty()) return out;
    std::string dims;
    std::string sizes;
    for (int axis = 0; axis < x.operand.dims.rank(); ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        const std::string separator = axis > 0 ? ", " : "";
        dims += separator +
                (axis < x.dim_count() ? x.dims[at].name() : std::to_string(axis - x.dim_count()));
        sizes += separator + std::to_string(x.operand.dims.max_shape()[at]);
    }
    const char* const end = x.operand.dims.rank() == 1 ? ",)" : ")";
    return out << "\nwith dims=(" + dims + end + " sizes=(" + sizes + end;
}

std::ostream& operator<<(std::ostream& out, const AffineIndex& index) {
    for (const AffineIndex::Term& term : index.terms())
        if (!term.dim.has_size()) return out << to_string(index);
    return out << AnyDimTensor(dim_operand(index));
}

std::ostream& operator<<(std::ostream& out, const Dim& dim) { return out << AffineIndex(dim); }

} // namespace purview
