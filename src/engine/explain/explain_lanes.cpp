// Defines purview/evaluation/explain.hpp.

#include <purview/evaluation/explain.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/reader/allocation.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/entrance/elsewhere.hpp"
#include "engine/explain/describe_work.hpp"
#include "engine/explain/described_source.hpp"
#include "engine/order/short_sorts.hpp"
#include "engine/places/memory_leaf.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// The text of the CPU, or of the backend that does the work.
std::string describe_where_done(const char* what, const Verb& verb, const Operand& source,
                                DType result, const std::string& by_cpu) {
    if (source.dims.size() == 0 || !lies_elsewhere(source)) return by_cpu;
    const Operand results = memory_operand(result, reinterpret_cast<void*>(kAllocationAlignment),
                                           source.dims.max_shape());
    const std::string elsewhere = describe_elsewhere(verb, source, results);
    if (elsewhere.empty()) return by_cpu;
    return head(what, source) + "\n" + text_of(Values(source)) + elsewhere;
}

/// Steps of dense elements.
std::string dense_steps(const char* what, const std::string& steps, const Operand& source) {
    require_not_sparse(what, source);
    return explain_steps(
        what, source.dims.size() == 0 ? "nothing to do, there is no element" : steps, source);
}

} // namespace

std::string explain_steps(const char* what, const std::string& steps, const Operand& given) {
    const DescribedSource described(given);
    return head(fmt::format("{} of", what).c_str(), described.source) + "\n" + described.first +
           (is_sparse(described.source)
                ? "way: sparse, what is stored in each group, and the fill at once\n"
                : with_plan_in_order(steps, Values(described.source)));
}

std::string explain_reducer(const char* what, index_t state_bytes, const std::string& steps,
                            const Operand& source, index_t groups) {
    ChunkedParts parts;
    if (state_bytes == 0 || !ChunkedParts::may_find(source) || !parts.find(source, groups))
        return explain_steps(what, steps, source);
    return head(fmt::format("{} of", what).c_str(), source) + "\n" + text_of(Values(source)) +
           "way: " + parts.describe(state_bytes) + "\n";
}

std::string engine::describe_scan(const char* what, const work::Scan& scan, const Operand& source) {
    const index_t lanes = source.dims.size() / std::max<index_t>(scan.length, 1);
    return dense_steps(
        what,
        scan.inner == 1
            ? fmt::format("one lane after the other, {} lanes of {} elements", lanes, scan.length)
            : fmt::format("rows of {} elements combined with the rows before them, {} rows in each "
                          "of {} parts",
                          scan.inner, scan.length, lanes / scan.inner),
        source);
}

std::string engine::describe_sort(const char* what, const work::Sort& sort, const Operand& source) {
    const index_t length = source.dims.size() / std::max<index_t>(sort.groups, 1);
    return dense_steps(
        what,
        are_sorted_side_by_side(length, sort.groups)
            ? fmt::format("parts of {} elements side by side, by a network", length)
            : fmt::format("by digits, {} part{} of {} elements; integers of a small range by their "
                          "counts",
                          sort.groups, sort.groups == 1 ? "" : "s", length),
        source);
}

std::string explain_scan(const char* what, const work::Scan& scan, const Operand& source) {
    return describe_where_done(what, scan, source, source.dtype(),
                               describe_scan(what, scan, source));
}

std::string explain_sort(const char* what, const work::Sort& sort, const Operand& source) {
    return describe_where_done(what, sort, source, sort.indexes ? int64 : source.dtype(),
                               describe_sort(what, sort, source));
}

} // namespace purview
