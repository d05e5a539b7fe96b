#include "engine/statistics/differences.hpp"

#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/places/memory_leaf.hpp"

namespace purview::inline v0_1::engine {

std::vector<double> folds_of_groups(Reduction reduction, const Operand& source, index_t groups) {
    std::vector<double> results(static_cast<std::size_t>(groups));
    reduce_groups(reduction, source, groups, results.data());
    return results;
}

Operand numbers_of_groups(const Operand& source, std::vector<double>& numbers) {
    const index_t groups = std::ssize(numbers);
    Operand line{memory_leaf(float64, numbers.data(), groups),
                 Dimensions::row_major(ShapeSpan(&groups, 1))};
    bring_to(source, line);
    return {line.node, dimensions::repeated_groups(source.dims.max_shape(), groups)};
}

Operand differences_from(const Operand& source, std::vector<double>& numbers) {
    return elementwise<2>(Op::subtract, float64, {source, numbers_of_groups(source, numbers)});
}

} // namespace purview::engine
