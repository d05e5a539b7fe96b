// Defines purview/evaluation/backend.hpp.

#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/visit_node.hpp>

#include "engine/along/scan.hpp"
#include "engine/entrance/fold_way.hpp"
#include "engine/entrance/scatter.hpp"
#include "engine/explain/describe_work.hpp"
#include "engine/order/sort.hpp"
#include "engine/reduce/softmax.hpp"
#include "engine/sparse/assign.hpp"
#include "expression/stored_leaf.hpp"

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements one after the other at this address.
std::byte* address_of(const Operand& results) {
    const MutableMemoryView memory = leaf_of(results)->writable_memory();
    return static_cast<std::byte*>(memory.data) + results.dims.base() * memory.stride_bytes;
}

class Cpu final : public Backend {
public:
    std::string_view name() const noexcept override { return "cpu"; }

    Operand results_like(std::span<const Operand>, DType dtype, ShapeSpan shape) const override {
        return new_stored_memory("results", dtype, Dimensions::row_major(shape),
                                 /*initialized=*/false);
    }

    bool takes(const Work&) const override { return true; }

    void run(const Work& work) const override {
        const Operand& source = work.sources.front();
        const Operand& to = work.destination;
        std::visit(
            Overloads{[&](const work::Assign&) { assign_on_cpu(source, to); },
                      [&](const work::Fold& fold) { reduce_on_cpu(fold, source, address_of(to)); },
                      [&](const work::Scan& scan) { scan_on_cpu(scan, source, address_of(to)); },
                      [&](const work::Sort& sort) { run_sort(sort, source, address_of(to)); },
                      [&](const work::Softmax& softmax) {
                          softmax_on_cpu(source, softmax.groups, address_of(to));
                      },
                      [&](const work::Scatter& scatter) {
                          check_scatter("scatter", scatter.kind, to);
                          scatter_on_cpu("scatter", scatter.kind, source, to);
                      }},
            work.verb);
    }

    std::string describe(const Work& work) const override {
        const Operand& source = work.sources.front();
        return std::visit(
            Overloads{
                [&](const work::Assign&) { return describe_assignment(source, work.destination); },
                [&](const work::Fold& fold) {
                    return describe_reduction(
                        fold.averages ? "mean" : name_of(fold.reduction).data(), fold, source);
                },
                [&](const work::Scan& scan) { return describe_scan("scan", scan, source); },
                [&](const work::Sort& sort) {
                    return describe_sort(sort.indexes ? "argsort" : "sort", sort, source);
                },
                [&](const work::Softmax&) {
                    return explain_steps("softmax", "group by group", source);
                },
                [&](const work::Scatter&) {
                    return explain_steps("scatter", "to one place after the other", source);
                }},
            work.verb);
    }

private:
    static void run_sort(const work::Sort& sort, const Operand& source, std::byte* out) {
        if (sort.indexes)
            argsort_on_cpu(source, sort.groups, sort.order, reinterpret_cast<std::int64_t*>(out));
        else
            sort_on_cpu(source, sort.groups, sort.order, out);
    }
};

} // namespace

const Backend& cpu() noexcept {
    static const Cpu backend;
    return backend;
}

} // namespace purview
