// Defines purview/expression/node.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/opaque_stage.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/scan.hpp>
#include <purview/expression/scatter.hpp>
#include <purview/expression/symbol.hpp>

namespace purview::inline v0_1 {
namespace {

/// Reads what is neither a leaf nor a constant.
void evaluate(const Node& node, const Dimensions& view, index_t begin, index_t count, void* out) {
    Evaluation(Operand{NodePtr(&node), view}).read(begin, count, out);
}

} // namespace

void Elementwise::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void Gather::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void Piecewise::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void Reduce::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void Scatter::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void ScanNode::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void OpaqueStage::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void Loop::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void Choice::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void StageResult::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}
void SymbolNode::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    evaluate(*this, view, begin, count, out);
}

} // namespace purview
