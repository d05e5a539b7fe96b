#include "reductions/places_in_whole.hpp"

namespace purview::inline v0_1::mpi {

PlacesInWhole::PlacesInWhole(const Distribution& d, int rank, ShapeSpan axes, const Box& box)
    : distribution_(d) {
    const Shape places = d.state().places_of(rank);
    for (const index_t axis : axes) {
        const auto a = static_cast<std::size_t>(axis);
        axes_.push_back({&d.state().axes[a], places[a], box.begin[a], box.end[a] - box.begin[a]});
    }
}

index_t PlacesInWhole::operator()(index_t place_in_box) const {
    index_t place = 0;
    index_t stride = 1;
    for (std::size_t a = axes_.size(); a-- > 0;) {
        const Axis& axis = axes_[a];
        place += stride * axis.parts->global_of(axis.place, axis.begin + place_in_box % axis.count);
        place_in_box /= axis.count;
        stride *= axis.parts->extent();
    }
    return place;
}

} // namespace purview
