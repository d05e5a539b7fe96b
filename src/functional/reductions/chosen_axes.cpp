#include <purview/functional/reductions/chosen_axes.hpp>

namespace purview::inline v0_1 {

Shape ChosenAxes::positional(const char* what, int rank) const {
    if (given) return axes.positional(what);
    Shape all;
    for (int axis = 0; axis < rank; ++axis) all.push_back(axis);
    return all;
}

} // namespace purview
