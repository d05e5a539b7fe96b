#include <purview/evaluation/explain.hpp>
#include <purview/tensor/explain.hpp>

namespace purview::inline v0_1 {

std::string explanation_of(const CopyFunction&, const AnyTensor& source,
                           const AnyTensor& destination) {
    destination.require_writable("copy");
    return explain_assignment(copied_operand(source.operand(), destination.operand()),
                              destination.operand());
}

std::string ExplainFunction::operator()(const AnyTensor& x) const {
    return explain_evaluation(x.operand());
}

} // namespace purview
