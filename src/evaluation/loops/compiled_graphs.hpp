#pragma once

#include <purview/evaluation/program.hpp>
#include <purview/expression/loop.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// The program of a function that a node calls. Equal functions have one program: the last `kMostGraphs`
/// are kept, so that calling `iterate` with the same step again compiles nothing. May be called from
/// several threads.
std::shared_ptr<const Program> compiled(const SharedGraph& graph);

} // namespace purview
