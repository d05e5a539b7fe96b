// Defines purview/evaluation/evaluate.hpp.
// The doors of the engine: each verb goes to the backend that the sources lie on.

#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/scatter.hpp>
#include <purview/evaluation/softmax.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/along/scan.hpp"
#include "engine/entrance/elsewhere.hpp"
#include "engine/entrance/fold_way.hpp"
#include "engine/entrance/scatter.hpp"
#include "engine/order/sort.hpp"
#include "engine/reduce/softmax.hpp"
#include "engine/sparse/assign.hpp"

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Whether the source or the results lie elsewhere. Cheap where they do not.
bool is_elsewhere(const Operand& source, const Destination& out) {
    return lies_elsewhere(source) || out.memory() == nullptr;
}

void fold(const work::Fold& how, const Operand& source, const Destination& out) {
    if (is_elsewhere(source, out)) [[unlikely]]
        return do_elsewhere(how, source, {source.dtype(), how.groups, out},
                            [&](void* memory) { reduce_on_cpu(how, source, memory); });
    reduce_on_cpu(how, source, out.memory());
}

} // namespace

void assign(const Operand& source, const Operand& destination) {
    if (lies_elsewhere(source) || lies_elsewhere(destination)) [[unlikely]]
        if (assign_elsewhere(source, destination)) return;
    assign_on_cpu(source, destination);
}

void reduce_groups(Reduction reduction, const Operand& source, index_t groups,
                   const Destination& out) {
    fold({reduction, groups}, source, out);
}
void average(const Operand& source, index_t groups, const Destination& out) {
    fold({Reduction::sum, groups, true}, source, out);
}

void scan_lanes(const work::Scan& scan, const Operand& source, const Destination& out) {
    if (is_elsewhere(source, out)) [[unlikely]]
        return do_elsewhere(scan, source, {source.dtype(), source.dims.size(), out},
                            [&](void* memory) { scan_on_cpu(scan, source, memory); });
    scan_on_cpu(scan, source, out.memory());
}

void softmax_elements(const Operand& source, index_t groups, const Destination& out) {
    if (is_elsewhere(source, out)) [[unlikely]]
        return do_elsewhere(work::Softmax{groups}, source,
                            {source.dtype(), source.dims.size(), out},
                            [&](void* memory) { softmax_on_cpu(source, groups, memory); });
    softmax_on_cpu(source, groups, out.memory());
}

void sort_groups(const Operand& source, index_t groups, SortOrder order, const Destination& out) {
    if (lies_elsewhere(source)) [[unlikely]]
        return do_elsewhere(work::Sort{order, groups}, source,
                            {source.dtype(), source.dims.size(), out},
                            [&](void* memory) { sort_on_cpu(source, groups, order, memory); });
    sort_on_cpu(source, groups, order, out.memory());
}

void argsort_groups(const Operand& source, index_t groups, SortOrder order,
                    const Destination& out) {
    const auto by_cpu = [&](void* memory) {
        argsort_on_cpu(source, groups, order, static_cast<std::int64_t*>(memory));
    };
    if (lies_elsewhere(source)) [[unlikely]]
        return do_elsewhere(work::Sort{order, groups, true}, source,
                            {int64, source.dims.size(), out}, by_cpu);
    by_cpu(out.memory());
}

void scatter(const char* what, ScatterKind how, const Operand& source, const Operand& destination) {
    check_scatter(what, how, destination);
    if (lies_elsewhere(source) || lies_elsewhere(destination)) [[unlikely]]
        if (scatter_elsewhere(how, source, destination)) return;
    scatter_on_cpu(what, how, source, destination);
}

} // namespace purview
