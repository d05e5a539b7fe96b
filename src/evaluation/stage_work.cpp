#include "evaluation/stage_work.hpp"

#include "evaluation/bound_work.hpp"
#include "evaluation/loops/loop_work.hpp"
#include "evaluation/pieces_work.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/scatter.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

class CompiledWork final : public StageWork {
public:
    explicit CompiledWork(const Operand& root) : compiled_(root) {}
    explicit CompiledWork(const Reduce& fold)
        : compiled_(fold.reduction(), fold.operand(), fold.groups()),
          fold_(work::Fold{fold.reduction(), fold.groups()}) {}

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        compiled_.run(bindings, outs[0]);
    }
    std::string describe(Bindings bindings) const override {
        if (compiled_.is_prepared(bindings))
            return "way: prepared, planned once and moved to the memory and numbers of each call\n";
        const Operand source = compiled_.over(bindings);
        return fold_ ? explain_reduction(name_of(fold_->reduction).data(), fold_->reduction, source,
                                         fold_->groups)
                     : explain_evaluation(source);
    }

private:
    Compiled compiled_;
    std::optional<work::Fold> fold_; ///< none: its elements
};

class ScatterWork final : public BoundWork {
public:
    explicit ScatterWork(const Scatter& node)
        : BoundWork(node), place_(node.place()), is_view_(is_view(node)) {}

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        const std::vector<Operand> operands = this->operands(bindings);
        const Operand& values = operands[0];
        Operand destination = zeros(outs[0], values.dtype());
        if (!is_view_)
            destination = gather_operand("scatter", std::move(destination), place_.axes,
                                         std::span(operands).subspan(1), values.dims.max_shape());
        if (values.dims.size() > 0) scatter("scatter", ScatterKind::add, values, destination);
    }
    std::string describe(Bindings bindings) const override {
        return explain_steps("scatter", "to one place after the other", operands(bindings)[0]);
    }

private:
    /// The results, all zero, as what the values are added to.
    Operand zeros(const Destination& out, DType dtype) const {
        return visit_dtype(dtype, "scatter", [&]<typename T>(std::type_identity<T>) {
            const ShapeSpan line(&place_.size, 1);
            const Operand all = out.elements(dtype, line);
            if (out.memory() != nullptr)
                std::fill_n(static_cast<T*>(out.memory()), place_.size, T{});
            else
                assign(constant_operand(T{}, line), all);
            return Operand{all.node, place_.into};
        });
    }
    /// Whether values lie in `into` as they are.
    static bool is_view(const Scatter& node) {
        const GatherAxes& axes = node.place().axes;
        if (axes.size() != node.operands()[0].dims.max_shape().size()) return false;
        for (std::size_t a = 0; a < axes.size(); ++a)
            if (axes[a].computed || axes[a].number != static_cast<index_t>(a)) return false;
        return true;
    }

    ScatterPlace place_;
    bool is_view_;
};

class ScanWork final : public BoundWork {
public:
    explicit ScanWork(const ScanNode& node)
        : BoundWork(node), scan_{Reduction::sum, node.length(), node.inner()} {}

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        const Operand source = operands(bindings)[0];
        if (source.dims.size() > 0) scan_lanes(scan_, source, outs[0]);
    }
    std::string describe(Bindings bindings) const override {
        return explain_scan("cumsum", scan_, operands(bindings)[0]);
    }

private:
    work::Scan scan_;
};

class OpaqueWork final : public BoundWork {
public:
    explicit OpaqueWork(const OpaqueStage& node)
        : BoundWork(node),
          function_(node.shared_function()),
          results_(node.results().begin(), node.results().end()) {}

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        std::vector<void*> memory(outs.size(), nullptr);
        compute(operands(bindings), outs, memory, 0);
    }
    std::string describe(Bindings bindings) const override {
        return explain_steps(std::string(function_->name()).c_str(), "by its own function",
                             operands(bindings)[0]);
    }

private:
    /// With memory for results from this one on.
    void compute(std::span<const Operand> operands, std::span<const Destination> outs,
                 std::vector<void*>& memory, std::size_t number) const {
        if (number == outs.size()) return function_->run(operands, memory);
        if (outs[number].is_nowhere()) return compute(operands, outs, memory, number + 1);
        const ResultType& type = results_[number];
        const index_t size = Dimensions::row_major(type.shape).size();
        compute_into(outs[number], type.dtype, size, [&](void* own) {
            memory[number] = own;
            compute(operands, outs, memory, number + 1);
        });
    }

    std::shared_ptr<const StageFunction> function_;
    std::vector<ResultType> results_;
};

} // namespace

std::unique_ptr<const StageWork> view_work(const Operand& view) {
    return std::make_unique<CompiledWork>(view);
}

std::unique_ptr<const StageWork> node_work(const Node& node) {
    using Result = std::unique_ptr<const StageWork>;
    return visit(
        node, [](const Reduce& fold) -> Result { return std::make_unique<CompiledWork>(fold); },
        [](const Scatter& scatter) -> Result { return std::make_unique<ScatterWork>(scatter); },
        [](const ScanNode& scan) -> Result { return std::make_unique<ScanWork>(scan); },
        [](const OpaqueStage& stage) -> Result { return std::make_unique<OpaqueWork>(stage); },
        [](const Loop& loop) { return loop_work(loop); },
        [](const Choice& choice) { return choice_work(choice); },
        [](const Piecewise& pieces) {
            return are_few_pieces(pieces)
                       ? pieces_work(pieces)
                       : view_work({NodePtr(&pieces), Dimensions::row_major(pieces.shape())});
        },
        [](const OneOf<Elementwise, Gather> auto& computed) {
            return view_work({NodePtr(&computed), Dimensions::row_major(computed.shape())});
        },
        [](const OneOf<Leaf, Constant, SymbolNode, StageResult> auto&) -> Result {
            std::unreachable();
        });
}

} // namespace purview
