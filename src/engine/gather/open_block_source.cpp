#include "engine/compile/open_block_source.hpp"

#include "engine/gather/gather.hpp"
#include "engine/gather/piecewise.hpp"

namespace purview::inline v0_1::engine {

std::shared_ptr<const BlockSource> open_block_source(const Value& value) {
    if (value.gather() != nullptr)
        return std::make_shared<const GatherPlan>(*value.gather(), *value.view);
    return std::make_shared<const PiecewiseSource>(*value.pieces(), *value.view);
}

} // namespace purview::engine
