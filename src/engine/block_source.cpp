#include "engine/block_source.hpp"

#include <purview/base/errors.hpp>

#include "engine/gather.hpp"
#include "engine/piecewise.hpp"
#include "engine/values.hpp"

#include <fmt/format.h>

namespace purview::engine {
namespace {

constexpr int kDeepestSource = 100;
thread_local int depth = 0;

} // namespace

std::shared_ptr<const BlockSource> block_source(const Value& value) {
    if (value.gather() != nullptr)
        return std::make_shared<const GatherPlan>(*value.gather(), *value.view);
    return std::make_shared<const PiecewiseSource>(*value.pieces(), *value.view);
}

NestedSource::NestedSource(const char* what) {
    if (depth >= kDeepestSource)
        throw ShapeError(fmt::format("{}: more than {} are nested in each other; clone one of them",
                                     what, kDeepestSource));
    ++depth;
}
NestedSource::~NestedSource() { --depth; }

} // namespace purview::engine
