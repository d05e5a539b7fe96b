#include "engine/entrance/scatter.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/replace.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/selecting/scatter.hpp"
#include "engine/threads/watch.hpp"

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::engine {
namespace {

const Leaf& target_of(const char* what, const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr) throw ReadOnlyError(fmt::format("{}: the destination is computed", what));
    if (leaf->writer() == nullptr)
        throw ReadOnlyError(fmt::format("{}: the destination can only be read", what));
    return *leaf;
}

void check_combines(const char* what, ScatterKind how, DType dtype) {
    if (how == ScatterKind::assign) return;
    const DType combined_as = how == ScatterKind::add ? dtype : dtype.counted_in();
    if (!combined_as.is_builtin() || (how == ScatterKind::add && dtype == boolean))
        throw DtypeError(fmt::format("{}: elements of type {} are not {}", what, dtype.name(),
                                     how == ScatterKind::add ? "added" : "compared"));
}

/// The elements of the destination combined with the values.
Operand combined_operand(ScatterKind how, const Operand& source, const Operand& destination) {
    const DType dtype = source.dtype();
    const bool least = how == ScatterKind::least;
    const Op op = how == ScatterKind::add ? Op::add
                  : dtype == boolean      ? (least ? Op::logical_and : Op::logical_or)
                  : least                 ? Op::minimum
                                          : Op::maximum;
    return binary_operand(op, destination, source, dtype, dtype);
}

/// The destination as a gather along all of its axes: where several coordinates have one address,
/// each of them is written, one after the other.
Operand with_every_coordinate(const char* what, const Operand& destination) {
    GatherAxes axes;
    for (index_t axis = 0; axis < destination.dims.rank(); ++axis)
        axes.push_back(GatherAxis::along(axis));
    const Shape shape = to_shape(destination.dims.max_shape());
    return gather_operand(what, destination, std::move(axes), {}, shape);
}

} // namespace

void check_scatter(const char* what, ScatterKind how, const Operand& destination) {
    check_combines(what, how, destination.dtype());
    const Gather* const gather = gather_of(destination);
    target_of(what, gather == nullptr ? destination : gather->source());
}

void scatter_on_cpu(const char* what, ScatterKind how, const Operand& source,
                    const Operand& destination) {
    if (const Gather* const gather = gather_of(destination); gather != nullptr) {
        const Unwatched written_in_place;
        return scatter_to_gather(how, source, *gather, destination.dims);
    }
    const bool of_counts = how != ScatterKind::assign && !destination.dtype().is_builtin();
    if (of_counts || !destination.dims.is_unique())
        return scatter_on_cpu(what, how, source, with_every_coordinate(what, destination));
    replace_elements(how == ScatterKind::assign ? source
                                                : combined_operand(how, source, destination),
                     destination);
}

} // namespace purview::engine
