#include <purview/evaluation/scatter.hpp>
#include <purview/tensor/write_values.hpp>

namespace purview::inline v0_1 {

void write_values(const Operand& values, const Operand& destination) {
    scatter("assign", ScatterKind::assign, scattered_operand("assign", values, destination),
            destination);
}

} // namespace purview
