#include <purview/functional/reductions/reduced_pair.hpp>

namespace purview {

ReducedPair reduced_pair(const char* what, const Operand& x, const Operand& y, ShapeSpan axes,
                         bool keep) {
    return {reduced_view(what, x, axes, keep), reduced_view(what, y, axes, keep),
            static_cast<index_t>(axes.size())};
}

} // namespace purview
