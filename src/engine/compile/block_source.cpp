#include "engine/compile/block_source.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::engine {
namespace {

constexpr int kDeepestSource = 100;
thread_local int depth = 0;

} // namespace

NestedSource::NestedSource(const char* what) {
    if (depth >= kDeepestSource)
        throw ShapeError(fmt::format("{}: more than {} are nested in each other; clone one of them",
                                     what, kDeepestSource));
    ++depth;
}
NestedSource::~NestedSource() { --depth; }

} // namespace purview::engine
