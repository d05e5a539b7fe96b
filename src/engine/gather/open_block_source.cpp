#include "engine/compile/open_block_source.hpp"

#include "engine/gather/gather.hpp"
#include "engine/gather/piecewise.hpp"
#include "expression/gather_pieces.hpp"

namespace purview::inline v0_1::engine {
namespace {

/// It takes longer to make pieces than to gather fewer elements.
constexpr index_t kFewestInPieces = 1024;

} // namespace

std::shared_ptr<const BlockSource> open_block_source(const Value& value) {
    if (const Gather* const gather = value.gather(); gather != nullptr) {
        if (value.view->size() >= kFewestInPieces)
            if (const NodePtr node = gather_pieces(*gather); node != nullptr) {
                const auto& pieces = static_cast<const Piecewise&>(*node);
                if (value.view->is_identity() || pieces_seen(pieces, *value.view))
                    return std::make_shared<const PiecewiseSource>(pieces, *value.view);
            }
        return std::make_shared<const GatherPlan>(*gather, *value.view);
    }
    return std::make_shared<const PiecewiseSource>(*value.pieces(), *value.view);
}

} // namespace purview::engine
